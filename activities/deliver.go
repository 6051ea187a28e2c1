package activities

import (
	"context"
	"errors"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/faults"
)

// Deliverer stores documents in weir's bucket, with proof.
type Deliverer struct {
	Store   Store
	Metrics Metrics
	Clock   Clock
}

// Deliver writes a record's document under the record's own name, once, and asks the bucket what it holds. The same
// document again changes nothing; another document is a new generation, never a silent overwrite.
func (d *Deliverer) Deliver(ctx context.Context, in collection.DeliverInput) (collection.DeliverResult, error) {
	a := begin(ctx)
	result, err := safely(ctx, "delivery", func() (collection.DeliverResult, error) { return d.deliver(ctx, a, in) })
	countDeadLetter(d.Metrics, in.Source, err)
	if err == nil {
		d.Metrics.RecordEnded(in.Source, collection.OutcomeDelivered, "")
	}
	return result, a.end(err)
}

func (d *Deliverer) deliver(ctx context.Context, a *attempt, in collection.DeliverInput) (collection.DeliverResult, error) {
	if err := a.killer(); err != nil {
		return collection.DeliverResult{}, err
	}
	faults.Strike("delivery", in.RecordID)
	body, err := wholeDocument(ctx, d.Store, in.Document)
	if err != nil {
		return collection.DeliverResult{}, err
	}
	key := collection.DeliveredKey(in.Customer, in.Submission, in.RecordID)
	written, err := d.write(ctx, a, key, body)
	if err != nil {
		return collection.DeliverResult{}, err
	}
	if err := confirm(ctx, a, d.Store, key, body); err != nil {
		return collection.DeliverResult{}, err
	}
	now := d.Clock()
	d.Metrics.Delivered(in.Customer, int64(len(body)), now.Sub(in.AcceptedAt))
	return collection.DeliverResult{Delivered: collection.Delivered{
		Key: key, SHA256: in.Document.SHA256, Size: in.Document.Size, Generation: written.Generation, VerifiedAt: now.UTC(),
	}}, nil
}

func (d *Deliverer) write(ctx context.Context, a *attempt, key string, body []byte) (collection.ObjectInfo, error) {
	info, stood, err := writeGeneration(ctx, d.Store, key, body, typeJSON)
	if stood != nil {
		activity.GetLogger(ctx).Warn("the record was delivered with another content before; this is the next generation",
			"key", key, "generation", stood.Generation)
	}
	var conflict *collection.ConflictError
	if errors.As(err, &conflict) {
		// Somebody else wrote between our two calls.
		return info, a.contested(conflict.Error())
	}
	if err != nil {
		return info, storeFailed(ctx, "deliver "+key, err)
	}
	return info, nil
}
