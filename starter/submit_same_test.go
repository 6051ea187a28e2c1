package starter_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/objectstore/memstore"
	"github.com/weir-collect/weir/starter"
)

const otherRows = "url\nhttps://books.example/2\n"

// others are requests under the id of the submission that are not the submission.
var others = map[string]struct {
	change func(*starter.Request)
	says   string
}{
	"another customer": {func(r *starter.Request) { r.Customer = "initech" }, "it is customer acme's, not initech's"},
	"a corrected file of that name": {func(r *starter.Request) { r.File = strings.NewReader(otherRows) },
		"not of uploads/acme/acme-1/books.csv (SHA-256 " + collection.Digest([]byte(otherRows))[:12]},
	"a corrected file of another name": {func(r *starter.Request) { r.File, r.FileName = strings.NewReader(otherRows), "better.csv" },
		"not of uploads/acme/acme-1/better.csv"},
	"records": {func(r *starter.Request) {
		r.File, r.Records = nil, []json.RawMessage{json.RawMessage(`{"url":"https://books.example/1"}`)}
	}, "not of records within the submission"},
	"another source": {func(r *starter.Request) { r.Source = "films" }, "is none, not films"},
	"another format": {func(r *starter.Request) { r.Format = "csv" }, "as none, not as csv"},
}

// TestIDsOfOthers: an id is of one submission, whoever remembers it, and what is something else is not taken for it.
func TestIDsOfOthers(t *testing.T) {
	t.Parallel()
	begun := collection.SubmissionInput{Customer: "acme", Upload: "uploads/acme/acme-1/books.csv"}
	for what, remember := range map[string]func(*trial){
		"running, unplanned":   func(tr *trial) { tr.begunWith(begun).knows(running) },
		"running":              func(tr *trial) { tr.planned().knows(running) },
		"paused":               func(tr *trial) { tr.planned().knows(paused) },
		"complete":             func(tr *trial) { tr.settled(collection.StateComplete).knows(completed) },
		"complete, tidied":     func(tr *trial) { tr.begunWith(begun).knows(completed) },
		"cancelled":            func(tr *trial) { tr.settled(collection.StateCancelled).knows(cancelled) },
		"terminated":           func(tr *trial) { tr.planned().knows(terminated) },
		"forgotten, unsettled": func(tr *trial) { tr.planned().forgot(submission) },
		"forgotten, complete":  func(tr *trial) { tr.settled(collection.StateComplete).forgot(submission) },
	} {
		for name, c := range others {
			tr := setup(t)
			_, err := tr.store.Put(t.Context(), begun.Upload, []byte(rows), "")
			require.NoError(t, err)
			remember(tr)
			r := csv(submission)
			c.change(&r)
			submitted, err := tr.client.Submit(t.Context(), r)
			var taken *collection.IDTakenError
			require.ErrorAs(t, err, &taken, "%s: %s", what, name)
			require.ErrorContains(t, err, "the id acme-1 is of another submission already", "%s: %s", what, name)
			require.ErrorContains(t, err, c.says, "%s: %s", what, name)
			require.Zero(t, submitted)
			require.Equal(t, []string{begun.Upload}, tr.store.keys(t, "uploads/"), "%s: %s", what, name)
		}
	}
}

// TestTheSameUnderAnotherName: what a file is called does not matter, whoever knows what it holds.
func TestTheSameUnderAnotherName(t *testing.T) {
	t.Parallel()
	again := csv(submission)
	again.FileName = "copy of books.csv"
	for what, remember := range map[string]func(*trial){
		"by the plan": func(tr *trial) { tr.planned() },
		"by the upload": func(tr *trial) {
			const key = "uploads/acme/acme-1/books.csv"
			if _, err := tr.store.Put(context.Background(), key, []byte(rows), ""); err != nil {
				panic(err)
			}
			tr.begunWith(collection.SubmissionInput{Customer: "acme", Upload: key})
		},
		"by the records": func(tr *trial) {
			tr.begunWith(collection.SubmissionInput{Customer: "acme", Records: []json.RawMessage{json.RawMessage(`{"url":"https://books.example/?a&b"}`)}})
		},
	} {
		tr := setup(t)
		remember(tr)
		tr.knows(running)
		r := again
		r.File = strings.NewReader(rows)
		if what == "by the records" {
			r = starter.Request{ID: submission, Customer: "acme", Records: []json.RawMessage{json.RawMessage("{\"url\" :\n\"https://books.example/?a&b\"}")}}
		}
		submitted, err := tr.client.Submit(t.Context(), r)
		require.NoError(t, err, what)
		require.True(t, submitted.Existing, what)
	}
}

