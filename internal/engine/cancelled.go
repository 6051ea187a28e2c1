package engine

import (
	"context"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
)

// CancelRequest is somebody's wish that a run stop, as its history keeps it.
type CancelRequest struct {
	By, Reason string
	At         time.Time
}

// A wish that a run stop stands near the end of its history: what comes after it is what had begun by then.
const (
	cancelPage  = 500
	cancelPages = 20
)

// CancelRequested looks in a run's history for the wish that it stop, the last events first. It says false where there is none
// among the last 10,000. No worker needs to run.
func CancelRequested(ctx context.Context, service workflowservice.WorkflowServiceClient, c Cancellation) (CancelRequest, bool, error) {
	request := &workflowservice.GetWorkflowExecutionHistoryReverseRequest{
		Namespace: c.Namespace, Execution: &commonpb.WorkflowExecution{WorkflowId: c.WorkflowID, RunId: c.RunID}, MaximumPageSize: cancelPage,
	}
	for range cancelPages {
		page, err := service.GetWorkflowExecutionHistoryReverse(ctx, request)
		if err != nil {
			return CancelRequest{}, false, err
		}
		for _, e := range page.GetHistory().GetEvents() {
			if e.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED {
				asked := e.GetWorkflowExecutionCancelRequestedEventAttributes()
				return CancelRequest{By: asked.GetIdentity(), Reason: asked.GetCause(), At: e.GetEventTime().AsTime()}, true, nil
			}
		}
		if len(page.GetNextPageToken()) == 0 {
			break
		}
		request.NextPageToken = page.GetNextPageToken()
	}
	return CancelRequest{}, false, nil
}
