package starter_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/promise"
	"github.com/weir-collect/weir/starter"
)

// again is when the id is used once more: plan and ledger of its first submission have expired, and its results are kept.
var again = accepted.Add(101 * 24 * time.Hour)

// secondLife stores the delivery of a submission whose plan has expired, and the plan of the one that has its id now: no batch
// of it has ended yet.
func (tr *trial) secondLife() *trial {
	old := manifest
	old.State = collection.StateComplete
	stores(tr, collection.ManifestKey("acme", submission), old)
	p := plan
	p.AcceptedAt, p.RejectedParts = again, 0
	stores(tr, collection.PlanKey(submission), p)
	stores(tr, collection.BatchKey(submission, "books", 1), collection.Record{ID: bookID(1)}, collection.Record{ID: bookID(2)})
	stores(tr, collection.BatchKey(submission, "books", 2), running3)
	stores(tr, collection.BatchKey(submission, "films", 1), collection.Record{ID: filmsRows[0].Record})
	return tr
}

// TestStatusOfASecondLife: the delivery of a submission that had the id before says nothing of the one that has it now,
// however that stands.
func TestStatusOfASecondLife(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		remember func(tr *trial)
		state    collection.State
		reason   collection.Reason
		note     string
	}{
		"running": {func(tr *trial) {
			tr.knows(running)
			tr.answers(at("collect", collection.StateProcessing))
		}, collection.StateProcessing, "", ""},
		"terminated": {func(tr *trial) {
			tr.knows(terminated)
			ends(tr, submission, collection.SubmissionResult{}, ended(&temporal.TerminatedError{}))
		}, collection.StateFailed, collection.ReasonTerminated, ""},
		"failed": {func(tr *trial) {
			tr.knows(failed)
			ends(tr, submission, collection.SubmissionResult{},
				ended(temporal.NewNonRetryableApplicationError("the books do not balance", string(collection.ReasonInternal), nil)))
		}, collection.StateFailed, collection.ReasonInternal, ""},
		"forgotten": {func(tr *trial) { tr.forgot(submission) }, collection.StateProcessing, "",
			"no manifest of it (results/acme/acme-1/manifest.json is that of a submission before under the same id, accepted at 2026-03-01T10:00:00Z)"},
		"settled": {func(tr *trial) {
			tr.knows(completed)
			own := manifest
			own.AcceptedAt = again
			stores(tr, collection.ManifestKey("acme", submission), own)
		}, collection.StatePartiallyFailed, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := setup(t).secondLife()
			c.remember(tr)
			got, err := tr.client.Status(t.Context(), submission)
			require.NoError(t, err)
			require.Equal(t, c.state, got.State)
			require.Equal(t, c.reason, got.Reason)
			require.Equal(t, name == "settled", got.Result != nil)
			if c.note != "" {
				require.Contains(t, got.Notes[len(got.Notes)-1], c.note)
				require.Contains(t, got.Notes[len(got.Notes)-1], "start it again under the same id")
			}
		})
	}
	_, err := setup(t).secondLife().engineAway().client.Status(t.Context(), submission)
	unknowable(t, err, "no manifest, as of one that is under way")
}

// TestStatusBetweenTwoLives: where the plan has expired, the delivery alone is no submission.
func TestStatusBetweenTwoLives(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	stores(tr, collection.ManifestKey("acme", submission), manifest)
	tr.forgot(submission)
	_, err := tr.client.Status(t.Context(), submission)
	require.ErrorIs(t, err, starter.ErrNotFound)

	tr = setup(t)
	stores(tr, collection.ManifestKey("acme", submission), manifest)
	tr.knows(completed)
	result := collection.SubmissionResult{State: collection.StateComplete, Expected: 6}
	ends(tr, submission, result, nil)
	got, err := tr.client.Status(t.Context(), submission)
	require.NoError(t, err)
	require.Equal(t, &result, got.Result, "as long as the engine remembers its end")
}

