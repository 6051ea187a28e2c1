package workers

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/mocks"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
)

// api is the part of the engine's API that a watch calls by itself.
type api struct {
	workflowservice.WorkflowServiceClient
	err       error
	polled    time.Time
	described *workflowservice.DescribeTaskQueueRequest
	cancelled *workflowservice.RequestCancelWorkflowExecutionRequest
}

func (a *api) DescribeTaskQueue(_ context.Context, r *workflowservice.DescribeTaskQueueRequest, _ ...grpc.CallOption) (*workflowservice.DescribeTaskQueueResponse, error) {
	a.described = r
	return &workflowservice.DescribeTaskQueueResponse{Pollers: []*taskqueuepb.PollerInfo{{LastAccessTime: timestamppb.New(a.polled)}}}, a.err
}

func (a *api) RequestCancelWorkflowExecution(_ context.Context, r *workflowservice.RequestCancelWorkflowExecutionRequest, _ ...grpc.CallOption) (*workflowservice.RequestCancelWorkflowExecutionResponse, error) {
	a.cancelled = r
	return &workflowservice.RequestCancelWorkflowExecutionResponse{}, a.err
}

func watching(a *api) watch {
	c := &mocks.Client{}
	c.On("WorkflowService").Return(a)
	return watch{engine: c, namespace: "fleet"}
}

// TestFindSaysWhetherThereAreMore, and no more than that is asked for.
func TestFindSaysWhetherThereAreMore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		runs, limit, found int
		more               bool
	}{{0, 3, 0, false}, {2, 3, 2, false}, {3, 3, 3, false}, {4, 3, 3, true}} {
		page := &workflowservice.ListWorkflowExecutionsResponse{}
		for i := range c.runs {
			page.Executions = append(page.Executions, ran(fmt.Sprint(i), time.Now()))
		}
		e := &mocks.Client{}
		e.On("ListWorkflow", mock.Anything, mock.MatchedBy(func(r *workflowservice.ListWorkflowExecutionsRequest) bool {
			return r.GetNamespace() == "fleet" && r.GetQuery() == "q" && r.GetPageSize() == int32(c.limit+1)
		})).Return(page, nil).Once()
		found, more, err := watch{engine: e, namespace: "fleet"}.Find(t.Context(), "q", c.limit)
		require.NoError(t, err)
		require.Len(t, found, c.found, "%+v", c)
		require.Equal(t, c.more, more, "%+v", c)
	}
	e := &mocks.Client{}
	e.On("ListWorkflow", mock.Anything, mock.Anything).Return(
		&workflowservice.ListWorkflowExecutionsResponse{Executions: []*workflowpb.WorkflowExecutionInfo{ran("r", time.Now())}, NextPageToken: []byte("n")}, nil).Once()
	e.On("ListWorkflow", mock.Anything, mock.Anything).Return(nil, errDown)
	found, _, err := watch{engine: e}.Find(t.Context(), "q", 9)
	require.ErrorIs(t, err, errDown)
	require.Empty(t, found, "half a list is none")
}

// TestWatchCancelsOneRun: the one it names, under this process's name; one that has ended stays as it is.
func TestWatchCancelsOneRun(t *testing.T) {
	t.Parallel()
	a := &api{}
	w := watching(a)
	require.NoError(t, w.Cancel(t.Context(), "s1/books/1", "r1", "its submission has ended"))
	require.Equal(t, "r1", a.cancelled.GetWorkflowExecution().GetRunId())
	require.Equal(t, "fleet", a.cancelled.GetNamespace())
	require.Equal(t, "its submission has ended", a.cancelled.GetReason())
	require.Equal(t, engine.Identity(), a.cancelled.GetIdentity())
	a.err = serviceerror.NewNotFound("it has ended")
	require.NoError(t, w.Cancel(t.Context(), "s1/books/1", "r1", ""))
	a.err = errDown
	require.ErrorIs(t, w.Cancel(t.Context(), "s1/books/1", "r1", ""), errDown)
}

func TestWatchSeesWhoPolls(t *testing.T) {
	t.Parallel()
	a := &api{polled: time.Now().Add(-time.Minute)}
	w := watching(a)
	polled, err := w.Polled(t.Context(), collection.QueueWorkflows, true)
	require.NoError(t, err)
	require.True(t, polled)
	require.Equal(t, enumspb.TASK_QUEUE_TYPE_WORKFLOW, a.described.GetTaskQueueType())
	require.Equal(t, collection.QueueWorkflows, a.described.GetTaskQueue().GetName())
	a.polled = time.Now().Add(-3 * time.Minute)
	polled, err = w.Polled(t.Context(), collection.QueueParse, false)
	require.NoError(t, err)
	require.False(t, polled)
	require.Equal(t, enumspb.TASK_QUEUE_TYPE_ACTIVITY, a.described.GetTaskQueueType())
}

func TestWatchLooksAtASchedule(t *testing.T) {
	t.Parallel()
	next := time.Now()
	look := func(d *client.ScheduleDescription, err error) (activities.ScheduleState, error) {
		e, schedules, handle := &mocks.Client{}, &mocks.ScheduleClient{}, &mocks.ScheduleHandle{}
		e.On("ScheduleClient").Return(schedules)
		schedules.On("GetHandle", mock.Anything, collection.SweepScheduleID).Return(handle)
		handle.On("Describe", mock.Anything).Return(d, err)
		return watch{engine: e}.Schedule(t.Context(), collection.SweepScheduleID)
	}
	got, err := look(&client.ScheduleDescription{
		Schedule: client.Schedule{State: &client.ScheduleState{Paused: true, Note: "an audit"}},
		Info:     client.ScheduleInfo{NextActionTimes: []time.Time{next}},
	}, nil)
	require.NoError(t, err)
	require.Equal(t, activities.ScheduleState{ID: collection.SweepScheduleID, Paused: true, Note: "an audit", Next: next}, got)
	_, err = look(nil, serviceerror.NewNotFound("no such schedule"))
	require.ErrorIs(t, err, activities.ErrUnknownToEngine)
	_, err = look(nil, errDown)
	require.ErrorIs(t, err, errDown)
	require.NotErrorIs(t, err, activities.ErrUnknownToEngine)
}
