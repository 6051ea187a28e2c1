package activities

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
)

// Destinations opens customers' destinations. Errors are collection.ErrDestinationRefused where only a person can help.
type Destinations interface {
	OpenDestination(ctx context.Context, d collection.Destination) (Store, error)
}

// Shipper brings settled deliveries to customers' own buckets, with proof.
type Shipper struct {
	Store        Store
	Directory    Directory
	Destinations Destinations
	Engine       Describer
	Clock        Clock
}

// Describer knows runs of workflows. ErrUnknownToEngine says that it does not, or no longer.
type Describer interface {
	// Describe is exact. An empty run is the latest.
	Describe(ctx context.Context, workflowID, runID string) (Described, error)
}

// Ship copies a settled delivery from weir's bucket to a destination: its parts and failures, the records' own objects
// where the destination wants them, and last the manifest and its checksum, to the byte. Everything is written once and
// verified where it was written; shipping again changes nothing. What is settled again meanwhile is shipped as it stands then.
// A file that weir's own bucket has lost is delivery_lost, with a ShipLoss: Settle makes it again. A redelivery of a submission
// that has not ended is refused then.
func (s *Shipper) Ship(ctx context.Context, in collection.ShipInput) (collection.ShipResult, error) {
	a := begin(ctx)
	result, err := s.ship(ctx, a, in)
	return result, a.end(a.unshipped(ctx, s.loss(ctx, in, err)))
}

// ship brings the delivery that stands, and begins anew where another one stands before it is told of at the destination.
func (s *Shipper) ship(ctx context.Context, a *attempt, in collection.ShipInput) (collection.ShipResult, error) {
	for range mostAnew {
		result, err := s.shipStanding(ctx, a, in)
		if !errors.Is(err, errOtherDelivery) {
			return result, err
		}
		activity.GetLogger(ctx).Info("the shipment begins anew: the submission was settled again meanwhile")
	}
	return collection.ShipResult{}, settledAllTheTime(in.Submission)
}

func (s *Shipper) shipStanding(ctx context.Context, a *attempt, in collection.ShipInput) (collection.ShipResult, error) {
	delivery, err := s.readDelivery(ctx, in)
	if err != nil {
		return collection.ShipResult{}, err
	}
	to, err := s.destination(ctx, in)
	if err != nil {
		return collection.ShipResult{}, err
	}
	sh := &shipment{shipper: s, attempt: a, delivery: delivery, to: to}
	if err := sh.resume(ctx); err != nil {
		return collection.ShipResult{}, err
	}
	for _, file := range delivery.manifest.Files[sh.files:] {
		if err := sh.file(ctx, file); err != nil {
			return collection.ShipResult{}, err
		}
	}
	if to == nil {
		return sh.proof(), nil
	}
	if to.Objects {
		if err := sh.objects(ctx); err != nil {
			return collection.ShipResult{}, err
		}
	}
	for _, file := range delivery.last {
		if err := sh.putLast(ctx, file); err != nil {
			return collection.ShipResult{}, err
		}
		sh.files++
	}
	result := sh.proof()
	if in.To != "" && in.To != in.Customer {
		// The customer's own destination has nothing of this.
		return result, sh.stands(ctx)
	}
	return result, sh.note(ctx, result)
}

// target is a destination that is open.
type target struct {
	collection.Destination
	store  Store
	folder string
}

// address is where a delivery goes, for people: no part of it is secret.
func (t *target) address() string {
	endpoint := strings.TrimRight(t.Endpoint, "/")
	if endpoint == "" {
		return "s3://" + t.Bucket + "/" + t.folder
	}
	return endpoint + "/" + t.Bucket + "/" + t.folder
}

// destination opens the one that a shipment goes to; nil where there is none and none was named.
func (s *Shipper) destination(ctx context.Context, in collection.ShipInput) (*target, error) {
	name := in.To
	if name == "" {
		name = in.Customer
	}
	customer, known := s.Directory.Customer(name)
	if known && !customer.Takes(in.Customer) {
		return nil, &destinationError{fmt.Errorf("the destination of customer %s takes nothing of customer %s: list it in takes_for there, if it may (%w)",
			name, in.Customer, collection.ErrDestinationRefused)}
	}
	d := customer.Destination
	if d.IsZero() {
		if in.To == "" {
			return nil, nil
		}
		return nil, &destinationError{fmt.Errorf("customer %q has no destination in this worker's configuration (%w)", name, collection.ErrDestinationRefused)}
	}
	store, err := s.Destinations.OpenDestination(ctx, d)
	if err != nil {
		return nil, &destinationError{fmt.Errorf("open the destination of customer %s: %w", name, err)}
	}
	return &target{Destination: d, store: proving{store}, folder: d.Folder(in.Submission)}, nil
}

// maxRefused is how often a destination may refuse before a person is asked. A minute lies between two times, so that a
// key that is just being replaced, or a worker with an old configuration, does not fail a submission.
const maxRefused = 5

// refused is the failure of a shipment that only a person can help. The reason of the tries before the last is one that may
// be retried.
func (a *attempt) refused(err error) error {
	f := collection.AttemptFailure{Detail: err.Error()}
	if a.inARow(collection.ReasonDestinationRefused) < maxRefused {
		return transient(collection.ReasonStoreUnavailable, deniedRetry, f, nil)
	}
	return final(collection.ReasonDestinationRefused, f, nil)
}

// destinationError is what a destination, and not weir's own bucket, has answered.
type destinationError struct{ error }

// Unwrap gives the answer.
func (e *destinationError) Unwrap() error { return e.error }

// unshipped shapes an error of the destination, once for each attempt however many objects met it; others have their shape.
func (a *attempt) unshipped(ctx context.Context, err error) error {
	var at *destinationError
	if !errors.As(err, &at) || ctx.Err() != nil {
		return err
	}
	var conflict *collection.ConflictError
	switch {
	case errors.As(err, &conflict):
		return a.contested("at the destination: " + conflict.Error())
	case errors.Is(err, collection.ErrDestinationRefused), errors.Is(err, collection.ErrStoreDenied):
		return a.refused(at.error)
	}
	return storeFailed(ctx, "ship", at.error)
}

// inARow counts how often in a row an attempt has met a reason.
func (a *attempt) inARow(reason collection.Reason) int {
	times := 0
	a.update(func(p *collection.AttemptProgress) {
		if p.Reason != reason {
			p.Reason, p.InARow = reason, 0
		}
		p.InARow++
		times = p.InARow
	})
	return times
}
