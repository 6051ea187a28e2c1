package starter

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
)

// maxShipment bounds what is read of a proof of shipment.
const maxShipment = 1 << 20

// teller says how a submission's workflow ended; false where nobody knows.
type teller func(context.Context) (end collection.SubmissionStatus, known bool, err error)

// shippedStatus corrects a status that was read from the manifest: a delivery that the customer's destination has not got,
// as it is now, is none. Why, its workflow's end tells.
func (c *Client) shippedStatus(ctx context.Context, plan collection.PlanResult, status *collection.SubmissionStatus, ended teller) error {
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
	end, known, err := ended(ctx)
	if err != nil {
		return err
	}
	known = known && !collection.BeforeLife(plan.AcceptedAt, end.AcceptedAt)
	status.State, status.Reason = collection.StateFailed, collection.ReasonDestinationRefused
	status.Detail = fmt.Sprintf("the submission is settled in weir's bucket, but its delivery has not reached the customer's destination: "+
		"run weir redeliver %s", plan.Submission)
	// What was shipped after that workflow began was shipped by another: then it is a later delivery that has not arrived.
	if known && end.State == collection.StateFailed && !shipped.VerifiedAt.After(end.AcceptedAt) {
		status.Reason = end.Reason
		if !strings.Contains(end.Detail, "weir redeliver "+plan.Submission) {
			end.Detail = status.Detail + " (" + end.Detail + ")"
		}
		status.Detail = end.Detail
	}
	return nil
}

// beside are the workflows that work on a submission right now besides its own: its replay and its redelivery.
func (c *Client) beside(ctx context.Context, submission string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, id := range []string{collection.ReplayWorkflowID(submission), collection.RedeliverWorkflowID(submission)} {
			described, err := c.describe(ctx, id)
			switch {
			case engine.IsUnknown(err):
				continue
			case err != nil:
				yield(id, fmt.Errorf("ask for %s: %w", id, err))
				return
			case isRunning(described) && !yield(id, nil):
				return
			}
		}
	}
}

// shippedNow is the workflow that brings a delivery to the customer's own destination right now, besides the submission's;
// empty where none does. One whose worker does not answer is believed to.
func (c *Client) shippedNow(ctx context.Context, plan collection.PlanResult) (string, error) {
	for id, err := range c.beside(ctx, plan.Submission) {
		if err != nil || c.ships(ctx, id, plan.Customer) {
			return id, err
		}
	}
	return "", nil
}

func (c *Client) ships(ctx context.Context, id, customer string) bool {
	var now struct {
		Stage string `json:"stage"`
		To    string `json:"to"`
	}
	query, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	value, err := c.engine.QueryWorkflow(query, id, "", collection.QueryStatus)
	if err == nil {
		err = value.Get(&now)
	}
	ours := now.To == "" || now.To == customer
	return err != nil || ours && (now.Stage == "settle" || now.Stage == "ship")
}

// shipment is the proof of the latest shipment; the zero one where there is none.
func (c *Client) shipment(ctx context.Context, id string) (collection.ShipResult, error) {
	shipped, err := documentIfThere[collection.ShipResult](ctx, c.store, collection.ShipmentKey(id), maxShipment)
	if shipped == nil {
		return collection.ShipResult{}, err
	}
	return *shipped, nil
}
