package starter_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

const aloneNote = "Temporal does not answer; this is what the bucket says"

var errStoreAway = fmt.Errorf("get: %w", &net.OpError{Op: "dial", Err: errDown})

// engineAway lets the engine answer nothing.
func (tr *trial) engineAway() *trial {
	away := serviceerror.NewUnavailable("connection refused")
	tr.engine.On("DescribeWorkflowExecution", mock.Anything, mock.Anything, "").Return(nil, away).Maybe()
	tr.engine.On("ListWorkflow", mock.Anything, mock.Anything).Return(nil, away).Maybe()
	return tr
}

// storeAway lets the store answer nothing about the submission.
func (tr *trial) storeAway() *trial {
	for _, key := range []string{collection.PlanKey(submission), collection.ManifestKey("acme", submission), collection.EndKey(submission)} {
		tr.store.fails[key] = errStoreAway
	}
	return tr
}

// unknowable holds that an error says what cannot be known, why, and not that there is nothing.
func unknowable(t *testing.T, err error, part string) {
	t.Helper()
	var silent *starter.NoEngineError
	require.ErrorAs(t, err, &silent)
	require.ErrorContains(t, err, part)
	require.ErrorContains(t, err, "Temporal does not answer")
	require.NotErrorIs(t, err, starter.ErrNotFound)
}

// TestStatusWithoutTheEngine: the answer is the one that the engine would let stand, with a note.
func TestStatusWithoutTheEngine(t *testing.T) {
	t.Parallel()
	for _, state := range []collection.State{collection.StateComplete, collection.StatePartiallyFailed, collection.StateCancelled} {
		known := setup(t).settled(state)
		known.knows(completed)
		want, err := known.client.Status(t.Context(), submission)
		require.NoError(t, err)
		got, err := setup(t).settled(state).engineAway().client.Status(t.Context(), submission)
		require.NoError(t, err)
		require.Equal(t, append(want.Notes, aloneNote), got.Notes)
		got.Notes = want.Notes
		require.Equal(t, want, got)
	}
	end := collection.SubmissionStatus{Submission: submission, State: collection.StateFailed, Reason: collection.ReasonUploadMissing, Outcomes: collection.Tally{}}
	tr := setup(t).engineAway()
	stores(tr, collection.EndKey(submission), end)
	got, err := tr.client.Status(t.Context(), submission)
	require.NoError(t, err)
	end.Notes = []string{aloneNote}
	require.Equal(t, end, got, "an end that the sweep has kept")
}

func TestStatusThatOnlyTheEngineKnows(t *testing.T) {
	t.Parallel()
	_, err := setup(t).planned().engineAway().client.Status(t.Context(), submission)
	unknowable(t, err, "where submission acme-1 stands cannot be known now: the bucket has its plan of 6 rows and no manifest")

	_, err = setup(t).engineAway().client.Status(t.Context(), submission)
	unknowable(t, err, "the bucket has nothing of it")

	tr := setup(t).settled(collection.StateComplete).engineAway()
	shipping := plan
	shipping.Ship = true
	stores(tr, collection.PlanKey(submission), shipping)
	_, err = tr.client.Status(t.Context(), submission)
	unknowable(t, err, "whether its delivery is being shipped")

	_, err = setup(t).settled(collection.StateComplete).engineAway().storeAway().client.Status(t.Context(), submission)
	unknowable(t, err, errDown.Error())
}

// TestStatusOfAFrozenEngine: one that takes the question and never answers holds nobody up for long.
func TestStatusOfAFrozenEngine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := setup(t).settled(collection.StateComplete)
		tr.engine.On("DescribeWorkflowExecution", mock.Anything, submission, "").Return(
			func(ctx context.Context, _, _ string) (*description, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
		began := time.Now()
		got, err := tr.client.Status(t.Context(), submission)
		require.NoError(t, err)
		require.Contains(t, got.Notes, aloneNote)
		require.LessOrEqual(t, time.Since(began), 5*time.Second)

		// Who breaks off gets no answer that nobody has given.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = tr.client.Status(ctx, submission)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// TestStatusWithoutTheStore: what the engine knows is told.
func TestStatusWithoutTheStore(t *testing.T) {
	t.Parallel()
	tr := setup(t).storeAway()
	tr.knows(running)
	tr.answers(at("collect", collection.StateProcessing))
	got, err := tr.client.Status(t.Context(), submission)
	require.NoError(t, err)
	require.Equal(t, at("collect", collection.StateProcessing), got, "the store has nothing to add")

	tr = setup(t).storeAway()
	tr.knows(completed)
	result := collection.SubmissionResult{State: collection.StatePartiallyFailed, Expected: 6, Outcomes: manifest.Outcomes, Manifest: "m"}
	ends(tr, submission, result, nil)
	got, err = tr.client.Status(t.Context(), submission)
	require.NoError(t, err)
	require.Equal(t, &result, got.Result)
	require.Equal(t, []string{"the bucket does not answer; this is what Temporal says"}, got.Notes)

	tr = setup(t).storeAway()
	tr.forgot(submission)
	_, err = tr.client.Status(t.Context(), submission)
	require.ErrorIs(t, err, errStoreAway)
	require.NotErrorIs(t, err, starter.ErrNotFound)
}

func TestWaitWithoutTheEngine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := setup(t).settled(collection.StateComplete).engineAway()
		last, _, took, err := waited(t, t.Context(), tr)
		require.NoError(t, err)
		require.Equal(t, collection.StateComplete, last.State)
		require.Contains(t, last.Notes, aloneNote)
		require.Equal(t, 61*time.Second, took, "it may be a restart, after which the submission runs again")

		_, _, _, err = waited(t, t.Context(), setup(t).planned().engineAway())
		unknowable(t, err, "cannot be known now")
	})
}

