package starter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/verdict"
)

// queryTimeout is how long a worker may take to answer before the answer is given without it.
const queryTimeout = 4 * time.Second

// Status says where a submission stands. A running one is asked itself; when no worker answers, its history is
// read instead. One that has ended is told by its manifest, else by what the engine keeps of its end. ErrNotFound says that there
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
	case enumspb.WORKFLOW_EXECUTION_STATUS_FAILED:
		if status, ok := c.shippedSince(ctx, id); ok {
			return status, false, nil
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
	const noWorker = "no worker answers: is a worker with the role workflows running?"
	status, err = c.offlineStatus(ctx, id, d.GetWorkflowExecutionInfo().GetExecution().GetRunId())
	if err != nil {
		status = c.outline(ctx, id, d)
		status.State = collection.StateProcessing
		status.Notes = []string{noWorker + " And its history cannot be read, so that counts are not known now."}
		return status
	}
	status.Notes = append(slices.Clip(status.Notes), noWorker+" These are the counts that its batches have told last.")
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
	if err == nil {
		settle(&status, result)
		return status, nil
	}
	end, told := verdict.OfSubmission(err)
	switch {
	case !told:
		return status, fmt.Errorf("ask how submission %s ended: %w", id, err)
	case end.Result != nil:
		settle(&status, *end.Result)
	default:
		status.State, status.Reason, status.Detail = end.State, end.Reason, end.Detail
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
