package starter

import (
	"context"
	"errors"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/google/uuid"
)

// describe asks the engine about the latest run of a workflow; it needs no worker.
func (c *Client) describe(ctx context.Context, workflowID string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return c.engine.DescribeWorkflowExecution(ctx, workflowID, "")
}

// requestCancel is the SDK's CancelWorkflow with a reason.
func (c *Client) requestCancel(ctx context.Context, workflowID, reason string) error {
	_, err := c.engine.WorkflowService().RequestCancelWorkflowExecution(ctx, &workflowservice.RequestCancelWorkflowExecutionRequest{
		Namespace:         c.namespace,
		WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: workflowID},
		RequestId:         uuid.NewString(),
		Reason:            reason,
	})
	return err
}

func isNotFound(err error) bool {
	var missing *serviceerror.NotFound
	return errors.As(err, &missing)
}
