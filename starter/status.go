package starter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

const (
	// queryTimeout is how long a worker may take to answer before the answer is given without it.
	queryTimeout = 4 * time.Second
	// maxDocument bounds what is read of a plan or a manifest.
	maxDocument = 16 << 20
)

// Status says where a submission stands. A running one is asked itself; when no worker answers, the state is told without
// counts. One that has ended is told by its result, and after the engine's retention by its manifest.
func (c *Client) Status(ctx context.Context, id string) (collection.SubmissionStatus, error) {
	described, err := c.describe(ctx, id)
	switch {
	case isNotFound(err):
		return c.storedStatus(ctx, id)
	case err != nil:
		return collection.SubmissionStatus{}, fmt.Errorf("ask for submission %s: %w", id, err)
	}
	info := described.GetWorkflowExecutionInfo()
	if name := info.GetType().GetName(); name != collection.WorkflowSubmission {
		return collection.SubmissionStatus{}, fmt.Errorf("%s is a workflow of type %s, not a submission: %w", id, name, ErrNotFound)
	}
	switch info.GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED:
		return c.runningStatus(ctx, id, described), nil
	case enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED:
		return c.storedStatus(ctx, id)
	case enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:
		status, err := c.storedStatus(ctx, id)
		if !errors.Is(err, ErrNotFound) {
			return status, err
		}
		// It was cancelled before there was a plan.
		return collection.SubmissionStatus{
			Submission: id, Customer: c.customerOf(ctx, id, described), State: collection.StateCancelled,
			AcceptedAt: info.GetStartTime().AsTime(), Outcomes: collection.Tally{}, Reason: collection.ReasonCancelled,
			Detail: "cancelled before it was planned: nothing was collected",
		}, nil
	}
	return c.failedStatus(ctx, id, described), nil
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
	started := d.GetWorkflowExecutionInfo().GetStartTime().AsTime()
	return collection.SubmissionStatus{
		Submission: id, Customer: c.customerOf(ctx, id, d), State: collection.StateProcessing, AcceptedAt: started,
		Outcomes: collection.Tally{},
		Notes:    []string{"no worker answers, so counts are not known now: is a worker with the role workflows running?"},
	}
}

// failedStatus tells of a submission that ended without a result.
func (c *Client) failedStatus(ctx context.Context, id string, d *workflowservice.DescribeWorkflowExecutionResponse) collection.SubmissionStatus {
	info := d.GetWorkflowExecutionInfo()
	status := collection.SubmissionStatus{
		Submission: id, Customer: c.customerOf(ctx, id, d), State: collection.StateFailed,
		AcceptedAt: info.GetStartTime().AsTime(), Outcomes: collection.Tally{},
	}
	err := c.engine.GetWorkflow(ctx, id, info.GetExecution().GetRunId()).Get(ctx, nil)
	var app *temporal.ApplicationError
	var terminated *temporal.TerminatedError
	switch {
	case errors.As(err, &app):
		status.Reason, status.Detail = collection.Reason(app.Type()), app.Message()
	case errors.As(err, &terminated):
		status.Reason, status.Detail = collection.ReasonTerminated, "the submission's workflow was terminated"
	case err != nil:
		status.Reason, status.Detail = collection.ReasonInternal, err.Error()
	}
	return status
}

// customerOf reads the customer from the search attributes, else from the plan; empty when neither is there.
func (c *Client) customerOf(ctx context.Context, id string, d *workflowservice.DescribeWorkflowExecutionResponse) string {
	payload := d.GetWorkflowExecutionInfo().GetSearchAttributes().GetIndexedFields()[collection.AttributeCustomer]
	var customer string
	if payload != nil && json.Unmarshal(payload.GetData(), &customer) == nil {
		return customer
	}
	plan, err := c.plan(ctx, id)
	if err != nil {
		return ""
	}
	return plan.Customer
}

// storedStatus tells what the plan and the manifest say.
func (c *Client) storedStatus(ctx context.Context, id string) (collection.SubmissionStatus, error) {
	plan, err := c.plan(ctx, id)
	if err != nil {
		return collection.SubmissionStatus{}, err
	}
	status := collection.SubmissionStatus{
		Submission: id, Customer: plan.Customer, State: collection.StateProcessing, Lane: plan.Lane,
		AcceptedAt: plan.AcceptedAt, Expected: plan.Expected, Notes: plan.Notes, Outcomes: collection.Tally{},
	}
	manifest, raw, err := c.manifest(ctx, plan)
	if errors.Is(err, collection.ErrObjectMissing) {
		status.Notes = append(status.Notes, "there is a plan but no manifest, and the engine does not know the submission any more: start it again under the same id")
		return status, nil
	}
	if err != nil {
		return status, err
	}
	status.State, status.Outcomes = manifest.State, manifest.Outcomes
	status.Result = &collection.SubmissionResult{
		State: manifest.State, Expected: manifest.Expected, Outcomes: manifest.Outcomes,
		Manifest: collection.ManifestKey(plan.Customer, id), ManifestSHA256: digest(raw),
	}
	for _, s := range manifest.Sources {
		status.Sources = append(status.Sources, collection.SourceProgress{
			Source: s.Source, Records: s.Expected, Released: s.Expected, Outcomes: s.Outcomes,
		})
	}
	return status, nil
}

// plan is a submission's plan; ErrNotFound when there is none.
func (c *Client) plan(ctx context.Context, id string) (collection.PlanResult, error) {
	var plan collection.PlanResult
	if err := collection.CheckSubmissionID(id); err != nil {
		return plan, err
	}
	body, err := c.store.Get(ctx, collection.PlanKey(id), maxDocument)
	if errors.Is(err, collection.ErrObjectMissing) {
		return plan, fmt.Errorf("there is no submission %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return plan, fmt.Errorf("read the plan of %s: %w", id, err)
	}
	if err := json.Unmarshal(body, &plan); err != nil {
		return plan, fmt.Errorf("read the plan of %s: %w", id, err)
	}
	return plan, nil
}

func (c *Client) manifest(ctx context.Context, plan collection.PlanResult) (collection.Manifest, []byte, error) {
	var manifest collection.Manifest
	key := collection.ManifestKey(plan.Customer, plan.Submission)
	body, err := c.store.Get(ctx, key, maxDocument)
	if err != nil {
		return manifest, nil, fmt.Errorf("read %s: %w", key, err)
	}
	if err := json.Unmarshal(body, &manifest); err != nil {
		return manifest, nil, fmt.Errorf("read %s: %w", key, err)
	}
	return manifest, body, nil
}
