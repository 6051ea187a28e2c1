package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/mocks"

	"github.com/weir-collect/weir/internal/engine"
)

var errUnknown = serviceerror.NewNotFound("no such thing")

func TestIsUnknown(t *testing.T) {
	t.Parallel()
	require.True(t, engine.IsUnknown(errUnknown))
	require.True(t, engine.IsUnknown(fmt.Errorf("describe it: %w", errUnknown)))
	for _, err := range []error{
		nil, errDown, serviceerror.NewUnavailable("later"), serviceerror.NewNamespaceNotFound("fleet"),
		serviceerror.NewCancellationAlreadyRequested("twice"),
	} {
		require.False(t, engine.IsUnknown(err), "%v", err)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	s := &service{}
	c := engine.Cancellation{Namespace: "fleet", WorkflowID: "s1", RunID: "r1", Reason: "wrong file"}
	require.NoError(t, engine.Cancel(t.Context(), s, c))
	require.NoError(t, engine.Cancel(t.Context(), s, engine.Cancellation{Namespace: "fleet", WorkflowID: "s1"}))
	first, second := s.cancelled[0], s.cancelled[1]
	require.Equal(t, []string{"fleet", "s1", "r1", "wrong file"},
		[]string{first.GetNamespace(), first.GetWorkflowExecution().GetWorkflowId(), first.GetWorkflowExecution().GetRunId(), first.GetReason()})
	require.Empty(t, second.GetWorkflowExecution().GetRunId(), "whichever is the latest")
	require.NotEmpty(t, first.GetRequestId())
	require.NotEqual(t, first.GetRequestId(), second.GetRequestId(), "a second wish is not taken for a repetition of the first")
	require.Equal(t, engine.Identity(), first.GetIdentity(), "the history says who it was")

	s.err = errUnknown
	require.True(t, engine.IsUnknown(engine.Cancel(t.Context(), s, c)))
}

// TestIdentity: a machine and a process, by which an operator finds it.
func TestIdentity(t *testing.T) {
	t.Parallel()
	require.Regexp(t, `^weir@[^@]+:[0-9]+$`, engine.Identity())
	require.Equal(t, engine.Identity(), engine.Identity())
}

func TestPolled(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		polls  []time.Duration
		polled bool
	}{
		"never":             {nil, false},
		"just now":          {[]time.Duration{0}, true},
		"lately":            {[]time.Duration{-2*time.Minute + time.Second}, true},
		"two minutes ago":   {[]time.Duration{-2 * time.Minute}, false},
		"by one that lives": {[]time.Duration{-4 * time.Minute, -time.Second}, true},
		"by none that does": {[]time.Duration{-4 * time.Minute, -3 * time.Minute}, false},
		"by its clock soon": {[]time.Duration{time.Second}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &service{}
			for _, p := range c.polls {
				s.polls = append(s.polls, noon.Add(p))
			}
			got, err := engine.Polled(t.Context(), s, engine.Queue{Namespace: "fleet", Name: "parse"}, noon)
			require.NoError(t, err)
			require.Equal(t, c.polled, got)
		})
	}
}

func TestPolledAsksForOneKind(t *testing.T) {
	t.Parallel()
	s := &service{}
	for workflows, kind := range map[bool]enumspb.TaskQueueType{
		true: enumspb.TASK_QUEUE_TYPE_WORKFLOW, false: enumspb.TASK_QUEUE_TYPE_ACTIVITY,
	} {
		_, err := engine.Polled(t.Context(), s, engine.Queue{Namespace: "fleet", Name: "weir", Workflows: workflows}, noon)
		require.NoError(t, err)
		require.Equal(t, kind, s.described.GetTaskQueueType())
		require.Equal(t, "weir", s.described.GetTaskQueue().GetName())
		require.Equal(t, "fleet", s.described.GetNamespace())
	}
	s.polls, s.err = []time.Time{noon}, errDown
	polled, err := engine.Polled(t.Context(), s, engine.Queue{}, noon)
	require.ErrorIs(t, err, errDown)
	require.False(t, polled)
}

func TestSchedule(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		description *client.ScheduleDescription
		err         error
		want        engine.ScheduleState
	}{
		"it runs": {&client.ScheduleDescription{
			Schedule: client.Schedule{State: &client.ScheduleState{}},
			Info:     client.ScheduleInfo{NextActionTimes: []time.Time{noon, noon.Add(time.Hour)}},
		}, nil, engine.ScheduleState{ID: "weir/sweep", Next: noon}},
		"it is paused": {&client.ScheduleDescription{
			Schedule: client.Schedule{State: &client.ScheduleState{Paused: true, Note: "an audit"}},
		}, nil, engine.ScheduleState{ID: "weir/sweep", Paused: true, Note: "an audit"}},
		"nothing is known of it": {&client.ScheduleDescription{}, nil, engine.ScheduleState{ID: "weir/sweep"}},
		"it is not there":        {nil, errUnknown, engine.ScheduleState{ID: "weir/sweep", Missing: true}},
		"nobody answers":         {nil, errDown, engine.ScheduleState{ID: "weir/sweep"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			schedules, handle := &mocks.ScheduleClient{}, &mocks.ScheduleHandle{}
			schedules.On("GetHandle", mock.Anything, "weir/sweep").Return(handle)
			handle.On("Describe", mock.Anything).Return(c.description, c.err)
			got, err := engine.Schedule(t.Context(), schedules, "weir/sweep")
			require.ErrorIs(t, err, c.err)
			require.Equal(t, c.want, got)
			require.Equal(t, c.want.Missing, engine.IsUnknown(err))
		})
	}
}
