package engine

import (
	"context"

	"github.com/google/uuid"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/weir-collect/weir/collection"
)

// Cancellation names a run that is to stop, or was asked to.
type Cancellation struct {
	Namespace, WorkflowID string
	// RunID is the run that is meant; empty means the latest.
	RunID string
	// Reason is kept in the run's history. Only Cancel reads it.
	Reason string
}

// Cancel is the SDK's CancelWorkflow with a reason. Each call is a wish of its own, not the repetition of one before; IsUnknown
// holds for the error when no such run is running.
func Cancel(ctx context.Context, service workflowservice.WorkflowServiceClient, c Cancellation) error {
	_, err := service.RequestCancelWorkflowExecution(ctx, &workflowservice.RequestCancelWorkflowExecutionRequest{
		Namespace: c.Namespace, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: c.WorkflowID, RunId: c.RunID},
		RequestId: uuid.NewString(), Reason: c.Reason, Identity: Identity(),
	})
	return err
}

// How far back CancelRequested reads, in pages of so many events. A wish that a run stop stands near the end of its history:
// after it comes only what had begun before.
const (
	cancelPage  = 500
	cancelPages = 20
)

// CancelRequested looks in a run's history for the wish that it stop, the last events first. It says false where there is none
// among the last 10,000. No worker needs to run.
func CancelRequested(ctx context.Context, service workflowservice.WorkflowServiceClient, c Cancellation) (collection.CancelRequest, bool, error) {
	request := &workflowservice.GetWorkflowExecutionHistoryReverseRequest{
		Namespace: c.Namespace, Execution: &commonpb.WorkflowExecution{WorkflowId: c.WorkflowID, RunId: c.RunID}, MaximumPageSize: cancelPage,
	}
	for range cancelPages {
		page, err := service.GetWorkflowExecutionHistoryReverse(ctx, request)
		if err != nil {
			return collection.CancelRequest{}, false, err
		}
		for _, e := range page.GetHistory().GetEvents() {
			if e.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED {
				asked := e.GetWorkflowExecutionCancelRequestedEventAttributes()
				return collection.CancelRequest{By: asked.GetIdentity(), Reason: asked.GetCause(), At: e.GetEventTime().AsTime()}, true, nil
			}
		}
		if len(page.GetNextPageToken()) == 0 {
			break
		}
		request.NextPageToken = page.GetNextPageToken()
	}
	return collection.CancelRequest{}, false, nil
}
