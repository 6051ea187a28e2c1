package activities

import (
	"context"

	"github.com/weir-collect/weir/collection"
)

// storeIndex writes in which batch each record is, so that one record's answer costs one small read.
func (w *planWriter) storeIndex(ctx context.Context, plan collection.PlanResult) error {
	entries := make([]collection.IndexEntry, 0, plan.Accepted)
	for place, src := range plan.Sources {
		for _, e := range w.batches[src.Source].index {
			e.Source = place
			entries = append(entries, e)
		}
	}
	index, err := collection.EncodeIndex(entries)
	if err != nil {
		return finalf(collection.ReasonInternal, "the index of submission %s: %w", plan.Submission, err)
	}
	key := collection.IndexKey(plan.Submission)
	if _, err := w.Store.Put(ctx, key, index, typeBytes); err != nil {
		return storeFailed(ctx, "store "+key, err)
	}
	return nil
}