// TestRecordWithoutTheEngine: the ledger tells, and what only the engine knows is not guessed.
func TestRecordWithoutTheEngine(t *testing.T) {
	t.Parallel()
	for _, name := range []string{bookID(1), bookURL(1)} {
		got, err := setup(t).planned().engineAway().client.Record(t.Context(), submission, name)
		require.NoError(t, err)
		require.Equal(t, starter.RecordAnswer{
			Submission: submission, Record: bookID(1), Source: "books", Key: bookURL(1), Line: 1, Ground: "ledger",
			Result: &booksRows[0].RecordResult, Notes: []string{aloneNote},
		}, got)
	}
	_, err := setup(t).planned().engineAway().client.Record(t.Context(), submission, bookID(3))
	unknowable(t, err, "the bucket has no manifest")
	tr := setup(t).settled(collection.StateComplete).engineAway()
	_, err = tr.client.Record(t.Context(), submission, bookID(3))
	unknowable(t, err, "its ledger is not in the bucket")
	_, err = starter.New(tr.engine, tr.store, "weir-test", nil).Record(t.Context(), submission, bookURL(3))
	unknowable(t, err, "its ledger is not in the bucket")
	_, err = setup(t).engineAway().client.Record(t.Context(), submission, bookID(1))
	unknowable(t, err, "Temporal")
	_, err = setup(t).planned().engineAway().storeAway().client.Record(t.Context(), submission, bookID(1))
	unknowable(t, err, errDown.Error())

	_, err = whole(setup(t).planned().engineAway()).client.Record(t.Context(), submission, "https://books.example/none")
	require.ErrorIs(t, err, starter.ErrNotFound, "the plan is whole, and has no such row")
}

func TestRecordWithoutTheStore(t *testing.T) {
	t.Parallel()
	tr := setup(t).storeAway()
	tr.knowsRecord(booksRows[0], completed)
	ends(tr, collection.RecordWorkflowID(submission, bookID(1)), booksRows[0].RecordResult, nil)
	got, err := tr.client.Record(t.Context(), submission, bookID(1))
	require.NoError(t, err)
	require.Equal(t, &booksRows[0].RecordResult, got.Result)
	require.Equal(t, []string{"the bucket does not answer; this is what Temporal says"}, got.Notes)
}

// whole stores the part of the ledger that is still missing.
func whole(tr *trial) *trial {
	stores(tr, collection.LedgerKey(submission, "books", 2), collection.LedgerRow{Line: 5, Key: bookURL(3), Source: "books",
		RecordResult: collection.RecordResult{Record: bookID(3), Outcome: collection.OutcomeDelivered}})
	return tr
}

// TestRowsWithoutTheEngine: a ledger that is whole needs no engine, and one that is not is no reason to guess.
func TestRowsWithoutTheEngine(t *testing.T) {
	t.Parallel()
	window := starter.Window{Since: time.Now().Add(-time.Hour), Until: time.Now().Add(time.Hour)}
	for what, ask := range map[string]func(c *starter.Client) error{
		"records": func(c *starter.Client) error {
			for _, err := range c.Records(t.Context(), submission, starter.Filter{}) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"sample": func(c *starter.Client) error {
			_, err := c.Sample(t.Context(), submission, starter.Filter{}, 3, 1)
			return err
		},
		"dead": func(c *starter.Client) error {
			_, err := starter.GroupDead(c.Dead(t.Context(), starter.DeadFilter{Submission: submission}))
			return err
		},
		"promise": func(c *starter.Client) error {
			window.Since = accepted
			_, _, err := c.Waits(t.Context(), window, nil)
			return err
		},
	} {
		tr := whole(setup(t).settled(collection.StateComplete).engineAway())
		require.NoError(t, ask(tr.client), what)
		tr.engine.AssertNotCalled(t, "DescribeWorkflowExecution", mock.Anything, mock.Anything, mock.Anything)
		unknowable(t, ask(setup(t).planned().engineAway().client), "cannot be known now")
	}
	links, err := setup(t).settled(collection.StateComplete).client.Links(t.Context(), submission, time.Hour)
	require.NoError(t, err)
	require.NotEmpty(t, links)
}

// TestExpiredLedgerWithoutTheEngine: rows whose ledger is gone are unknown as before, and say who was not asked.
func TestExpiredLedgerWithoutTheEngine(t *testing.T) {
	t.Parallel()
	tr := setup(t).settled(collection.StateComplete).engineAway()
	var details []string
	for row, err := range tr.client.Records(t.Context(), submission, starter.Filter{Outcome: starter.OutcomeUnknown}) {
		require.NoError(t, err)
		details = append(details, row.Detail)
	}
	require.Equal(t, []string{"its ledger is no longer kept (" + aloneNote + ")"}, details)
	_, err := starter.GroupDead(tr.client.Dead(t.Context(), starter.DeadFilter{Submission: submission}))
	require.ErrorContains(t, err, "list the dead letters", "whether those records are dead is not known")
	_, _, err = tr.client.Waits(t.Context(), starter.Window{Since: accepted, Until: time.Now().Add(time.Hour)}, nil)
	require.NoError(t, err)
}