// TestSubmitInASecondLife: what nobody has collected is collected, though there is a delivery of that id.
func TestSubmitInASecondLife(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(tr *trial){
		"its plan has expired": func(tr *trial) {
			stores(tr, collection.ManifestKey("acme", submission), manifest)
			tr.forgot(submission)
		},
		"its second run was terminated": func(tr *trial) { tr.secondLife().alone().knows(terminated) },
		"its second run failed":         func(tr *trial) { tr.secondLife().alone().knows(failed) },
		"its second run is forgotten":   func(tr *trial) { tr.secondLife().alone().forgot(submission) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := setup(t)
			prepare(tr)
			begun := tr.starts(nil)
			submitted, err := tr.client.Submit(t.Context(), csv(submission))
			require.NoError(t, err)
			require.Equal(t, starter.Submitted{ID: submission, RunID: run}, submitted)
			require.Equal(t, submission, begun.options.ID)
		})
	}
}

// TestNoDeliveryInASecondLife: nobody gets the links of another submission's delivery, or replays it.
func TestNoDeliveryInASecondLife(t *testing.T) {
	t.Parallel()
	tr := setup(t).secondLife()
	links, err := tr.client.Links(t.Context(), submission, hour)
	require.ErrorIs(t, err, starter.ErrNotFound)
	require.ErrorContains(t, err, "submission acme-1 has no delivery yet")
	require.Empty(t, links)

	tr.knows(running).Times(2)
	require.ErrorIs(t, tr.client.Replayable(t.Context(), submission), starter.ErrNotSettled)
	_, err = tr.client.Replay(t.Context(), collection.ReplayInput{Submission: submission})
	require.ErrorIs(t, err, starter.ErrNotSettled)

	// A delivery that is made again is that of the submission as it has ended, and not as the one before had.
	tr.knows(cancelled)
	ends(tr, submission, collection.SubmissionResult{}, ended(temporal.NewCanceledError()))
	_, in := tr.redelivers(collection.RedeliverResult{}, nil)
	_, err = tr.client.Redeliver(t.Context(), submission, "")
	require.NoError(t, err)
	require.True(t, in.Cancelled)
}

// TestRowsOfASecondLife: records, samples and waits are told as of a submission that has no manifest.
func TestRowsOfASecondLife(t *testing.T) {
	t.Parallel()
	tr := setup(t).secondLife()
	tr.engine.On("DescribeWorkflowExecution", mock.Anything, mock.Anything, "").Return(nil, errUnknown)
	sample, err := tr.client.Sample(t.Context(), submission, starter.Filter{}, 10, 1)
	require.NoError(t, err)
	require.Equal(t, 4, sample.Of)
	for _, row := range sample.Rows {
		require.Equal(t, starter.OutcomeUnknown, row.Outcome)
		require.Contains(t, row.Detail, "the submission ended before this record's batch had written its ledger")
	}

	p := newPast(t)
	life := p.submitted("a-1", "acme", 0, pending(7))
	stores(p.trial, collection.ManifestKey("acme", "a-1"), collection.Manifest{Submission: "a-1", AcceptedAt: life.AcceptedAt.Add(-101 * 24 * time.Hour)})
	p.trial.forgot("a-1")
	book, _, err := p.client.Waits(t.Context(), window(0, time.Hour), nil)
	require.NoError(t, err)
	line := book.Report(promise.Terms{Within: time.Minute, Share: 0.9}).All
	require.Equal(t, 7, line.NeverStarted, "nobody has settled them")
	require.Zero(t, line.Unknown)
}

// TestDeadOfASecondLife: the manifest of before does not say that what has failed since is no dead letter.
func TestDeadOfASecondLife(t *testing.T) {
	t.Parallel()
	runs := []*workflowpb.WorkflowExecutionInfo{failedRun(submission+"/"+bookID(2), "books", collection.ReasonParseEmpty, again)}
	for name, prepare := range map[string]func(tr *trial){
		"planned": func(tr *trial) {
			tr.secondLife()
			// A late row of another run: nothing but a settlement makes the ledger the last word.
			delivered := booksRows[1]
			delivered.Outcome, delivered.Reason = collection.OutcomeDelivered, ""
			stores(tr, collection.LedgerKey(submission, "books", 1), booksRows[0], delivered)
		},
		"not planned yet": func(tr *trial) {
			stores(tr, collection.ManifestKey("acme", submission), manifest)
			tr.knows(running)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := setup(t)
			prepare(tr)
			tr.lists(allFailed, runs)
			got := dead(t, tr, starter.DeadFilter{})
			require.Len(t, got, 1)
			require.Equal(t, "engine", got[0].Ground)
			require.Empty(t, got[0].Note)
		})
	}
}
