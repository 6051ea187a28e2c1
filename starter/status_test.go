package starter_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/mocks"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// answers lets a worker answer a submission's status query.
func (tr *trial) answers(status collection.SubmissionStatus) {
	value := &mocks.Value{}
	value.On("Get", mock.Anything).Run(func(args mock.Arguments) {
		*args.Get(0).(*collection.SubmissionStatus) = status
	}).Return(nil)
	tr.engine.On("QueryWorkflow", mock.Anything, submission, "", collection.QueryStatus).Return(value, nil).Once()
}

// silent lets no worker answer: the engine waits for one until the caller gives up.
func (tr *trial) silent() {
	tr.engine.On("QueryWorkflow", mock.Anything, submission, "", collection.QueryStatus).Return(
		func(ctx context.Context, _, _, _ string, _ ...any) (converter.EncodedValue, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
}

func TestStatusOfARunningSubmission(t *testing.T) {
	t.Parallel()
	for _, status := range []enumspb.WorkflowExecutionStatus{running, paused} {
		tr := setup(t)
		tr.knows(status)
		want := collection.SubmissionStatus{Submission: submission, Customer: "acme", State: collection.StateProcessing, Stage: "collect", Expected: 6}
		tr.answers(want)
		got, err := tr.client.Status(t.Context(), submission)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Empty(t, tr.store.reads, "the store is not needed")
	}
}

func TestStatusWithoutAWorker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := setup(t)
		tr.knows(running)
		tr.silent()
		tr.remembers(nil, nil)
		before := time.Now()
		got, err := tr.client.Status(t.Context(), submission)
		require.NoError(t, err)
		require.LessOrEqual(t, time.Since(before), 5*time.Second, "a person waits for it")
		require.Equal(t, collection.SubmissionStatus{
			Submission: submission, State: collection.StateAccepted, Outcomes: collection.Tally{}, Notes: got.Notes,
		}, got)
		require.Len(t, got.Notes, 1)
		require.Contains(t, got.Notes[0], "no worker answers")
	})
}

// TestStatusOfASettledSubmission: its manifest tells, whether or not the engine still knows it.
func TestStatusOfASettledSubmission(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		state    collection.State
		remember func(*trial)
	}{
		"completed": {collection.StatePartiallyFailed, func(tr *trial) { tr.knows(completed) }},
		"cancelled": {collection.StateCancelled, func(tr *trial) { tr.knows(cancelled) }},
		"forgotten": {collection.StateComplete, func(tr *trial) { tr.forgot(submission) }},
	} {
		tr := setup(t).settled(c.state)
		c.remember(tr)
		got, err := tr.client.Status(t.Context(), submission)
		require.NoError(t, err, what)
		info, err := tr.store.Head(t.Context(), collection.ManifestKey("acme", submission))
		require.NoError(t, err)
		require.Equal(t, collection.SubmissionStatus{
			Submission: submission, Customer: "acme", State: c.state, Lane: collection.LaneNormal, AcceptedAt: accepted,
			Expected: 6, Outcomes: manifest.Outcomes, Notes: plan.Notes,
			Sources: []collection.SourceProgress{{Source: "books", Records: 3, Released: 3, Outcomes: manifest.Sources[0].Outcomes}},
			Result: &collection.SubmissionResult{
				State: c.state, Expected: 6, Outcomes: manifest.Outcomes,
				Manifest: info.Key, ManifestSHA256: info.SHA256,
			},
		}, got, what)
	}
}

// TestStatusWithoutADelivery: a customer may delete a delivery, and the plan may be deleted with the ledger; how the
// submission ended is known as long as the engine knows it.
func TestStatusWithoutADelivery(t *testing.T) {
	t.Parallel()
	result := collection.SubmissionResult{State: collection.StateComplete, Expected: 6, Outcomes: manifest.Outcomes, Manifest: "m", ManifestSHA256: "d"}
	for what, stored := range map[string]func(*trial){
		"no manifest": func(tr *trial) { tr.planned() },
		"no plan":     func(*trial) {},
	} {
		tr := setup(t)
		stored(tr)
		tr.knows(completed)
		ends(tr, submission, result, nil)
		got, err := tr.client.Status(t.Context(), submission)
		require.NoError(t, err, what)
		require.Equal(t, collection.SubmissionStatus{
			Submission: submission, Customer: "acme", State: collection.StateComplete, AcceptedAt: accepted,
			Expected: 6, Outcomes: manifest.Outcomes, Result: &result,
		}, got, what)

		tr = setup(t)
		stored(tr)
		tr.knows(cancelled)
		stopped := result
		stopped.State = collection.StateCancelled
		ends(tr, submission, collection.SubmissionResult{}, ended(temporal.NewCanceledError(stopped)))
		got, err = tr.client.Status(t.Context(), submission)
		require.NoError(t, err, what)
		require.Equal(t, collection.StateCancelled, got.State, what)
		require.Equal(t, &stopped, got.Result, what)
	}
}

