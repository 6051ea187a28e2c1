package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

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
		if at, err := c.written(ctx, collection.ManifestKey(e.Customer, e.WorkflowID)); err != nil || at.IsZero() {
			return endNotSettled, err
		}
	}
	var plan collection.PlanResult
	planned, err := c.read(ctx, collection.PlanKey(e.WorkflowID), maxPlan, &plan)
	if err != nil || !planned {
		return endNotSettled, err // nothing that can be found again
	}
	if settled, err := c.settled(ctx, plan); err != nil || !settled {
		return endNotSettled, err
	}
	if !plan.Ship {
		return endInPlace, nil
	}
	return c.shipped(ctx, plan)
}

// settled says whether the manifest is that of the submission. One of a submission before under the same id is none, and
// neither is what nobody can read.
func (c *sweepCheck) settled(ctx context.Context, plan collection.PlanResult) (bool, error) {
	key := collection.ManifestKey(plan.Customer, plan.Submission)
	body, err := c.Store.Get(ctx, key, maxPlan)
	if errors.Is(err, collection.ErrObjectMissing) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", key, err)
	}
	var m collection.Manifest
	return json.Unmarshal(body, &m) == nil && m.IsOf(plan), nil
}

// written is when an object was last written, by the store's own clock; zero where there is none.
func (c *sweepCheck) written(ctx context.Context, key string) (time.Time, error) {
	info, err := c.Store.Head(ctx, key)
	if errors.Is(err, collection.ErrObjectMissing) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("look for %s: %w", key, err)
	}
	return info.LastModified, nil
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
