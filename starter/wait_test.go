package starter_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

var errDown = errors.New("connection refused")

// at is a status on the way.
func at(stage string, state collection.State) collection.SubmissionStatus {
	return collection.SubmissionStatus{Submission: submission, State: state, Stage: stage}
}

// waited runs Wait on a clock of its own, and tells how long it took and what it told.
func waited(t *testing.T, ctx context.Context, tr *trial) (last collection.SubmissionStatus, told []collection.State, took time.Duration, err error) {
	t.Helper()
	began := time.Now()
	last, err = tr.client.Wait(ctx, submission, func(s collection.SubmissionStatus) { told = append(told, s.State) })
	return last, told, time.Since(began), err
}

func TestWaitToTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := setup(t).settled(collection.StatePartiallyFailed)
		tr.knows(running).Times(3)
		tr.answers(at("plan", collection.StateAccepted))
		tr.answers(at("collect", collection.StateProcessing))
		tr.answers(at("settle", collection.StateProcessing))
		tr.knows(completed).Once()
		last, told, took, err := waited(t, t.Context(), tr)
		require.NoError(t, err)
		require.Equal(t, []collection.State{
			collection.StateAccepted, collection.StateProcessing, collection.StateProcessing, collection.StatePartiallyFailed,
		}, told)
		require.Equal(t, collection.StatePartiallyFailed, last.State)
		require.NotNil(t, last.Result)
		require.Equal(t, 3*time.Second, took)
	})
}

// TestWaitEndsWithTheLastWord: the workflow has settled, and closes in a moment.
func TestWaitEndsWithTheLastWord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := setup(t)
		tr.knows(running)
		tr.answers(at("settle", collection.StateComplete))
		tr.answers(at("", collection.StateComplete))
		last, err := tr.client.Wait(t.Context(), submission, nil)
		require.NoError(t, err, "without anybody to tell, too")
		require.Equal(t, collection.StateComplete, last.State)
		require.Empty(t, last.Stage)
	})
}

// TestWaitForAFailure: that a submission failed is an answer, not an error.
func TestWaitForAFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			status enumspb.WorkflowExecutionStatus
			cause  error
			state  collection.State
		}{
			{terminated, &temporal.TerminatedError{}, collection.StateFailed},
			{cancelled, temporal.NewCanceledError(), collection.StateCancelled},
		} {
			tr := setup(t).planned()
			tr.knows(c.status)
			ends(tr, submission, collection.SubmissionResult{}, ended(c.cause))
			last, _, took, err := waited(t, t.Context(), tr)
			require.NoError(t, err)
			require.Equal(t, c.state, last.State)
			require.Zero(t, took)
		}
	})
}

// TestWaitThroughAnOutage: a restart of the engine or the store does not end a wait, and neither do several.
func TestWaitThroughAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := setup(t).settled(collection.StateComplete)
		for range 2 {
			tr.knows(running).Once()
			tr.answers(at("collect", collection.StateProcessing))
			tr.describes(submission, nil, errDown).Times(60)
		}
		tr.knows(completed).Once()
		last, told, took, err := waited(t, t.Context(), tr)
		require.NoError(t, err)
		require.Equal(t, collection.StateComplete, last.State)
		require.Len(t, told, 3, "an outage is no progress")
		require.Equal(t, 122*time.Second, took)
	})
}

func TestWaitLosesPatience(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := setup(t)
		tr.knows(running).Once()
		tr.answers(at("collect", collection.StateProcessing))
		tr.describes(submission, nil, errDown)
		last, _, took, err := waited(t, t.Context(), tr)
		require.ErrorIs(t, err, errDown)
		require.Equal(t, at("collect", collection.StateProcessing), last, "the last that was known")
		require.Equal(t, 61*time.Second, took)

		// From the start on, too.
		tr = setup(t)
		tr.describes(submission, nil, errDown)
		_, told, took, err := waited(t, t.Context(), tr)
		require.ErrorIs(t, err, errDown)
		require.Empty(t, told)
		require.Equal(t, 61*time.Second, took)
	})
}

func TestWaitForNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := setup(t)
		tr.forgot(submission)
		_, _, took, err := waited(t, t.Context(), tr)
		require.ErrorIs(t, err, starter.ErrNotFound)
		require.Zero(t, took)
	})
}

// TestWaitForWhatNobodyRuns: what the engine has lost before it was settled would never end.
func TestWaitForWhatNobodyRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := setup(t).planned()
		tr.forgot(submission)
		last, told, _, err := waited(t, t.Context(), tr)
		require.ErrorContains(t, err, "submit it again under the same id")
		require.Equal(t, collection.StateProcessing, last.State)
		require.Len(t, told, 1)
	})
}

func TestWaitIsStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := setup(t)
		tr.knows(running)
		for range 3 {
			tr.answers(at("collect", collection.StateProcessing))
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		last, told, took, err := waited(t, ctx, tr)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "wait for submission acme-1")
		require.Equal(t, "collect", last.Stage)
		require.Len(t, told, 3)
		require.Equal(t, 2500*time.Millisecond, took)
	})
}
