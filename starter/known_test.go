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
		tr := setup(t)
		tr.knows(status)
		submitted, err := tr.client.Submit(t.Context(), csv(submission))
		require.NoError(t, err)
		require.Equal(t, starter.Submitted{ID: submission, RunID: run, Existing: true}, submitted, status)
		require.Empty(t, tr.store.keys(t, "uploads/"))
	}
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
		"failed":               func(tr *trial) { tr.knows(failed) },
		"cancelled":            func(tr *trial) { tr.settled(collection.StateCancelled).knows(cancelled) },
		"terminated":           func(tr *trial) { tr.planned().knows(terminated) },
		"timed out":            func(tr *trial) { tr.planned().knows(timedOut) },
		"forgotten, unsettled": func(tr *trial) { tr.planned().forgot(submission) },
		"forgotten, cancelled": func(tr *trial) { tr.settled(collection.StateCancelled).forgot(submission) },
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
