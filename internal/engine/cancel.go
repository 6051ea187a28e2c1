package engine

import (
	"context"
	"fmt"
	"os"

	"github.com/google/uuid"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"
)

// Cancellation is a wish that a run stop.
type Cancellation struct {
	Namespace, WorkflowID string
	// RunID is the run that is meant; empty means the latest.
	RunID string
	// Reason is kept in the run's history.
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

// Identity names this process in histories: who to look for at 3 a.m.
func Identity() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("weir@%s:%d", host, os.Getpid())
}
