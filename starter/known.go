package starter

import (
	"context"
	"errors"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/weir-collect/weir/collection"
)

// known finds a submission of this id that needs no second start. One that failed as a whole, or was stopped, may be
// started again: it is not known.
func (c *Client) known(ctx context.Context, id string) (Submitted, bool, error) {
	described, err := c.describe(ctx, id)
	if isNotFound(err) {
		return c.remembered(ctx, id)
	}
	if err != nil {
		return Submitted{}, false, fmt.Errorf("look for submission %s: %w", id, err)
	}
	if !isSubmission(described) {
		return Submitted{}, false, fmt.Errorf("the id %s is taken by a workflow of type %s: give the submission another", id, typeOf(described))
	}
	info := described.GetWorkflowExecutionInfo()
	switch info.GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED,
		enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED:
		return Submitted{ID: id, RunID: info.GetExecution().GetRunId(), Existing: true}, true, nil
	}
	return Submitted{}, false, nil
}

// remembered finds in the store what the engine has forgotten after its retention: a submission that ended with a
// delivery, and not because somebody stopped it.
func (c *Client) remembered(ctx context.Context, id string) (Submitted, bool, error) {
	status, err := c.storedStatus(ctx, id)
	switch {
	case errors.Is(err, ErrNotFound):
		return Submitted{}, false, nil
	case err != nil:
		return Submitted{}, false, fmt.Errorf("look for submission %s: %w", id, err)
	}
	if status.Result == nil || status.State == collection.StateCancelled {
		return Submitted{}, false, nil
	}
	return Submitted{ID: id, Existing: true}, true, nil
}