// TestFailedBeforeItsPlan: a file that could not be planned is corrected under its id.
func TestFailedBeforeItsPlan(t *testing.T) {
	t.Parallel()
	for _, status := range []enumspb.WorkflowExecutionStatus{failed, cancelled, terminated} {
		tr := setup(t)
		tr.knows(status)
		begun := tr.starts(nil)
		r := csv(submission)
		r.FileName, r.File = "better.csv", strings.NewReader(otherRows)
		_, err := tr.client.Submit(t.Context(), r)
		require.NoError(t, err)
		require.Equal(t, "uploads/acme/acme-1/better.csv", begun.input.Upload)
	}
}

// ofBefore makes the plan one of before it kept what it is of.
func (tr *trial) ofBefore() *trial {
	before := plan
	before.Content = nil
	stores(tr, collection.PlanKey(submission), before)
	return tr
}

// TestPlansOfBefore: of them the customer counts, and what the workflow was started with where the engine still has that.
func TestPlansOfBefore(t *testing.T) {
	t.Parallel()
	submit := func(tr *trial, customer, content string) error {
		r := csv(submission)
		r.Customer, r.File, r.FileName = customer, strings.NewReader(content), "b.csv"
		_, err := tr.client.Submit(context.Background(), r)
		return err
	}
	const key = "uploads/acme/acme-1/books.csv"
	remembering := func(in collection.SubmissionInput) *trial {
		tr := setup(t).planned().ofBefore().begunWith(in)
		_, err := tr.store.Put(t.Context(), key, []byte(rows), "")
		require.NoError(t, err)
		tr.knows(cancelled)
		return tr
	}
	tr := setup(t).planned().ofBefore()
	tr.forgot(submission)
	require.ErrorContains(t, submit(tr, "initech", rows), "acme's, not initech's")

	require.ErrorContains(t, submit(remembering(collection.SubmissionInput{Customer: "acme", Upload: key}), "acme", otherRows), "it was made of "+key)
	require.ErrorContains(t, submit(remembering(collection.SubmissionInput{Customer: "initech", Upload: "x"}), "initech", rows), "acme's, not initech's",
		"the plan counts, whoever tried its id since")

	tr = setup(t).planned().ofBefore().alone()
	tr.history(submission, nil, errUnknown)
	tr.knows(cancelled)
	tr.starts(nil)
	require.NoError(t, submit(tr, "acme", otherRows), "nobody knows what it was")

	tr = setup(t).planned().ofBefore()
	tr.history(submission, nil, errDown)
	tr.knows(running)
	require.ErrorIs(t, submit(tr, "acme", rows), errDown)
}

// plainStore is a Store that knows nothing but what a client needs.
type plainStore struct{ starter.Store }

// TestIDsWithoutDigests: where nothing knows what the file held, an id of its content speaks for it, and one of somebody's
// choice does not.
func TestIDsWithoutDigests(t *testing.T) {
	t.Parallel()
	file := csv("")
	const id = "acme-436631f36bf4"
	for what, c := range map[string]struct {
		id, name string
		taken    bool
	}{
		"derived":                    {"", "books.csv", false},
		"derived, another name":      {"", "copy.csv", false},
		"chosen":                     {id, "books.csv", false},
		"chosen, under another name": {id, "copy.csv", true},
	} {
		tr := setup(t)
		tr.client = starter.New(tr.engine, plainStore{tr.store}, "weir-test", nil)
		tr.describes(id, described(collection.WorkflowSubmission, running), nil)
		tr.startedWith(id, collection.SubmissionInput{Customer: "acme", Upload: collection.UploadKey("acme", id, "books.csv")})
		r := file
		r.ID, r.FileName, r.File = c.id, c.name, strings.NewReader(rows)
		submitted, err := tr.client.Submit(t.Context(), r)
		var taken *collection.IDTakenError
		require.Equal(t, c.taken, err != nil, what)
		if c.taken {
			require.ErrorAs(t, err, &taken)
			continue
		}
		require.True(t, submitted.Existing, what)
	}
}

// brokenHead is a store that does not say what it holds.
type brokenHead struct{ *memstore.Store }

func (brokenHead) Head(context.Context, string) (collection.ObjectInfo, error) {
	return collection.ObjectInfo{}, collection.ErrStoreDenied
}

func (brokenHead) Upload(context.Context, string, io.ReadSeeker, int64, string) (collection.ObjectInfo, error) {
	panic("nothing may be uploaded")
}

func (brokenHead) PresignGet(context.Context, string, time.Duration) (starter.SignedURL, error) {
	panic("nothing may be signed")
}

func TestSameWithoutAnswers(t *testing.T) {
	t.Parallel()
	tr := setup(t).begunWith(collection.SubmissionInput{Customer: "acme", Upload: "uploads/acme/acme-1/books.csv"})
	tr.client = starter.New(tr.engine, brokenHead{tr.store.Store}, "weir-test", nil)
	tr.knows(running)
	_, err := tr.client.Submit(t.Context(), csv(submission))
	require.ErrorIs(t, err, collection.ErrStoreDenied)
	require.ErrorContains(t, err, "look what submission acme-1 is of")
}
