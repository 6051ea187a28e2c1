package starter

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
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
type ScheduleState = engine.ScheduleState

// Sweep is the result of the last sweep; no worker needs to run. ErrNotFound says that none has ended yet.
func (c *Client) Sweep(ctx context.Context) (SweepAnswer, error) {
	var answer SweepAnswer
	if err := c.contact.Make(ctx); err != nil {
		return answer, err
	}
	last, found, err := engine.Latest(ctx, c.engine, engine.Wanted[collection.SweepResult]{
		Namespace: c.namespace, Workflow: collection.WorkflowSweep,
	})
	if err != nil {
		return answer, err
	}
	answer.SweepResult, answer.Workflow, answer.Run = last.Result, last.WorkflowID, last.RunID
	if answer.Schedule, err = c.schedule(ctx, collection.SweepScheduleID); err != nil {
		return answer, err
	}
	if !found {
		return answer, fmt.Errorf("no sweep has ended yet: start a worker with the role %s, which makes the schedule %s: %w",
			collection.RoleFleet, collection.SweepScheduleID, ErrNotFound)
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

// JanitorNowID names a janitor that a person has asked for, and one that only counts.
func JanitorNowID(dryRun bool) string {
	if dryRun {
		return collection.JanitorScheduleID + "-plan"
	}
	return collection.JanitorScheduleID + "-now"
}

// Tidy runs the janitor and waits for its end. A dry run says what would be deleted.
func (c *Client) Tidy(ctx context.Context, dryRun bool) (collection.JanitorResult, error) {
	var result collection.JanitorResult
	_, err := c.runNow(ctx, JanitorNowID(dryRun), collection.WorkflowJanitor, collection.JanitorInput{DryRun: dryRun}, &result)
	return result, err
}

// LastTidy is the result of the last janitor that deleted; ErrNotFound says that none has ended yet.
func (c *Client) LastTidy(ctx context.Context) (collection.JanitorResult, error) {
	if err := c.contact.Make(ctx); err != nil {
		return collection.JanitorResult{}, err
	}
	last, found, err := engine.Latest(ctx, c.engine, engine.Wanted[collection.JanitorResult]{
		Namespace: c.namespace, Workflow: collection.WorkflowJanitor,
		// Its id does not tell a dry run: any Temporal client may start one under any id.
		Counts: func(r collection.JanitorResult) bool { return !r.DryRun },
	})
	switch {
	case err != nil:
		return collection.JanitorResult{}, err
	case !found:
		return collection.JanitorResult{}, fmt.Errorf("no janitor has ended yet: %w", ErrNotFound)
	}
	return last.Result, nil
}

func (c *Client) runNow(ctx context.Context, id, kind string, in, out any) (client.WorkflowRun, error) {
	if err := c.contact.Make(ctx); err != nil {
		return nil, err
	}
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

func (c *Client) schedule(ctx context.Context, id string) (ScheduleState, error) {
	state, err := engine.Schedule(ctx, c.engine.ScheduleClient(), id)
	if err != nil && !state.Missing {
		return state, fmt.Errorf("look at the schedule %s: %w", id, err)
	}
	return state, nil
}

// OldestOpen is when the oldest submission that is running was started; the zero time if none runs.
func (c *Client) OldestOpen(ctx context.Context) (time.Time, error) {
	var oldest time.Time
	if err := c.contact.Make(ctx); err != nil {
		return oldest, err
	}
	query := engine.OfType(collection.WorkflowSubmission, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING)
	for run, err := range engine.Runs(ctx, c.engine, engine.Search{Namespace: c.namespace, Query: query}) {
		if err != nil {
			return oldest, fmt.Errorf("look for the oldest open submission: %w", err)
		}
		if started := run.GetStartTime().AsTime(); oldest.IsZero() || started.Before(oldest) {
			oldest = started
		}
	}
	return oldest, nil
}
