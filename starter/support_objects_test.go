package starter_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/weir-collect/weir/collection"
)

// The submission that most tests ask about: three rows of books in two batches, one of films, and two that became no
// records. The second batch of books still runs.
const submission = "acme-1"

var (
	accepted = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

	rejected = []collection.FailureRow{
		{Line: 3, Outcome: collection.OutcomeInvalid, Reason: collection.ReasonRowMalformed, Detail: "it has no URL"},
		{Line: 4, Key: "https://books.example/1", Source: "books", Record: bookID(1), Outcome: collection.OutcomeDuplicate, Reason: collection.ReasonRowDuplicate},
	}
	booksRows = []collection.LedgerRow{
		{Line: 1, Key: "https://books.example/1", Source: "books", RecordResult: collection.RecordResult{
			Record: bookID(1), Outcome: collection.OutcomeDelivered, Attempts: 1,
			Delivered: &collection.Delivered{Key: "results/acme/acme-1/records/x.json", SHA256: "ab", Size: 2, Generation: 1, VerifiedAt: accepted},
		}},
		{Line: 2, Key: "https://books.example/2", Source: "books", RecordResult: collection.RecordResult{
			Record: bookID(2), Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonParseEmpty, Detail: "no field was found", Attempts: 2,
		}},
	}
	running3  = collection.Record{ID: bookID(3), Line: 5, Key: "https://books.example/3", URL: "https://books.example/3"}
	filmsRows = []collection.LedgerRow{
		{Line: 6, Key: "metropolis", Source: "films", RecordResult: collection.RecordResult{
			Record: collection.RecordID("films", "metropolis"), Outcome: collection.OutcomeGone, Reason: collection.ReasonGone, Attempts: 1,
		}},
	}
	plan = collection.PlanResult{
		Submission: submission, Customer: "acme", AcceptedAt: accepted, Expected: 6, Accepted: 4, RejectedParts: 1,
		Lane: collection.LaneNormal, Weight: 1, Notes: []string{"the lane urgent is not granted"},
		Content: &collection.Content{Upload: collection.UploadKey("acme", submission, "books.csv"), SHA256: collection.Digest([]byte(rows))},
		Sources: []collection.SourcePlan{
			{Source: "books", Records: 3, Batches: []collection.BatchPlan{{Number: 1, Records: 2}, {Number: 2, Records: 1}}},
			{Source: "films", Records: 1, Batches: []collection.BatchPlan{{Number: 1, Records: 1}}},
		},
	}
	manifest = collection.Manifest{
		Version: collection.ManifestVersion, Submission: submission, Customer: "acme", State: collection.StatePartiallyFailed,
		AcceptedAt: accepted, Expected: 6,
		Outcomes: collection.Tally{{Outcome: collection.OutcomeDelivered, Records: 5}, {Outcome: collection.OutcomeInvalid, Reason: collection.ReasonRowMalformed, Records: 1}},
		Sources: []collection.SourceOutcomes{
			{Source: "books", Expected: 3, Outcomes: collection.Tally{{Outcome: collection.OutcomeDelivered, Records: 3}}},
		},
		Files: []collection.ManifestFile{
			{Key: collection.ResultsKey("acme", submission, 1), Name: "results-00001.jsonl.gz", Size: 321, Records: 5, SHA256: "c1", VerifiedAt: accepted},
			{Key: collection.FailuresKey("acme", submission), Name: "failures.jsonl", Size: 99, Records: 1, SHA256: "c2", VerifiedAt: accepted},
		},
	}
)

func bookID(n int) string { return collection.RecordID("books", bookURL(n)) }

func bookURL(n int) string { return "https://books.example/" + string(rune('0'+n)) }

// stores keeps a document, or the lines of one.
func stores[T any](tr *trial, key string, lines ...T) {
	var b bytes.Buffer
	for _, line := range lines {
		if err := json.NewEncoder(&b).Encode(line); err != nil {
			panic(err)
		}
	}
	if _, err := tr.store.Put(context.Background(), key, b.Bytes(), ""); err != nil {
		panic(err)
	}
}

// planned stores the submission as it stands while it runs. Of batches that run the engine tells nothing, unless a test has had it
// tell before.
func (tr *trial) planned() *trial {
	tr.engine.On("ListWorkflow", mock.Anything, mock.MatchedBy(func(r *workflowservice.ListWorkflowExecutionsRequest) bool {
		return strings.Contains(r.GetQuery(), "ParentWorkflowId")
	})).Return(&workflowservice.ListWorkflowExecutionsResponse{}, nil).Maybe()
	stores(tr, collection.PlanKey(submission), plan)
	stores(tr, collection.RejectedKey(submission, 1), rejected...)
	stores(tr, collection.BatchKey(submission, "books", 1), collection.Record{ID: bookID(1)}, collection.Record{ID: bookID(2)})
	stores(tr, collection.BatchKey(submission, "books", 2), running3)
	stores(tr, collection.BatchKey(submission, "films", 1), collection.Record{ID: filmsRows[0].Record})
	stores(tr, collection.LedgerKey(submission, "books", 1), booksRows...)
	stores(tr, collection.LedgerKey(submission, "films", 1), filmsRows...)
	return tr
}

// underway stores the submission, and lets the engine run it, for whoever asks.
func (tr *trial) underway() *trial {
	tr.knows(running).Maybe()
	return tr.planned()
}

// settled stores the submission with its manifest.
func (tr *trial) settled(state collection.State) *trial {
	tr.planned()
	m := manifest
	m.State = state
	stores(tr, collection.ManifestKey("acme", submission), m)
	return tr
}
