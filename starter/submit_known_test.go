package starter_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// TestSubmittedBefore: what runs or has ended well is found, and nothing is uploaded or started.
func TestSubmittedBefore(t *testing.T) {
	t.Parallel()
	for _, status := range []enumspb.WorkflowExecutionStatus{running, paused, completed} {
		tr := setup(t).begunWith(collection.SubmissionInput{Customer: "acme", Upload: "uploads/acme/acme-1/books.csv"})
		tr.knows(status)
		submitted, err := tr.client.Submit(t.Context(), csv(submission))
		require.NoError(t, err)
		require.Equal(t, starter.Submitted{ID: submission, RunID: run, Existing: true}, submitted, status)
		require.Empty(t, tr.store.keys(t, "uploads/"))
	}
}

// begunWith gives the submission's workflow its first event.
func (tr *trial) begunWith(in collection.SubmissionInput) *trial {
	tr.startedWith(submission, in)
	return tr
}

// TestSubmittedBeforeTheEngineForgot: the store remembers.
func TestSubmittedBeforeTheEngineForgot(t *testing.T) {
	t.Parallel()
	for _, state := range []collection.State{collection.StateComplete, collection.StatePartiallyFailed} {
		tr := setup(t).settled(state)
		tr.forgot(submission)
		submitted, err := tr.client.Submit(t.Context(), csv(submission))
		require.NoError(t, err)
		require.Equal(t, starter.Submitted{ID: submission, Existing: true}, submitted, state)
	}
}

// TestStartedAgain: a submission that failed or was stopped may be started again, whoever remembers it.
func TestStartedAgain(t *testing.T) {
	t.Parallel()
	for what, remember := range map[string]func(*trial){
		"failed":                 func(tr *trial) { tr.knows(failed) },
		"cancelled":              func(tr *trial) { tr.settled(collection.StateCancelled).alone().knows(cancelled) },
		"terminated":             func(tr *trial) { tr.planned().alone().knows(terminated) },
		"timed out":              func(tr *trial) { tr.planned().alone().knows(timedOut) },
		"not shipped":            func(tr *trial) { tr.settled(collection.StateComplete).toShip().alone().knows(failed) },
		"forgotten, unsettled":   func(tr *trial) { tr.planned().alone().forgot(submission) },
		"forgotten, cancelled":   func(tr *trial) { tr.settled(collection.StateCancelled).alone().forgot(submission) },
		"forgotten, not shipped": func(tr *trial) { tr.settled(collection.StateComplete).toShip().alone().forgot(submission) },
	} {
		tr := setup(t)
		remember(tr)
		begun := tr.starts(nil)
		submitted, err := tr.client.Submit(t.Context(), csv(submission))
		require.NoError(t, err, what)
		require.Equal(t, starter.Submitted{ID: submission, RunID: run}, submitted, what)
		require.Equal(t, submission, begun.options.ID, what)
	}
}

// alone lets nobody work on the submission besides itself.
func (tr *trial) alone() *trial {
	tr.describes(collection.ReplayWorkflowID(submission), described(collection.WorkflowReplay, completed), nil)
	tr.forgot(collection.RedeliverWorkflowID(submission))
	return tr
}

// TestStandsThoughItFailed: what stands, and where its customer wants it, is not collected again, however its workflow ended.
func TestStandsThoughItFailed(t *testing.T) {
	t.Parallel()
	for _, status := range []enumspb.WorkflowExecutionStatus{failed, terminated, timedOut, cancelled} {
		for _, ships := range []bool{false, true} {
			tr := setup(t).settled(collection.StateComplete)
			if ships {
				tr.toShip()
				stores(tr, collection.ShipmentKey(submission), collection.ShipResult{ManifestSHA256: tr.manifestDigest(t)})
			}
			tr.knows(status)
			submitted, err := tr.client.Submit(t.Context(), csv(submission))
			require.NoError(t, err)
			require.Equal(t, starter.Submitted{ID: submission, Existing: true}, submitted, status)
		}
	}
}

// TestNotStartedBesideAnother: what a replay or a redelivery works on is not started again in its midst.
func TestNotStartedBesideAnother(t *testing.T) {
	t.Parallel()
	replay, redeliver := collection.ReplayWorkflowID(submission), collection.RedeliverWorkflowID(submission)
	for _, forgotten := range []bool{false, true} {
		for busy, quiet := range map[string]string{replay: "", redeliver: replay} {
			tr := setup(t).settled(collection.StateCancelled)
			if forgotten {
				tr.forgot(submission)
			} else {
				tr.knows(cancelled)
			}
			if quiet != "" {
				tr.forgot(quiet)
			}
			tr.describes(busy, described("any", running), nil)
			submitted, err := tr.client.Submit(t.Context(), csv(submission))
			require.ErrorContains(t, err, "submission acme-1 cannot be started again now, the workflow "+busy+" is at work on it")
			require.ErrorContains(t, err, "temporal workflow cancel --workflow-id "+busy)
			require.Zero(t, submitted)
			require.Empty(t, tr.store.keys(t, "uploads/"))
		}
	}
	tr := setup(t).settled(collection.StateCancelled)
	tr.knows(cancelled)
	tr.describes(replay, nil, errDown)
	_, err := tr.client.Submit(t.Context(), csv(submission))
	require.ErrorIs(t, err, errDown)
}

func TestForeignWorkflowOfThatID(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	tr.describes(submission, described("Invoice", running), nil)
	_, err := tr.client.Submit(t.Context(), csv(submission))
	require.ErrorContains(t, err, "acme-1 is taken by a workflow of type Invoice")
	require.Empty(t, tr.store.keys(t, ""))
}

// TestStartedByAnotherMeanwhile: two callers look at the same time, and one of them starts first.
func TestStartedByAnotherMeanwhile(t *testing.T) {
	t.Parallel()
	already := serviceerror.NewWorkflowExecutionAlreadyStarted("already started", "request", run)
	tr := setup(t)
	tr.forgot(submission).Once()
	tr.starts(already)
	tr.begunWith(collection.SubmissionInput{Customer: "acme", Upload: "uploads/acme/acme-1/books.csv"})
	tr.knows(running).Once()
	submitted, err := tr.client.Submit(t.Context(), csv(submission))
	require.NoError(t, err)
	require.Equal(t, starter.Submitted{ID: submission, RunID: run, Existing: true}, submitted)

	tr = setup(t)
	tr.forgot(submission).Once()
	tr.starts(already)
	tr.knows(failed).Once()
	submitted, err = tr.client.Submit(t.Context(), csv(submission))
	require.ErrorContains(t, err, "submit it again", "it is gone, and ours was not started: no success")
	require.Zero(t, submitted)
}

func TestSubmitWithoutAnswers(t *testing.T) {
	t.Parallel()
	down := errors.New("connection refused")

	tr := setup(t)
	tr.describes(submission, nil, down)
	_, err := tr.client.Submit(t.Context(), csv(submission))
	require.ErrorIs(t, err, down)
	require.ErrorContains(t, err, "look for submission acme-1")

	tr = setup(t)
	tr.forgot(submission)
	tr.store.fails[collection.PlanKey(submission)] = down
	_, err = tr.client.Submit(t.Context(), csv(submission))
	require.ErrorIs(t, err, down, "a store that does not answer has not said that there is nothing")

	tr = setup(t)
	tr.forgot(submission)
	tr.starts(down)
	submitted, err := tr.client.Submit(t.Context(), csv(submission))
	require.ErrorIs(t, err, down)
	require.ErrorContains(t, err, "start submission acme-1")
	require.Zero(t, submitted)
}
