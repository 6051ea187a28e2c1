package starter

import (
	"context"
	"errors"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// Redeliver writes the delivery of a submission that has ended again, out of what is in weir's bucket, and waits for it:
// nothing is collected. to is the customer whose destination takes it; without one it is the submission's own customer's,
// and where that has none the delivery in weir's bucket is checked, and lost files of it are made again. Where somebody has
// asked for the same already, Redeliver waits for that; one to another place is refused until that has ended.
func (c *Client) Redeliver(ctx context.Context, id, to string) (collection.RedeliverResult, error) {
	var result collection.RedeliverResult
	status, running, err := c.look(ctx, id)
	if err != nil {
		return result, err
	}
	if running {
		return result, fmt.Errorf("submission %s is still under way, and its delivery is not written yet: wait for its end: %w", id, ErrNotSettled)
	}
	plan, err := c.planned(ctx, id)
	if err != nil {
		return result, err
	}
	in := collection.RedeliverInput{
		ShipInput: collection.ShipInput{Submission: id, Customer: plan.Customer, To: to},
		Cancelled: status.State == collection.StateCancelled,
	}
	if manifest, _, err := c.manifest(ctx, plan); err == nil {
		// A cancelled submission whose delivery was not shipped has failed, too.
		in.Cancelled = manifest.State == collection.StateCancelled
	}
	if err := in.Check(); err != nil {
		return result, err
	}
	run, err := c.startRedelivery(ctx, plan, in)
	if err != nil {
		return result, err
	}
	if err := run.Get(ctx, &result); err != nil {
		var app *temporal.ApplicationError
		if errors.As(err, &app) {
			return result, errors.New(app.Message())
		}
		return result, fmt.Errorf("redeliver submission %s: %w", id, err)
	}
	return result, nil
}

// startRedelivery starts one, or joins the one that does the same already.
func (c *Client) startRedelivery(ctx context.Context, plan collection.PlanResult, in collection.RedeliverInput) (client.WorkflowRun, error) {
	id := collection.RedeliverWorkflowID(in.Submission)
	customer := temporal.NewSearchAttributeKeyKeyword(collection.AttributeCustomer)
	run, err := c.engine.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                    id,
		TaskQueue:             collection.QueueWorkflows,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		// Not USE_EXISTING: the one that runs may bring the delivery to another place.
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		TypedSearchAttributes:    temporal.NewSearchAttributes(customer.ValueSet(plan.Customer)),
		Priority:                 temporal.Priority{FairnessKey: plan.Customer},
		StaticSummary:            "deliver " + in.Submission + " again",

		WorkflowExecutionErrorWhenAlreadyStarted: true,
	}, collection.WorkflowRedeliver, in)
	var running *serviceerror.WorkflowExecutionAlreadyStarted
	switch {
	case err == nil:
		return run, nil
	case !errors.As(err, &running):
		return nil, fmt.Errorf("start the redelivery of submission %s: %w", in.Submission, err)
	}
	other, err := startInput[collection.RedeliverInput](ctx, c, id, running.RunId)
	if err != nil {
		return nil, fmt.Errorf("ask where the redelivery of submission %s that runs goes: %w", in.Submission, err)
	}
	if other.To != in.To {
		return nil, fmt.Errorf("submission %s is being delivered again already, to %s, and not to %s: wait until that has ended, or cancel it "+
			"(temporal workflow cancel --workflow-id %s), and then ask once more", in.Submission, placeShown(other.To), placeShown(in.To), id)
	}
	return c.engine.GetWorkflow(ctx, id, running.RunId), nil
}

// placeShown names where a redelivery goes.
func placeShown(to string) string {
	if to == "" {
		return "where its own customer takes it"
	}
	return "the destination of customer " + to
}
