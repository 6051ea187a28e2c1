package starter_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// pollers answers for task queues: those that are polled.
type pollers struct {
	workflowservice.WorkflowServiceClient
	polled map[string]bool
	err    error
}

func (p pollers) DescribeTaskQueue(_ context.Context, in *workflowservice.DescribeTaskQueueRequest, _ ...grpc.CallOption) (*workflowservice.DescribeTaskQueueResponse, error) {
	answer := &workflowservice.DescribeTaskQueueResponse{}
	if p.polled[in.GetTaskQueue().GetName()] {
		answer.Pollers = []*taskqueuepb.PollerInfo{{LastAccessTime: timestamppb.Now()}}
	}
	return answer, p.err
}

func TestUnattended(t *testing.T) {
	t.Parallel()
	lies := func(age time.Duration, state enumspb.PendingWorkflowTaskState) *description {
		d := described(collection.WorkflowSweep, running)
		d.WorkflowExecutionInfo.TaskQueue = collection.QueueFleet
		d.PendingWorkflowTask = &workflowpb.PendingWorkflowTaskInfo{State: state, ScheduledTime: timestamppb.New(time.Now().Add(-age))}
		return d
	}
	const scheduled, started = enumspb.PENDING_WORKFLOW_TASK_STATE_SCHEDULED, enumspb.PENDING_WORKFLOW_TASK_STATE_STARTED
	polled := map[string]bool{collection.QueueFleet: true, collection.QueuePlan: true}
	for name, c := range map[string]struct {
		described *description
		err       error
		roles     []collection.Role
		want      []collection.Role
	}{
		"somebody works":           {described(collection.WorkflowSweep, running), nil, []collection.Role{collection.RoleFleet, collection.RolePlan}, nil},
		"nobody polls":             {described(collection.WorkflowSweep, running), nil, []collection.Role{collection.RoleFleet, collection.RoleParse}, []collection.Role{collection.RoleParse}},
		"it is not there yet":      {nil, errUnknown, []collection.Role{collection.RoleDeliver}, []collection.Role{collection.RoleDeliver}},
		"a poller that is gone":    {lies(time.Minute, scheduled), nil, []collection.Role{collection.RoleFleet}, []collection.Role{collection.RoleFleet}},
		"it was only just told":    {lies(-time.Hour, scheduled), nil, []collection.Role{collection.RoleFleet}, nil},
		"somebody is at work":      {lies(time.Minute, started), nil, []collection.Role{collection.RoleFleet}, nil},
		"collect has none of them": {lies(time.Minute, scheduled), nil, []collection.Role{collection.RoleCollect}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := setup(t)
			tr.describes("weir/x", c.described, c.err)
			tr.engine.On("WorkflowService").Return(pollers{polled: polled}).Maybe()
			got, err := tr.client.Unattended(t.Context(), "weir/x", c.roles...)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
	tr := setup(t)
	tr.describes("weir/x", nil, errUnknown)
	tr.engine.On("WorkflowService").Return(pollers{err: errDown})
	_, err := tr.client.Unattended(t.Context(), "weir/x", collection.RolePlan)
	require.ErrorIs(t, err, errDown)
}

func TestNoWorker(t *testing.T) {
	t.Parallel()
	require.Equal(t, "no worker answers: is a worker with the role fleet running?", starter.NoWorker(collection.RoleFleet))
	require.Equal(t, "no worker answers: is a worker with the roles workflows, plan and parse running?",
		starter.NoWorker(collection.RoleWorkflows, collection.RolePlan, collection.RoleParse))
}

// TestStatusOfWhatIsCancelled: a cancellation that waits for a worker is told, though nothing has come of it yet.
func TestStatusOfWhatIsCancelled(t *testing.T) {
	t.Parallel()
	for asked, count := range map[bool]int{true: 1, false: 0} {
		tr := setup(t)
		tr.engine.On("WorkflowService").Return(wished{}).Maybe()
		d := described(collection.WorkflowSubmission, running)
		d.WorkflowExtendedInfo = &workflowpb.WorkflowExecutionExtendedInfo{CancelRequested: asked}
		tr.describes(submission, d, nil)
		tr.answers(collection.SubmissionStatus{Submission: submission, State: collection.StateProcessing})
		status, err := tr.client.Status(t.Context(), submission)
		require.NoError(t, err)
		require.Len(t, status.Notes, count)
		if asked {
			require.Equal(t, "somebody has cancelled it: it is stopping", status.Notes[0])
			require.Equal(t, &collection.CancelRequest{By: "weir@vm:1", Reason: "wrong file", At: accepted}, status.Cancelled)
		} else {
			require.Nil(t, status.Cancelled)
		}
	}
}

// wished is a history that ends with a wish that the run stop; one with an error tells nothing.
type wished struct {
	workflowservice.WorkflowServiceClient
	err error
}

func (w wished) GetWorkflowExecutionHistoryReverse(context.Context, *workflowservice.GetWorkflowExecutionHistoryReverseRequest, ...grpc.CallOption,
) (*workflowservice.GetWorkflowExecutionHistoryReverseResponse, error) {
	return &workflowservice.GetWorkflowExecutionHistoryReverseResponse{History: &historypb.History{Events: []*historypb.HistoryEvent{{
		EventType: enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED, EventTime: timestamppb.New(accepted),
		Attributes: &historypb.HistoryEvent_WorkflowExecutionCancelRequestedEventAttributes{
			WorkflowExecutionCancelRequestedEventAttributes: &historypb.WorkflowExecutionCancelRequestedEventAttributes{Cause: "wrong file", Identity: "weir@vm:1"},
		},
	}}}}, w.err
}

// TestStatusOfWhatWasCancelled: who has stopped a submission is told after its end as well, and what cannot be read keeps no answer.
func TestStatusOfWhatWasCancelled(t *testing.T) {
	t.Parallel()
	for _, failure := range []error{nil, errDown} {
		tr := setup(t).settled(collection.StateCancelled)
		tr.engine.On("WorkflowService").Return(wished{err: failure})
		d := described(collection.WorkflowSubmission, cancelled)
		d.WorkflowExtendedInfo = &workflowpb.WorkflowExecutionExtendedInfo{CancelRequested: true}
		tr.describes(submission, d, nil)
		status, err := tr.client.Status(t.Context(), submission)
		require.NoError(t, err)
		require.Equal(t, collection.StateCancelled, status.State)
		require.Equal(t, failure == nil, status.Cancelled != nil)
	}
}
