package starter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// maxShipment bounds what is read of a proof of shipment.
const maxShipment = 1 << 20

// Redeliver writes the delivery of a submission that has ended again, out of what is in weir's bucket, and waits for it:
// nothing is collected. to is the customer whose destination takes it; without one it is the submission's own customer's,
// and where that has none the delivery in weir's bucket is checked, and lost files of it are made again. Where somebody has
// asked for it already, Redeliver waits for that.
func (c *Client) Redeliver(ctx context.Context, id, to string) (collection.RedeliverResult, error) {
	var result collection.RedeliverResult
	plan, err := c.planned(ctx, id)
	if err != nil {
		return result, err
	}
	status, running, err := c.look(ctx, id)
	if err != nil {
		return result, err
	}
	if running {
		return result, fmt.Errorf("submission %s is still under way, and its delivery is not written yet: wait for its end", id)
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
	customer := temporal.NewSearchAttributeKeyKeyword(collection.AttributeCustomer)
	run, err := c.engine.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                       collection.RedeliverWorkflowID(id),
		TaskQueue:                collection.QueueWorkflows,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes:    temporal.NewSearchAttributes(customer.ValueSet(plan.Customer)),
		Priority:                 temporal.Priority{FairnessKey: plan.Customer},
		StaticSummary:            "deliver " + id + " again",
	}, collection.WorkflowRedeliver, in)
	if err != nil {
		return result, fmt.Errorf("start the redelivery of submission %s: %w", id, err)
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

// shippedStatus corrects a status that was read from the manifest: a delivery that the customer's destination has not got,
// as it is now, is none (H02).
func (c *Client) shippedStatus(ctx context.Context, plan collection.PlanResult, status *collection.SubmissionStatus) error {
	if !plan.Ship || status.Result == nil {
		return nil
	}
	shipped, err := c.shipment(ctx, plan.Submission)
	if err != nil {
		return err
	}
	if shipped.ManifestSHA256 == status.Result.ManifestSHA256 {
		return nil
	}
	by, err := c.shippedNow(ctx, plan)
	if err != nil {
		return err
	}
	if by != "" {
		status.State, status.Stage = collection.StateProcessing, "ship"
		status.Notes = append(slices.Clip(status.Notes), fmt.Sprintf("the workflow %s is bringing its delivery to the customer's destination", by))
		return nil
	}
	status.State, status.Reason = collection.StateFailed, collection.ReasonDestinationRefused
	status.Detail = fmt.Sprintf("the submission is settled in weir's bucket, but its delivery has not reached the customer's destination: "+
		"run weir redeliver %s", plan.Submission)
	return nil
}

// shippedNow is the workflow that brings a delivery to the customer's own destination right now, besides the submission's: its
// replay or its redelivery; empty where none does. One whose worker does not answer is believed to.
func (c *Client) shippedNow(ctx context.Context, plan collection.PlanResult) (string, error) {
	for _, id := range []string{collection.ReplayWorkflowID(plan.Submission), collection.RedeliverWorkflowID(plan.Submission)} {
		described, err := c.describe(ctx, id)
		switch {
		case isNotFound(err):
			continue
		case err != nil:
			return "", fmt.Errorf("ask for %s: %w", id, err)
		case !isRunning(described):
			continue
		}
		var now struct {
			Stage string `json:"stage"`
			To    string `json:"to"`
		}
		query, cancel := context.WithTimeout(ctx, queryTimeout)
		value, err := c.engine.QueryWorkflow(query, id, "", collection.QueryStatus)
		if err == nil {
			err = value.Get(&now)
		}
		cancel()
		ours := now.To == "" || now.To == plan.Customer
		if err != nil || ours && (now.Stage == "settle" || now.Stage == "ship") {
			return id, nil
		}
	}
	return "", nil
}

// shippedSince finds that the delivery of a submission whose workflow failed has been, or is being, shipped by a redelivery.
func (c *Client) shippedSince(ctx context.Context, id string) (collection.SubmissionStatus, bool) {
	plan, err := c.plan(ctx, id)
	if err != nil || !plan.Ship {
		return collection.SubmissionStatus{}, false
	}
	status, err := c.storedStatus(ctx, id)
	if err != nil || status.Result == nil || status.State == collection.StateFailed {
		return status, false
	}
	if status.Stage == "" {
		status.Notes = append(status.Notes, "the submission's own workflow failed; its delivery was shipped afterwards")
	}
	return status, true
}

// shipment is the proof of the latest shipment; the zero one where there is none.
func (c *Client) shipment(ctx context.Context, id string) (collection.ShipResult, error) {
	var shipped collection.ShipResult
	key := collection.ShipmentKey(id)
	body, err := c.store.Get(ctx, key, maxShipment)
	if errors.Is(err, collection.ErrObjectMissing) {
		return shipped, nil
	}
	if err != nil {
		return shipped, fmt.Errorf("read %s: %w", key, err)
	}
	if err := json.Unmarshal(body, &shipped); err != nil {
		return shipped, fmt.Errorf("read %s: %w", key, err)
	}
	return shipped, nil
}
