package starter

import (
	"context"
	"errors"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
)

// ErrNotSettled says that a submission has no manifest yet, or was submitted again and runs: what it does can still change.
var ErrNotSettled = errors.New("not settled")

// ReplayStarted says what came of a request to replay.
type ReplayStarted struct {
	Submission string `json:"submission"`
	ID         string `json:"id"`
	RunID      string `json:"run_id"`
	// Joined is set when a replay of the submission was running: nothing was started, and what was asked for is not added to it.
	Joined bool `json:"joined,omitempty"`
}

// Replay starts a settled submission's dead letters again, or joins the replay that is running. Records may be named by id, key
// or URL. ErrNotFound says that nothing is known of the submission, ErrNotSettled that it must end first.
func (c *Client) Replay(ctx context.Context, in collection.ReplayInput) (ReplayStarted, error) {
	started := ReplayStarted{Submission: in.Submission, ID: collection.ReplayWorkflowID(in.Submission)}
	plan, err := c.settledPlan(ctx, in.Submission)
	if err != nil {
		return started, err
	}
	if err := in.Check(); err != nil {
		return started, fmt.Errorf("the replay cannot be made: %w", err)
	}
	if in.Select.Records, err = c.recordsNamed(ctx, plan, in.Select.Records); err != nil {
		return started, err
	}
	if err := c.notRunning(ctx, in.Submission); err != nil {
		return started, err
	}
	customer := temporal.NewSearchAttributeKeyKeyword(collection.AttributeCustomer)
	run, err := c.engine.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: started.ID, TaskQueue: collection.QueueWorkflows,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		// Not USE_EXISTING: then the answer would not tell our run from another's.
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		TypedSearchAttributes:    temporal.NewSearchAttributes(customer.ValueSet(plan.Customer)),
		Priority:                 temporal.Priority{FairnessKey: plan.Customer, FairnessWeight: plan.Weight},
		StaticSummary:            collection.Clip(fmt.Sprintf("%s: replay of %s", plan.Customer, in.Submission), collection.MaxKeyShown),

		WorkflowExecutionErrorWhenAlreadyStarted: true,
	}, collection.WorkflowReplay, in)
	var running *serviceerror.WorkflowExecutionAlreadyStarted
	switch {
	case errors.As(err, &running):
		started.RunID, started.Joined = running.RunId, true
		return started, nil
	case err != nil:
		return started, fmt.Errorf("start the replay of %s: %w", in.Submission, err)
	}
	started.RunID = run.GetRunID()
	return started, nil
}

// notRunning refuses a submission that was submitted again and has not ended: what it does can still change.
func (c *Client) notRunning(ctx context.Context, submission string) error {
	described, err := c.describe(ctx, submission)
	switch {
	case engine.IsUnknown(err):
		return nil
	case err != nil:
		return fmt.Errorf("ask whether submission %s runs: %w", submission, err)
	case isRunning(described):
		return fmt.Errorf("submission %s was submitted again and runs: wait for its end, then replay it: %w", submission, ErrNotSettled)
	}
	return nil
}

// ReplayStatus asks the latest replay of a submission where it stands; running says whether the engine still runs it. It needs a
// worker, and the engine's memory: ErrNotFound says that there was no replay, or that it is forgotten.
func (c *Client) ReplayStatus(ctx context.Context, submission string) (status collection.ReplayStatus, running bool, err error) {
	if err := collection.CheckSubmissionID(submission); err != nil {
		return status, false, err
	}
	id := collection.ReplayWorkflowID(submission)
	described, err := c.describe(ctx, id)
	if engine.IsUnknown(err) {
		return status, false, fmt.Errorf("there is no replay of %s: %w", submission, ErrNotFound)
	}
	if err != nil {
		return status, false, fmt.Errorf("ask for the replay of %s: %w", submission, err)
	}
	status, err = c.askReplay(ctx, id, described.GetWorkflowExecutionInfo().GetExecution().GetRunId())
	if err != nil {
		err = fmt.Errorf("ask the replay of %s: is a worker with the role workflows running? (%w)", submission, err)
	}
	return status, isRunning(described), err
}

func (c *Client) askReplay(ctx context.Context, id, runID string) (status collection.ReplayStatus, err error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	value, err := c.engine.QueryWorkflow(ctx, id, runID, collection.QueryStatus)
	if err == nil {
		err = value.Get(&status)
	}
	return status, err
}

func isRunning(d *workflowservice.DescribeWorkflowExecutionResponse) bool {
	switch d.GetWorkflowExecutionInfo().GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED:
		return true
	}
	return false
}
