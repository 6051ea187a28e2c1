package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/weir-collect/weir/collection"
)

// A redelivery may be under way for hours, and a replay may settle and ship meanwhile. Whoever is late must not bring the
// destination back to an older generation: the manifest is its word about what is there. So weir's own manifest is looked at
// between the look at what stands in a place and the write that takes it, which is conditional on just that: then
// whatever another shipment has written in between is noticed, and one that comes later finds ours.

// errOtherDelivery says that another delivery stands in weir's bucket than the one that is being shipped.
var errOtherDelivery = errors.New("another delivery stands by now")

// mostAnew is how often one attempt of a shipment begins.
const mostAnew = 5

func settledAllTheTime(submission string) error {
	return transient(collection.ReasonStoreUnavailable, 0, collection.AttemptFailure{
		Detail: fmt.Sprintf("submission %s was settled again %d times while it was shipped: who does so?", submission, mostAnew),
	}, nil)
}

// stands fails with errOtherDelivery unless the manifest in weir's bucket is the one that is being shipped.
func (sh *shipment) stands(ctx context.Context) error { return sh.shipper.stands(ctx, sh.delivery) }

func (s *Shipper) stands(ctx context.Context, d *delivery) error {
	key := collection.ManifestKey(d.plan.Customer, d.plan.Submission)
	info, err := proving{s.Store}.Head(ctx, key)
	switch {
	case errors.Is(err, collection.ErrObjectMissing):
		return errOtherDelivery
	case err != nil:
		return storeFailed(ctx, "look at "+key, err)
	case info.SHA256 != d.sha256:
		return errOtherDelivery
	}
	return nil
}

// putLast writes one of the files that tell of all others, unless the delivery is not the one that stands.
func (sh *shipment) putLast(ctx context.Context, file lastFile) error {
	if err := sh.stands(ctx); err != nil {
		return err
	}
	key := sh.to.folder + file.name
	_, err := sh.to.store.Create(ctx, key, file.body, file.contentType)
	var there *collection.ConflictError
	if errors.As(err, &there) {
		if err := sh.stands(ctx); err != nil {
			return err
		}
		_, err = sh.to.store.Replace(ctx, key, file.body, file.contentType, there.Existing)
	}
	if err != nil {
		return &destinationError{err}
	}
	if there != nil {
		warnOfGeneration(ctx, key, there.Existing.Generation)
	}
	return sh.verify(ctx, key, file.body)
}

// note keeps the proof of a shipment to the customer's own destination where it outlives the engine's memory.
func (sh *shipment) note(ctx context.Context, result collection.ShipResult) error {
	body, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("encode the proof of shipment: %w", err)
	}
	store, key := sh.shipper.Store, collection.ShipmentKey(sh.submission())
	var standing *collection.ObjectInfo
	info, err := store.Head(ctx, key)
	switch {
	case err == nil:
		standing = &info
	case !errors.Is(err, collection.ErrObjectMissing):
		return storeFailed(ctx, "look at "+key, err)
	}
	if err := sh.stands(ctx); err != nil {
		return err
	}
	err = swap(ctx, store, key, append(body, '\n'), typeJSON, standing)
	var noted *collection.ConflictError
	if errors.As(err, &noted) {
		// Another shipment has just noted its own.
		return errOtherDelivery
	}
	if err != nil {
		return storeFailed(ctx, "write "+key, err)
	}
	return nil
}
