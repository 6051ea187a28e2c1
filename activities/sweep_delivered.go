package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/weir-collect/weir/collection"
)

// endStanding is how far a submission that failed has come all the same, by itself or by a redelivery since.
type endStanding int

const (
	// endNotSettled has no manifest.
	endNotSettled endStanding = iota
	// endNotShipped has its delivery in weir's bucket, and not at the customer's destination.
	endNotShipped
	// endInPlace has its delivery where the customer wants it.
	endInPlace
)

// delivered reads from the store what the customer of a submission that failed has: the manifest where weir delivers, and the
// proof of its shipment where it goes on to a destination.
func (c *sweepCheck) delivered(ctx context.Context, e Execution) (endStanding, error) {
	if e.Customer != "" {
		// Most have none, and a plan may be large.
		if settled, err := c.settled(ctx, e.Customer, e.WorkflowID); err != nil || !settled {
			return endNotSettled, err
		}
	}
	var plan collection.PlanResult
	planned, err := c.read(ctx, collection.PlanKey(e.WorkflowID), maxPlan, &plan)
	if err != nil || !planned {
		return endNotSettled, err // nothing that can be found again
	}
	if settled, err := c.settled(ctx, plan.Customer, e.WorkflowID); err != nil || !settled {
		return endNotSettled, err
	}
	if !plan.Ship {
		return endInPlace, nil
	}
	return c.shipped(ctx, plan)
}

func (c *sweepCheck) settled(ctx context.Context, customer, submission string) (bool, error) {
	_, err := c.Store.Head(ctx, collection.ManifestKey(customer, submission))
	if errors.Is(err, collection.ErrObjectMissing) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for the manifest of %s: %w", submission, err)
	}
	return true, nil
}

// shipped compares the proof with the manifest as it is now: one that a replay has written since is not shipped by the proof
// of an older one.
func (c *sweepCheck) shipped(ctx context.Context, plan collection.PlanResult) (endStanding, error) {
	var proof collection.ShipResult
	if proven, err := c.read(ctx, collection.ShipmentKey(plan.Submission), maxEnd, &proof); err != nil || !proven {
		return endNotShipped, err
	}
	key := collection.ManifestSumKey(plan.Customer, plan.Submission)
	sum, err := c.Store.Get(ctx, key, maxEnd)
	switch {
	case errors.Is(err, collection.ErrObjectMissing):
		return endNotShipped, nil
	case err != nil:
		return endNotShipped, fmt.Errorf("read %s: %w", key, err)
	case string(sum) != manifestSum(proof.ManifestSHA256):
		return endNotShipped, nil
	}
	return endInPlace, nil
}

// read reads a JSON object; false says that there is none.
func (c *sweepCheck) read(ctx context.Context, key string, limit int64, into any) (bool, error) {
	body, err := c.Store.Get(ctx, key, limit)
	if errors.Is(err, collection.ErrObjectMissing) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", key, err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return false, fmt.Errorf("read %s: %w", key, err)
	}
	return true, nil
}
