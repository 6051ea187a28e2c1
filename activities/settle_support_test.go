package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// settling is a settler with a submission that has ended: a plan, its ledger and its delivered objects.
type settling struct {
	*Settler
	store *shaky
	plan  collection.PlanResult
	// records are the planned records in the order of the plan.
	records []planned
}

// planned is a record and where it is booked.
type planned struct {
	collection.Record
	source string
	batch  int
	body   string
}

var settledAt = accepted.Add(time.Hour)

// end is how one record of a test's submission ended.
type end struct {
	outcome collection.Outcome
	reason  collection.Reason
}

var (
	wasDelivered = end{outcome: collection.OutcomeDelivered}
	wasGone      = end{collection.OutcomeGone, collection.ReasonGone}
	wasEmpty     = end{collection.OutcomeDeadLettered, collection.ReasonParseEmpty}
	wasRefused   = end{collection.OutcomeRefused, collection.ReasonRobotsDenied}
	wasCancelled = end{collection.OutcomeCancelled, collection.ReasonCancelled}
)

// newSettling plans rows in batches of two and ends the records one after the other; the last end holds for the rest.
func newSettling(t require.TestingT, rows string, ends ...end) *settling {
	p := newPlanning(2)
	plan := p.mustPlan(t, p.uploaded(t, "list.jsonl", rows))
	s := &settling{
		&Settler{Store: p.store, Engine: &oracle{}, Clock: at(settledAt), PartRecords: 2, PartBytes: 1 << 20}, p.store, plan, nil,
	}
	batches, _ := p.stored(t, plan)
	for _, src := range plan.Sources {
		for n, batch := range batches[src.Source] {
			var ledger []collection.LedgerRow
			for _, r := range batch {
				e := ends[min(len(s.records), len(ends)-1)]
				ledger = append(ledger, s.ended(t, src.Source, n+1, r, e))
			}
			require.NoError(t, writeLedger(background, p.store, collection.LedgerKey("s1", src.Source, n+1), ledger))
		}
	}
	s.store.calls = nil
	return s
}

// writeLedger puts rows into the ledger, whatever was there.
func writeLedger(ctx context.Context, store Store, key string, rows []collection.LedgerRow) error {
	body, err := encodeLines(rows)
	if err != nil {
		return err
	}
	_, err = store.Put(ctx, key, body, typeJSONLines)
	return err
}

// ended is the ledger's row of a record; a delivered one is put at its destination.
func (s *settling) ended(t require.TestingT, source string, batch int, r collection.Record, e end) collection.LedgerRow {
	body, err := json.Marshal(collection.DeliveredDocument{
		Record: r.ID, Key: r.Key, Source: source, URL: r.URL, FetchedAt: accepted, Fields: map[string]any{"line": r.Line},
	})
	require.NoError(t, err)
	s.records = append(s.records, planned{r, source, batch, string(body)})
	row := collection.LedgerRow{Line: r.Line, Key: r.Key, Source: source, RecordResult: collection.RecordResult{
		Record: r.ID, Outcome: e.outcome, Reason: e.reason, Attempts: 1,
	}}
	if e.outcome != collection.OutcomeDelivered {
		row.Detail = fmt.Sprintf("what was said of line %d", r.Line)
		return row
	}
	info, err := s.store.Create(background, collection.DeliveredKey("acme", "s1", r.ID), body, typeJSON)
	require.NoError(t, err)
	row.Delivered = &collection.Delivered{
		Key: info.Key, SHA256: info.SHA256, Size: info.Size, Generation: info.Generation, VerifiedAt: accepted.Add(time.Minute),
	}
	return row
}

var settleInput = collection.SettleInput{Submission: "s1", Customer: "acme"}

func (s *settling) settle(t require.TestingT, tr *trial) (collection.SettleResult, error) {
	return run(t, tr, s.Settle, settleInput)
}

// mustSettle settles and reads the manifest back.
func (s *settling) mustSettle(t require.TestingT, tr *trial) (collection.SettleResult, collection.Manifest) {
	out, err := s.settle(t, tr)
	require.NoError(t, err)
	body := s.store.text(t, out.Manifest)
	require.Equal(t, collection.Digest([]byte(body)), out.ManifestSHA256)
	var m collection.Manifest
	require.NoError(t, json.Unmarshal([]byte(body), &m))
	require.Equal(t, m.State, out.State)
	require.Equal(t, m.Outcomes, out.Outcomes)
	require.Equal(t, m.Expected, out.Expected)
	return out, m
}

// results are the lines of the parts that a manifest names, and failures those of its failures.
func (s *settling) results(t require.TestingT, m collection.Manifest) (results, failures []string) {
	for _, f := range m.Files {
		body := s.store.text(t, f.Key)
		require.Equal(t, f.SHA256, collection.Digest([]byte(body)))
		require.Equal(t, f.Size, int64(len(body)))
		var rows []string
		if strings.HasPrefix(f.Name, "failures.") {
			failures = splitLines(body)
			rows = failures
		} else {
			rows = splitLines(unzipped(t, body))
			results = append(results, rows...)
		}
		require.Len(t, rows, f.Records)
	}
	return results, failures
}

func splitLines(body string) []string {
	return strings.Split(strings.TrimSuffix(body, "\n"), "\n")
}

func unzipped(t require.TestingT, body string) string {
	r, err := gzip.NewReader(bytes.NewReader([]byte(body)))
	require.NoError(t, err)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	return string(text)
}

// pages is JSON Lines of n pages of one source.
func pages(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"url":"https://books.example/%d"}`+"\n", i+1)
	}
	return b.String()
}

// ledgerKey is where the record is booked.
func (p planned) ledgerKey() string { return collection.LedgerKey("s1", p.source, p.batch) }

// deliveredKey is where the record's object is.
func (p planned) deliveredKey() string { return collection.DeliveredKey("acme", "s1", p.ID) }
