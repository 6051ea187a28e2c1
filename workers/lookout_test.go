package workers

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/mocks"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
)

// ran is a workflow that has ended.
func ran(run string, ended time.Time) *workflowpb.WorkflowExecutionInfo {
	return &workflowpb.WorkflowExecutionInfo{
		Execution: &commonpb.WorkflowExecution{WorkflowId: "weir/sweep", RunId: run}, CloseTime: timestamppb.New(ended),
		Status: enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED,
	}
}

// TestLookoutShowsTheLatest run's result, and reads it once.
func TestLookoutShowsTheLatest(t *testing.T) {
	t.Parallel()
	now := time.Now()
	engine := &mocks.Client{}
	engine.On("ListWorkflow", mock.Anything, mock.MatchedBy(func(r *workflowservice.ListWorkflowExecutionsRequest) bool {
		return r.GetQuery() == `WorkflowType="Janitor" AND ExecutionStatus="Completed"`
	})).Return(&workflowservice.ListWorkflowExecutionsResponse{Executions: []*workflowpb.WorkflowExecutionInfo{
		ran("plan", now), ran("older", now.Add(-2*time.Hour)), ran("real", now.Add(-time.Hour)),
	}}, nil)
	for run, result := range map[string]collection.JanitorResult{
		"plan": {DryRun: true}, "real": {EndedAt: now}, "older": {},
	} {
		ended := &mocks.WorkflowRun{}
		ended.On("Get", mock.Anything, mock.Anything).Run(func(args mock.Arguments) {
			*args.Get(1).(*collection.JanitorResult) = result
		}).Return(nil)
		engine.On("GetWorkflow", mock.Anything, "weir/sweep", run).Return(ended)
	}
	var shown []collection.JanitorResult
	l := &lookout{watch: watch{engine: engine, namespace: "default"}, logger: slog.New(slog.DiscardHandler), seen: map[string]string{}}
	for range 2 {
		require.NoError(t, latest(t.Context(), l, collection.WorkflowJanitor,
			func(r collection.JanitorResult) bool { return !r.DryRun }, func(r collection.JanitorResult) { shown = append(shown, r) }))
	}
	require.Equal(t, []collection.JanitorResult{{EndedAt: now}}, shown, "not the dry run, and not twice")
	engine.AssertNotCalled(t, "GetWorkflow", mock.Anything, "weir/sweep", "older")
}

func TestWatchKnowsWhatIsGone(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, unknown(serviceerror.NewNotFound("no such workflow")), activities.ErrUnknownToEngine)
	require.NotErrorIs(t, unknown(serviceerror.NewUnavailable("later")), activities.ErrUnknownToEngine)
	require.NoError(t, unknown(nil))
}

// TestOpenAsksByName: a submission, its replay and its redelivery, and whatever else runs below it; an engine that does not answer is no
// leave to delete.
func TestOpenAsksByName(t *testing.T) {
	t.Parallel()
	ask := func(running map[string]bool, below int64, failure error) (bool, error) {
		engine := &mocks.Client{}
		for _, id := range []string{"s1", collection.ReplayWorkflowID("s1"), collection.RedeliverWorkflowID("s1")} {
			info := ran("r", time.Now())
			if running[id] {
				info.Status = enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
			}
			engine.On("DescribeWorkflowExecution", mock.Anything, id, "").Return(
				&workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: info}, failure).Maybe()
		}
		engine.On("CountWorkflow", mock.Anything, mock.Anything).Return(&workflowservice.CountWorkflowExecutionsResponse{Count: below}, nil).Maybe()
		return watch{engine: engine}.Open(t.Context(), "s1")
	}
	for _, c := range []struct {
		running map[string]bool
		below   int64
		failure error
		open    bool
	}{
		{nil, 0, nil, false},
		{map[string]bool{"s1": true}, 0, nil, true},
		{map[string]bool{"s1/replay": true}, 0, nil, true},
		{map[string]bool{"s1/redeliver": true}, 0, nil, true},
		{nil, 2, nil, true},
		{nil, 0, serviceerror.NewNotFound("forgotten"), false},
	} {
		open, err := ask(c.running, c.below, c.failure)
		require.NoError(t, err)
		require.Equal(t, c.open, open, "%+v", c)
	}
	open, err := ask(nil, 0, serviceerror.NewUnavailable("later"))
	require.Error(t, err)
	require.True(t, open)
}