// TestStatusOfAnEndWithoutAResult covers every way for a workflow to end without one.
func TestStatusOfAnEndWithoutAResult(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		status enumspb.WorkflowExecutionStatus
		err    error
		state  collection.State
		reason collection.Reason
		detail string
	}{
		"failed": {
			failed, temporal.NewNonRetryableApplicationError("the file is not there", string(collection.ReasonUploadMissing), nil),
			collection.StateFailed, collection.ReasonUploadMissing, "the file is not there",
		},
		"terminated": {terminated, &temporal.TerminatedError{}, collection.StateFailed, collection.ReasonTerminated, "was terminated"},
		"timed out": {
			timedOut, temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_START_TO_CLOSE, nil),
			collection.StateFailed, collection.ReasonInternal, "timeout",
		},
		"cancelled": {cancelled, temporal.NewCanceledError(), collection.StateCancelled, collection.ReasonCancelled, "before anything was collected"},
	} {
		// Cancelled while the plan was written, a submission has a plan and will never have a manifest.
		for _, planned := range []bool{false, true} {
			tr := setup(t)
			if planned {
				tr.planned()
			}
			tr.knows(c.status)
			ends(tr, submission, collection.SubmissionResult{}, ended(c.err))
			got, err := tr.client.Status(t.Context(), submission)
			require.NoError(t, err, what)
			require.Contains(t, got.Detail, c.detail, what)
			require.Equal(t, collection.SubmissionStatus{
				Submission: submission, Customer: "acme", State: c.state, AcceptedAt: accepted,
				Outcomes: collection.Tally{}, Reason: c.reason, Detail: got.Detail,
			}, got, what)
		}
	}
}

// TestStatusIsNotGuessed: who could not be asked has not said that the submission failed.
func TestStatusIsNotGuessed(t *testing.T) {
	t.Parallel()
	down := errors.New("connection refused")

	tr := setup(t)
	tr.knows(failed)
	ends(tr, submission, collection.SubmissionResult{}, down)
	_, err := tr.client.Status(t.Context(), submission)
	require.ErrorIs(t, err, down)
	require.ErrorContains(t, err, "ask how submission acme-1 ended")

	tr = setup(t)
	tr.describes(submission, nil, down)
	_, err = tr.client.Status(t.Context(), submission)
	require.ErrorIs(t, err, down)
	require.NotErrorIs(t, err, starter.ErrNotFound)

	for _, key := range []string{collection.PlanKey(submission), collection.ManifestKey("acme", submission)} {
		tr = setup(t).settled(collection.StateComplete)
		tr.knows(completed)
		tr.store.fails[key] = down
		_, err = tr.client.Status(t.Context(), submission)
		require.ErrorIs(t, err, down, key)
	}
}

func TestStatusOfWhatIsThereNot(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	tr.forgot("nothing")
	_, err := tr.client.Status(t.Context(), "nothing")
	require.ErrorIs(t, err, starter.ErrNotFound)
	require.ErrorContains(t, err, "there is no submission nothing")

	tr.describes("acme-1/books/1", described(collection.WorkflowBatch, running), nil)
	_, err = tr.client.Status(t.Context(), "acme-1/books/1")
	require.ErrorIs(t, err, starter.ErrNotFound)
	require.ErrorContains(t, err, "is a workflow of type Batch, not a submission")

	tr.forgot("no/id")
	_, err = tr.client.Status(t.Context(), "no/id")
	require.ErrorContains(t, err, `submission id "no/id"`)
}

// TestStatusOfAnUnsettledSubmission: the engine has lost it, so nobody will settle it.
func TestStatusOfAnUnsettledSubmission(t *testing.T) {
	t.Parallel()
	tr := setup(t).planned()
	tr.forgot(submission)
	got, err := tr.client.Status(t.Context(), submission)
	require.NoError(t, err)
	require.Equal(t, collection.StateProcessing, got.State)
	require.Nil(t, got.Result)
	require.Len(t, got.Notes, 2)
	require.Equal(t, plan.Notes[0], got.Notes[0])
	require.Contains(t, got.Notes[1], "start it again under the same id")
}

// TestCustomerWithoutSearchAttribute: a submission that another client has started carries none before its first task.
func TestCustomerWithoutSearchAttribute(t *testing.T) {
	t.Parallel()
	for want, stored := range map[string]func(*trial){"acme": func(tr *trial) { tr.planned() }, "": func(*trial) {}} {
		tr := setup(t)
		stored(tr)
		tr.describes(submission, described(collection.WorkflowSubmission, terminated), nil)
		ends(tr, submission, collection.SubmissionResult{}, ended(&temporal.TerminatedError{}))
		got, err := tr.client.Status(t.Context(), submission)
		require.NoError(t, err)
		require.Equal(t, want, got.Customer)
	}
}

func TestDamagedDocuments(t *testing.T) {
	t.Parallel()
	for _, key := range []string{collection.PlanKey(submission), collection.ManifestKey("acme", submission)} {
		tr := setup(t).settled(collection.StateComplete)
		tr.forgot(submission)
		stores(tr, key, "not an object")
		_, err := tr.client.Status(t.Context(), submission)
		require.Error(t, err, key)
		require.NotErrorIs(t, err, starter.ErrNotFound, key)
	}
}
