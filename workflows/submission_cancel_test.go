package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/workflows"
)

// TestSubmissionIsCancelledWhileItCollects: the running batch ends with what it has, no other one is started, and what
// there is is settled.
func TestSubmissionIsCancelledWhileItCollects(t *testing.T) {
	t.Parallel()
	e := newSubmissionEngine(t, planOf(map[string]int{"books": 2, "films": 2}))
	e.batch = func(ctx workflow.Context, in collection.BatchInput) (collection.BatchResult, error) {
		if workflow.Sleep(ctx, time.Hour) == nil {
			return allDelivered(in), nil
		}
		free, _ := workflow.NewDisconnectedContext(ctx)
		require.NoError(t, workflow.Sleep(free, 10*time.Minute), "a cancelled batch takes its time to write its ledger")
		if in.Source == "films" {
			return collection.BatchResult{}, temporal.NewCanceledError() // not even loaded
		}
		return collection.BatchResult{}, temporal.NewCanceledError(collection.BatchResult{Outcomes: collection.Tally{
			{Outcome: collection.OutcomeCancelled, Reason: collection.ReasonCancelled, Records: 6},
			{Outcome: collection.OutcomeDelivered, Records: 4},
		}})
	}
	stopped := settled
	stopped.State = collection.StateCancelled
	e.settle = func(in collection.SettleInput) (collection.SettleResult, error) {
		require.Equal(t, collection.SettleInput{Submission: "s", Customer: "acme", Cancelled: true}, in)
		got := status[collection.SubmissionStatus](e)
		require.Equal(t, "settle", got.Stage)
		require.Equal(t, 10, got.Sources[0].Outcomes.Total(), "the details of the batch's cancellation")
		return stopped, nil
	}
	e.cancelAt(30 * time.Minute)
	e.ExecuteWorkflow(workflows.Submission, submissionInput())
	require.Equal(t, stopped, cancelled[collection.SubmissionResult](e))
	require.Len(t, e.children, 2)
	require.Equal(t, collection.StateCancelled, status[collection.SubmissionStatus](e).State)
	require.Empty(t, e.reasons)
}

func TestSubmissionIsCancelledWhileItIsPlanned(t *testing.T) {
	t.Parallel()
	e := newSubmissionEngine(t, planOf(map[string]int{"books": 1}))
	takes(e, collection.ActivityPlan, time.Hour, &e.plan)
	e.settle = nil
	e.cancelAt(time.Minute)
	e.ExecuteWorkflow(workflows.Submission, submissionInput())
	require.True(t, e.IsWorkflowCompleted())
	var err *temporal.CanceledError
	require.ErrorAs(t, e.GetWorkflowError(), &err)
	require.Equal(t, collection.StateCancelled, status[collection.SubmissionStatus](e).State)
	require.Empty(t, e.children)
}

// TestSubmissionCannotBeCancelledOnceItSettles: nothing is left to stop, and the manifest already says how it ended.
func TestSubmissionCannotBeCancelledOnceItSettles(t *testing.T) {
	t.Parallel()
	e := newSubmissionEngine(t, planOf(map[string]int{"books": 1}))
	takes(e, collection.ActivitySettle, time.Hour, &e.settle)
	e.cancelAt(90 * time.Minute)
	e.ExecuteWorkflow(workflows.Submission, submissionInput())
	require.Equal(t, settled, result[collection.SubmissionResult](e))
}

// TestSubmissionTellsItsStatusAtEveryStage asks in the middle of each.
func TestSubmissionTellsItsStatusAtEveryStage(t *testing.T) {
	t.Parallel()
	plan := planOf(map[string]int{"books": 2})
	plan.Notes = []string{"the normal lane"}
	e := newSubmissionEngine(t, plan)
	takes(e, collection.ActivityPlan, time.Hour, &e.plan)
	takes(e, collection.ActivitySettle, time.Hour, &e.settle)
	some := collection.Tally{{Outcome: collection.OutcomeDelivered, Records: 7}}
	e.batch = func(ctx workflow.Context, in collection.BatchInput) (collection.BatchResult, error) {
		require.NoError(t, reportTo(ctx, in, 8, some))
		// A report that comes late is stale, and one of another source's is not ours.
		require.NoError(t, reportTo(ctx, in, 5, nil))
		require.NoError(t, reportTo(ctx, collection.BatchInput{Submission: "s", Source: "films", Number: 1}, 9, nil))
		require.NoError(t, workflow.Sleep(ctx, time.Hour))
		return allDelivered(in), nil
	}
	rejected := plan.Rejected
	base := collection.SubmissionStatus{Submission: "s", Customer: "acme", AcceptedAt: acceptedAt}
	e.at(30*time.Minute, func() {
		want := base
		want.State, want.Stage, want.Outcomes = collection.StateAccepted, "plan", collection.Tally{}
		require.Equal(t, want, status[collection.SubmissionStatus](e))
	})
	e.at(90*time.Minute, func() {
		want := base
		want.Lane, want.Expected, want.Notes = plan.Lane, plan.Expected, plan.Notes
		want.State, want.Stage = collection.StateProcessing, "collect"
		want.Sources = []collection.SourceProgress{{Source: "books", Records: 20, Released: 8, Outcomes: some}}
		want.Outcomes.Merge(rejected)
		want.Outcomes.Merge(some)
		require.Equal(t, want, status[collection.SubmissionStatus](e))
	})
	e.at(150*time.Minute, func() {
		got := status[collection.SubmissionStatus](e).Sources[0]
		require.Equal(t, 18, got.Released, "one batch has ended, the next has released eight")
		require.Equal(t, 17, got.Outcomes.Total())
	})
	e.at(210*time.Minute, func() {
		got := status[collection.SubmissionStatus](e)
		require.Equal(t, "settle", got.Stage)
		require.Equal(t, collection.StateProcessing, got.State)
		require.Equal(t, 20+rejected.Total(), got.Outcomes.Total())
	})
	e.ExecuteWorkflow(workflows.Submission, submissionInput())
	require.Equal(t, settled, result[collection.SubmissionResult](e))
}
