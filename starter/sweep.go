package starter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/collection"
)

// SweepAnswer is a sweep's result, and how its schedule stands.
type SweepAnswer struct {
	collection.SweepResult
	// Workflow and Run name the sweep.
	Workflow string        `json:"workflow"`
	Run      string        `json:"run"`
	Schedule ScheduleState `json:"schedule"`
}

// ScheduleState is how a schedule stands.
type ScheduleState struct {
	ID     string `json:"id"`
	Paused bool   `json:"paused,omitempty"`
	Note   string `json:"note,omitempty"`
	// Next is when it starts its workflow next; Missing says that there is no such schedule.
	Next    time.Time `json:"next,omitzero"`
	Missing bool      `json:"missing,omitempty"`
}

// recentRuns is how many runs are looked through for the latest.
const recentRuns = 20

// Sweep is the result of the last sweep; no worker needs to run. ErrNotFound says that none has ended yet.
func (c *Client) Sweep(ctx context.Context) (SweepAnswer, error) {
	var answer SweepAnswer
	runs, err := c.completed(ctx, collection.WorkflowSweep)
	if err != nil {
		return answer, err
	}
	if answer.Schedule, err = c.schedule(ctx, collection.SweepScheduleID); err != nil {
		return answer, err
	}
	if len(runs) == 0 {
		return answer, fmt.Errorf("no sweep has ended yet: start a worker with the role fleet, which makes the schedule %s: %w", collection.SweepScheduleID, ErrNotFound)
	}
	answer.Workflow, answer.Run = runs[0].GetExecution().GetWorkflowId(), runs[0].GetExecution().GetRunId()
	if err := c.engine.GetWorkflow(ctx, answer.Workflow, answer.Run).Get(ctx, &answer.SweepResult); err != nil {
		return answer, fmt.Errorf("read the result of %s: %w", answer.Workflow, err)
	}
	return answer, nil
}

// SweepNow runs a sweep and waits for its end. One that somebody else has asked for and that still runs is waited for
// instead.
func (c *Client) SweepNow(ctx context.Context, in collection.SweepInput) (SweepAnswer, error) {
	var answer SweepAnswer
	run, err := c.runNow(ctx, collection.SweepNowID, collection.WorkflowSweep, in, &answer.SweepResult)
	if err != nil {
		return answer, err
	}
	answer.Workflow, answer.Run = run.GetID(), run.GetRunID()
	answer.Schedule, err = c.schedule(ctx, collection.SweepScheduleID)
	return answer, err
}

// janitorNowID names a janitor that a person has asked for, and one that only counts.
func janitorNowID(dryRun bool) string {
	if dryRun {
		return collection.JanitorScheduleID + "-plan"
	}
	return collection.JanitorScheduleID + "-now"
}

// Tidy runs the janitor and waits for its end. A dry run says what would be deleted.
func (c *Client) Tidy(ctx context.Context, dryRun bool) (collection.JanitorResult, error) {
	var result collection.JanitorResult
	_, err := c.runNow(ctx, janitorNowID(dryRun), collection.WorkflowJanitor, collection.JanitorInput{DryRun: dryRun}, &result)
	return result, err
}

// LastTidy is the result of the last janitor that deleted; ErrNotFound says that none has ended yet.
func (c *Client) LastTidy(ctx context.Context) (collection.JanitorResult, error) {
	var result collection.JanitorResult
	runs, err := c.completed(ctx, collection.WorkflowJanitor)
	if err != nil {
		return result, err
	}
	for _, r := range runs {
		id := r.GetExecution().GetWorkflowId()
		if id == janitorNowID(true) {
			continue
		}
		if err := c.engine.GetWorkflow(ctx, id, r.GetExecution().GetRunId()).Get(ctx, &result); err != nil {
			return result, fmt.Errorf("read the result of %s: %w", id, err)
		}
		return result, nil
	}
	return result, fmt.Errorf("no janitor has ended yet: %w", ErrNotFound)
}

func (c *Client) runNow(ctx context.Context, id, kind string, in, out any) (client.WorkflowRun, error) {
	run, err := c.engine.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: collection.QueueFleet,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowExecutionTimeout: 23 * time.Hour,
	}, kind, in)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", id, err)
	}
	if err := run.Get(ctx, out); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, fmt.Errorf("%s does not end: does a worker with the role fleet run? (%w)", id, err)
		}
		return nil, fmt.Errorf("wait for %s: %w", id, err)
	}
	return run, nil
}

// completed are the latest runs of a type that ended well, the latest first.
func (c *Client) completed(ctx context.Context, kind string) ([]*workflowpb.WorkflowExecutionInfo, error) {
	page, err := c.engine.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: c.namespace, PageSize: recentRuns, Query: fmt.Sprintf(`WorkflowType=%q AND ExecutionStatus="Completed"`, kind),
	})
	if err != nil {
		return nil, fmt.Errorf("look for the last %s: %w", kind, err)
	}
	runs := page.GetExecutions()
	slices.SortFunc(runs, func(a, b *workflowpb.WorkflowExecutionInfo) int {
		return b.GetCloseTime().AsTime().Compare(a.GetCloseTime().AsTime())
	})
	return runs, nil
}

func (c *Client) schedule(ctx context.Context, id string) (ScheduleState, error) {
	state := ScheduleState{ID: id}
	d, err := c.engine.ScheduleClient().GetHandle(ctx, id).Describe(ctx)
	if isNotFound(err) {
		state.Missing = true
		return state, nil
	}
	if err != nil {
		return state, fmt.Errorf("look at the schedule %s: %w", id, err)
	}
	if d.Schedule.State != nil {
		state.Paused, state.Note = d.Schedule.State.Paused, d.Schedule.State.Note
	}
	if len(d.Info.NextActionTimes) > 0 {
		state.Next = d.Info.NextActionTimes[0]
	}
	return state, nil
}

// OldestOpen is when the oldest submission that is running was started; the zero time if none runs.
func (c *Client) OldestOpen(ctx context.Context) (time.Time, error) {
	var oldest time.Time
	request := &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: c.namespace, PageSize: 1000, Query: fmt.Sprintf(`WorkflowType=%q AND ExecutionStatus="Running"`, collection.WorkflowSubmission),
	}
	for {
		page, err := c.engine.ListWorkflow(ctx, request)
		if err != nil {
			return oldest, fmt.Errorf("look for the oldest open submission: %w", err)
		}
		for _, e := range page.GetExecutions() {
			if started := e.GetStartTime().AsTime(); oldest.IsZero() || started.Before(oldest) {
				oldest = started
			}
		}
		if len(page.GetNextPageToken()) == 0 {
			return oldest, nil
		}
		request.NextPageToken = page.GetNextPageToken()
	}
}
