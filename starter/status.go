package starter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/api/workflowservice/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
	"github.com/weir-collect/weir/internal/verdict"
)

// queryTimeout is how long a worker may take to answer before the answer is given without it.
const queryTimeout = 4 * time.Second

// Status says where a submission stands. A running one is asked itself; when no worker answers, its history is
// read instead. One that has ended is told by its manifest, else by what the engine keeps of its end. ErrNotFound says that there
// is no such submission. While the engine or the store does not answer, the other's word is given, with a note, as far as it goes:
// what only the silent one knows is an error, and never an ErrNotFound.
func (c *Client) Status(ctx context.Context, id string) (collection.SubmissionStatus, error) {
	status, _, err := c.look(ctx, id)
	if err != nil {
		return c.alone(ctx, id, status, err)
	}
	return status, nil
}

// look is Status, and says whether the engine runs the submission.
func (c *Client) look(ctx context.Context, id string) (status collection.SubmissionStatus, running bool, err error) {
	described, err := c.describe(ctx, id)
	switch {
	case engine.IsUnknown(err):
		status, err = c.storedStatus(ctx, id, c.forgotten(id))
		return status, false, err
	case err != nil:
		return status, false, fmt.Errorf("ask for submission %s: %w", id, err)
	}
	if !isSubmission(described) {
		return status, false, fmt.Errorf("%s is a workflow of type %s, not a submission: %w", id, typeOf(described), ErrNotFound)
	}
	defer func() {
		if err == nil {
			status.Cancelled = c.cancelRequest(ctx, id, described)
		}
	}()
	if isRunning(described) {
		status, err = c.runningStatus(ctx, id, described)
		return status, true, err
	}
	ended := func(ctx context.Context) (collection.SubmissionStatus, bool, error) {
		end, err := c.endedStatus(ctx, id, described)
		return end, err == nil, err
	}
	// What stands counts, however the workflow ended: once the engine has forgotten that, the answer is the same.
	status, err = c.storedStatus(ctx, id, ended)
	switch {
	case err == nil && status.Result != nil:
		return status, false, nil
	case err != nil && !errors.Is(err, ErrNotFound):
		return status, false, err
	}
	// It ended before it was settled, or what it has left in the store is deleted.
	status, err = c.endedStatus(ctx, id, described)
	return status, false, err
}

// runningStatus is what a running submission answers, or its history where no worker does. Its error is that of who asks, who has
// broken it off: then nothing is known, and not that no worker runs.
func (c *Client) runningStatus(ctx context.Context, id string, d *workflowservice.DescribeWorkflowExecutionResponse) (collection.SubmissionStatus, error) {
	query, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	var status collection.SubmissionStatus
	value, err := c.engine.QueryWorkflow(query, id, "", collection.QueryStatus)
	if err == nil {
		err = value.Get(&status)
	}
	if err == nil {
		status.Notes = append(slices.Clip(status.Notes), stopping(d, "it is stopping")...)
		return status, nil
	}
	noWorker := NoWorker(collection.RoleWorkflows)
	status, err = c.offlineStatus(ctx, id, d.GetWorkflowExecutionInfo().GetExecution().GetRunId())
	switch {
	case ctx.Err() != nil:
		return status, fmt.Errorf("ask submission %s: %w", id, ctx.Err())
	case err != nil:
		status = c.outline(ctx, id, d)
		status.State = collection.StateProcessing
		status.Notes = []string{noWorker + " And its history cannot be read, so that counts are not known now."}
	case status.Expected == 0:
		status.Notes = append(slices.Clip(status.Notes), noWorker)
	default:
		status.Notes = append(slices.Clip(status.Notes), noWorker+" These are the counts that its batches have told last.")
	}
	status.Notes = append(status.Notes, stopping(d, "it stops once a worker takes that up")...)
	return status, nil
}

// cancelRequest is who has asked a submission to stop, for as long as the engine knows; nil where nobody has, or nobody can tell.
func (c *Client) cancelRequest(ctx context.Context, id string, d *workflowservice.DescribeWorkflowExecutionResponse) *collection.CancelRequest {
	if !d.GetWorkflowExtendedInfo().GetCancelRequested() {
		return nil
	}
	ask, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	asked, found, err := engine.CancelRequested(ask, c.engine.WorkflowService(), engine.Cancellation{
		Namespace: c.namespace, WorkflowID: id, RunID: d.GetWorkflowExecutionInfo().GetExecution().GetRunId(),
	})
	if err != nil || !found {
		return nil // that it stops is told all the same
	}
	return &asked
}

// stopping is the note of a submission that runs and was asked to stop.
func stopping(d *workflowservice.DescribeWorkflowExecutionResponse, what string) []string {
	if !d.GetWorkflowExtendedInfo().GetCancelRequested() {
		return nil
	}
	return []string{"somebody has cancelled it: " + what}
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
	if customer := engine.Keyword(d.GetWorkflowExecutionInfo(), collection.AttributeCustomer); customer != "" {
		return customer
	}
	plan, err := c.plan(ctx, id)
	if err != nil {
		return ""
	}
	return plan.Customer
}
