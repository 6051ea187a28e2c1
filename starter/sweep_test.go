package starter_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/mocks"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// ran lets the engine find runs, each ended so long after accepted.
func (tr *trial) ran(ended map[string]time.Duration) {
	page := &workflowservice.ListWorkflowExecutionsResponse{}
	for id, after := range ended {
		page.Executions = append(page.Executions, &workflowpb.WorkflowExecutionInfo{
			Execution: &commonpb.WorkflowExecution{WorkflowId: id, RunId: run}, CloseTime: timestamppb.New(accepted.Add(after)),
			StartTime: timestamppb.New(accepted.Add(after - time.Minute)),
		})
	}
	tr.engine.On("ListWorkflow", mock.Anything, mock.Anything).Return(page, nil)
}

func (tr *trial) schedule(d *client.ScheduleDescription, err error) {
	schedules, handle := &mocks.ScheduleClient{}, &mocks.ScheduleHandle{}
	handle.On("Describe", mock.Anything).Return(d, err)
	schedules.On("GetHandle", mock.Anything, collection.SweepScheduleID).Return(handle)
	tr.engine.On("ScheduleClient").Return(schedules)
}

// TestSweepNeedsNoWorker: the last result is read from the engine, whoever asked for the sweep.
func TestSweepNeedsNoWorker(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	tr.ran(map[string]time.Duration{"weir/sweep-1": time.Minute, collection.SweepNowID: time.Hour, "weir/sweep-2": 2 * time.Minute})
	tr.schedule(&client.ScheduleDescription{
		Schedule: client.Schedule{State: &client.ScheduleState{Paused: true, Note: "an audit"}},
		Info:     client.ScheduleInfo{NextActionTimes: []time.Time{accepted}},
	}, nil)
	want := collection.SweepResult{EndedAt: accepted, Findings: []collection.Finding{{Kind: collection.FindingOrphan}}}
	ends(tr, collection.SweepNowID, want, nil)
	got, err := tr.client.Sweep(t.Context())
	require.NoError(t, err)
	require.Equal(t, starter.SweepAnswer{
		SweepResult: want, Workflow: collection.SweepNowID, Run: run,
		Schedule: starter.ScheduleState{ID: collection.SweepScheduleID, Paused: true, Note: "an audit", Next: accepted},
	}, got)
}

func TestSweepBeforeTheFirst(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	tr.ran(nil)
	tr.schedule(nil, errUnknown)
	got, err := tr.client.Sweep(t.Context())
	require.ErrorIs(t, err, starter.ErrNotFound)
	require.ErrorContains(t, err, "role fleet")
	require.True(t, got.Schedule.Missing)
}

// TestSweepWithoutAnswers: each answer that does not come is named.
func TestSweepWithoutAnswers(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	tr.engine.On("ListWorkflow", mock.Anything, mock.Anything).Return(nil, errDown)
	_, err := tr.client.Sweep(t.Context())
	require.ErrorIs(t, err, errDown)
	require.ErrorContains(t, err, "look for the last Sweep: ")
	_, err = tr.client.LastTidy(t.Context())
	require.ErrorContains(t, err, "look for the last Janitor: ")
	_, err = tr.client.OldestOpen(t.Context())
	require.ErrorContains(t, err, "look for the oldest open submission: ")

	tr = setup(t)
	tr.ran(nil)
	tr.schedule(nil, errDown)
	_, err = tr.client.Sweep(t.Context())
	require.ErrorIs(t, err, errDown)
	require.ErrorContains(t, err, "look at the schedule weir/sweep: ")

	tr = setup(t)
	tr.ran(map[string]time.Duration{"weir/sweep-1": time.Minute})
	ends(tr, "weir/sweep-1", collection.SweepResult{}, errDown)
	_, err = tr.client.Sweep(t.Context())
	require.ErrorIs(t, err, errDown)
	require.ErrorContains(t, err, "read the result of weir/sweep-1: ")
}
