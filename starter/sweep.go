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
