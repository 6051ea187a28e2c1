package starter

import (
	"context"
	"errors"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/google/uuid"

	"github.com/weir-collect/weir/collection"
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

func typeOf(d *workflowservice.DescribeWorkflowExecutionResponse) string {
	return d.GetWorkflowExecutionInfo().GetType().GetName()
}

func isSubmission(d *workflowservice.DescribeWorkflowExecutionResponse) bool {
	return typeOf(d) == collection.WorkflowSubmission
}

// attribute is a search attribute of type Keyword; empty when it is not set.
func attribute(d *workflowservice.DescribeWorkflowExecutionResponse, name string) string {
	var value string
	payload := d.GetWorkflowExecutionInfo().GetSearchAttributes().GetIndexedFields()[name]
	if payload == nil || converter.GetDefaultDataConverter().FromPayload(payload, &value) != nil {
		return ""
	}
	return value
}
