package starter

import (
	"context"
	"errors"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
)

// known finds a submission of this id that needs no second start. One that failed as a whole, or was stopped, may be
// started again: it is not known. One of something else is a *collection.IDTakenError, if it may not give way.
func (c *Client) known(ctx context.Context, w claim) (Submitted, bool, error) {
	id := w.id
	described, err := c.describe(ctx, id)
	if engine.IsUnknown(err) {
		return c.remembered(ctx, w, nil)
	}
	if err != nil {
		return Submitted{}, false, fmt.Errorf("look for submission %s: %w", id, err)
	}
	if !isSubmission(described) {
		return Submitted{}, false, fmt.Errorf("the id %s is taken by a workflow of type %s: give the submission another", id, typeOf(described))
	}
	if stands(described) {
		if err := c.checkSame(ctx, w, described); err != nil {
			return Submitted{}, false, err
		}
		return Submitted{ID: id, RunID: described.GetWorkflowExecutionInfo().GetExecution().GetRunId(), Existing: true}, true, nil
	}
	return c.remembered(ctx, w, described)
}

// stands says whether a run goes on or has ended well.
func stands(d *workflowservice.DescribeWorkflowExecutionResponse) bool {
	switch d.GetWorkflowExecutionInfo().GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED,
		enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED:
		return true
	}
	return false
}

// remembered finds in the store a submission that has ended otherwise than well, or that the engine has forgotten: one that
// stands with a delivery, and not because somebody stopped it, is known. Others may be started again, unless somebody else
// is at work on them.
func (c *Client) remembered(ctx context.Context, w claim, described *workflowservice.DescribeWorkflowExecutionResponse) (Submitted, bool, error) {
	id := w.id
	status, err := c.storedStatus(ctx, id, c.forgotten(id))
	switch {
	case errors.Is(err, ErrNotFound):
		return Submitted{}, false, nil
	case err != nil:
		return Submitted{}, false, fmt.Errorf("look for submission %s: %w", id, err)
	}
	if err := c.checkSame(ctx, w, described); err != nil {
		return Submitted{}, false, err
	}
	switch status.State {
	case collection.StateComplete, collection.StatePartiallyFailed:
		return Submitted{ID: id, Existing: true}, true, nil
	}
	for other, err := range c.beside(ctx, id) {
		if err != nil {
			return Submitted{}, false, fmt.Errorf("look whether submission %s may be started again: %w", id, err)
		}
		return Submitted{}, false, fmt.Errorf("submission %s cannot be started again now, the workflow %s is at work on it: wait until that has ended, "+
			"or cancel it (temporal workflow cancel --workflow-id %s), and submit once more", id, other, other)
	}
	return Submitted{}, false, nil
}
