package workers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// schedules are what a worker with the role fleet makes where it is missing. What is there is never overwritten: an
// operator may have changed its times, or paused it.
func schedules() []client.ScheduleOptions {
	return []client.ScheduleOptions{
		{
			ID: collection.SweepScheduleID, Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_SKIP,
			// A sweep that was missed is made good by the next one.
			CatchupWindow: time.Minute,
			Spec:          client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: 5 * time.Minute}}},
			Action: &client.ScheduleWorkflowAction{
				ID: collection.SweepScheduleID, Workflow: collection.WorkflowSweep, Args: []any{collection.SweepInput{}},
				TaskQueue: collection.QueueFleet,
				// One that hangs must not keep the next ones from running. It is more than workflows.SweepLongest.
				WorkflowExecutionTimeout: 20 * time.Minute,
				StaticSummary:            "Look for what no workflow says of itself",
			},
		},
		{
			ID: collection.JanitorScheduleID, Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_SKIP, CatchupWindow: 12 * time.Hour,
			Spec: client.ScheduleSpec{
				Intervals: []client.ScheduleIntervalSpec{{Every: 24 * time.Hour, Offset: 3*time.Hour + 20*time.Minute}},
				Jitter:    10 * time.Minute,
			},
			Action: &client.ScheduleWorkflowAction{
				ID: collection.JanitorScheduleID, Workflow: collection.WorkflowJanitor, Args: []any{collection.JanitorInput{}},
				TaskQueue: collection.QueueFleet, WorkflowExecutionTimeout: 23 * time.Hour,
				StaticSummary: "Delete what is kept no longer",
			},
		},
	}
}

// ensureSchedules makes the schedules that are missing.
func ensureSchedules(ctx context.Context, c client.ScheduleClient, logger *slog.Logger) error {
	var problems []error
	for _, o := range schedules() {
		_, err := c.Create(ctx, o)
		switch {
		case err == nil:
			logger.Info("made the schedule", "schedule", o.ID)
		case !errors.Is(err, temporal.ErrScheduleAlreadyRunning):
			problems = append(problems, fmt.Errorf("make the schedule %s: %w", o.ID, err))
		default:
			if d, err := c.GetHandle(ctx, o.ID).Describe(ctx); err == nil && d.Schedule.State != nil && d.Schedule.State.Paused {
				logger.Warn("the schedule is paused, and stays so until somebody turns it on", "schedule", o.ID, "note", d.Schedule.State.Note)
			}
		}
	}
	return errors.Join(problems...)
}
