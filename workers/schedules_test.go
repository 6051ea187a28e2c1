package workers

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/mocks"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/workflows"
)

// TestSchedulesAreMadeOnce: what is there is left alone, and one that is paused is said to be so.
func TestSchedulesAreMadeOnce(t *testing.T) {
	t.Parallel()
	c, handle := &mocks.ScheduleClient{}, &mocks.ScheduleHandle{}
	of := func(id string) any {
		return mock.MatchedBy(func(o client.ScheduleOptions) bool { return o.ID == id })
	}
	c.On("Create", mock.Anything, of(collection.SweepScheduleID)).Return(handle, nil).Once()
	c.On("Create", mock.Anything, of(collection.JanitorScheduleID)).Return(nil, temporal.ErrScheduleAlreadyRunning).Once()
	c.On("GetHandle", mock.Anything, collection.JanitorScheduleID).Return(handle)
	handle.On("Describe", mock.Anything).Return(&client.ScheduleDescription{
		Schedule: client.Schedule{State: &client.ScheduleState{Paused: true, Note: "an audit"}},
	}, nil)
	var log strings.Builder
	require.NoError(t, ensureSchedules(context.Background(), c, slog.New(slog.NewTextHandler(&log, nil))))
	c.AssertExpectations(t)
	handle.AssertNotCalled(t, "Update", mock.Anything, mock.Anything)
	require.Contains(t, log.String(), "made the schedule")
	require.Contains(t, log.String(), "an audit")
}

// TestOneScheduleThatFailsKeepsNoOther from being made.
func TestOneScheduleThatFailsKeepsNoOther(t *testing.T) {
	t.Parallel()
	c := &mocks.ScheduleClient{}
	c.On("Create", mock.Anything, mock.Anything).Return(nil, errors.New("denied")).Twice()
	err := ensureSchedules(context.Background(), c, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, collection.SweepScheduleID)
	require.ErrorContains(t, err, collection.JanitorScheduleID)
	c.AssertExpectations(t)
}

// TestSweepEndsByItself: a sweep in which every check takes as long as it may is not cut off, and keeps what it has found.
func TestSweepEndsByItself(t *testing.T) {
	t.Parallel()
	for _, o := range schedules() {
		if action := o.Action.(*client.ScheduleWorkflowAction); o.ID == collection.SweepScheduleID {
			require.Less(t, workflows.SweepLongest()+time.Minute, action.WorkflowExecutionTimeout)
		}
	}
}

func TestSchedulesDoNotPileUp(t *testing.T) {
	t.Parallel()
	for _, o := range schedules() {
		require.Equal(t, "Skip", o.Overlap.String(), o.ID)
		require.True(t, strings.HasPrefix(o.ID, collection.ScheduleIDPrefix), o.ID)
		require.False(t, o.Paused || o.PauseOnFailure, o.ID)
		action := o.Action.(*client.ScheduleWorkflowAction)
		require.Equal(t, collection.QueueFleet, action.TaskQueue)
		require.Positive(t, action.WorkflowExecutionTimeout, "one that hangs must end")
	}
}
