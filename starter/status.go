package starter

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// queryTimeout is how long a worker may take to answer before the answer is given without it.
const queryTimeout = 4 * time.Second

// Status says where a submission stands. A running one is asked itself; when no worker answers, the state is told without
// counts. One that has ended is told by its manifest, else by what the engine keeps of its end. ErrNotFound says that there
// is no such submission.
func (c *Client) Status(ctx context.Context, id string) (collection.SubmissionStatus, error) {
	status, _, err := c.look(ctx, id)
	return status, err
}

// look is Status, and says whether the engine runs the submission.
func (c *Client) look(ctx context.Context, id string) (status collection.SubmissionStatus, running bool, err error) {
	described, err := c.describe(ctx, id)
	switch {
	case isNotFound(err):
		status, err = c.storedStatus(ctx, id)
		return status, false, err
	case err != nil:
		return status, false, fmt.Errorf("ask for submission %s: %w", id, err)
	}
	if !isSubmission(described) {
		return status, false, fmt.Errorf("%s is a workflow of type %s, not a submission: %w", id, typeOf(described), ErrNotFound)
	}
	switch described.GetWorkflowExecutionInfo().GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED:
		return c.runningStatus(ctx, id, described), true, nil
	case enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:
		status, err = c.storedStatus(ctx, id)
		switch {
		case err == nil && status.Result == nil, errors.Is(err, ErrNotFound):
			// It was cancelled before it was settled, or what it has left in the store is deleted.
		default:
			return status, false, err
		}
	}
	status, err = c.endedStatus(ctx, id, described)
	return status, false, err
}

func (c *Client) runningStatus(ctx context.Context, id string, d *workflowservice.DescribeWorkflowExecutionResponse) collection.SubmissionStatus {
	query, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	var status collection.SubmissionStatus
	value, err := c.engine.QueryWorkflow(query, id, "", collection.QueryStatus)
	if err == nil {
		err = value.Get(&status)
	}
	if err == nil {
		return status
	}
	status = c.outline(ctx, id, d)
	status.State = collection.StateProcessing
	status.Notes = []string{"no worker answers, so counts are not known now: is a worker with the role workflows running?"}
	return status
}

// outline is what the engine knows of a submission without asking it.
func (c *Client) outline(ctx context.Context, id string, d *workflowservice.DescribeWorkflowExecutionResponse) collection.SubmissionStatus {
	return collection.SubmissionStatus{
		Submission: id, Customer: c.customerOf(ctx, id, d), Outcomes: collection.Tally{},
		AcceptedAt: d.GetWorkflowExecutionInfo().GetStartTime().AsTime(),
	}
}

// endedStatus tells how a submission's workflow ended.
func (c *Client) endedStatus(ctx context.Context, id string, d *workflowservice.DescribeWorkflowExecutionResponse) (collection.SubmissionStatus, error) {
	status := c.outline(ctx, id, d)
	var result collection.SubmissionResult
	err := c.engine.GetWorkflow(ctx, id, d.GetWorkflowExecutionInfo().GetExecution().GetRunId()).Get(ctx, &result)
	var execution *temporal.WorkflowExecutionError
	var app *temporal.ApplicationError
	var terminated *temporal.TerminatedError
	var cancelled *temporal.CanceledError
	switch {
	case err == nil:
		settle(&status, result)
	case !errors.As(err, &execution):
		// Nobody has said how it ended.
		return status, fmt.Errorf("ask how submission %s ended: %w", id, err)
	case errors.As(err, &app):
		status.State, status.Reason, status.Detail = collection.StateFailed, collection.Reason(app.Type()), app.Message()
	case errors.As(err, &terminated):
		status.State, status.Reason = collection.StateFailed, collection.ReasonTerminated
		status.Detail = "the submission's workflow was terminated"
	case errors.As(err, &cancelled):
		if cancelled.HasDetails() && cancelled.Details(&result) == nil {
			settle(&status, result)
			break
		}
		status.State, status.Reason = collection.StateCancelled, collection.ReasonCancelled
		status.Detail = "cancelled before anything was collected"
	default:
		status.State, status.Reason, status.Detail = collection.StateFailed, collection.ReasonInternal, err.Error()
	}
	return status, nil
}

func settle(status *collection.SubmissionStatus, result collection.SubmissionResult) {
	status.State, status.Expected, status.Outcomes, status.Result = result.State, result.Expected, result.Outcomes, &result
}

// customerOf reads the customer from the search attributes, else from the plan; empty when neither is there.
func (c *Client) customerOf(ctx context.Context, id string, d *workflowservice.DescribeWorkflowExecutionResponse) string {
	if customer := attribute(d, collection.AttributeCustomer); customer != "" {
		return customer
	}
	plan, err := c.plan(ctx, id)
	if err != nil {
		return ""
	}
	return plan.Customer
}
