package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/quality"
)

// historyRounds is how often one attempt tries to write a history that others write at the same time. In every round one of
// them gets through.
const historyRounds = 20

// remember enters a submission into the history of its source. Each write is made under the condition that the history is still
// the one that was read, so that of two submissions that are settled at the same time neither is lost.
func remember(ctx context.Context, store Store, own collection.QualityEntry) error {
	key := collection.QualityHistoryKey(own.Source)
	var conflict *collection.ConflictError
	for range historyRounds {
		history, standing, err := readHistory(ctx, store, own.Source)
		if err != nil {
			return err
		}
		next, changed := quality.Remember(history, own)
		if !changed {
			return nil
		}
		body, err := json.Marshal(next)
		if err != nil {
			return fmt.Errorf("encode the history of source %s: %w", own.Source, err)
		}
		err = swap(ctx, store, key, body, typeJSON, standing)
		switch {
		case err == nil:
			return nil
		case errors.As(err, &conflict), errors.Is(err, collection.ErrObjectMissing):
			// Somebody else was quicker, or has deleted it: look again.
		default:
			return storeFailed(ctx, "write "+key, err)
		}
	}
	// Nothing is in dispute, and so it is no conflict of a delivery, which would end the submission.
	return transient(collection.ReasonStoreUnavailable, 0, collection.AttemptFailure{
		Detail: fmt.Sprintf("%s is written by many settlements at the same time: %d tries to enter this one were too late", key, historyRounds),
	}, nil)
}

// readHistory is the history of a source, and the object that holds it; no object where there is none. One that cannot be read is
// begun anew: without it submissions are settled all the same.
func readHistory(ctx context.Context, store Store, source string) (collection.QualityHistory, *collection.ObjectInfo, error) {
	key := collection.QualityHistoryKey(source)
	body, info, err := readWhole(ctx, store, key, maxQuality)
	if errors.Is(err, collection.ErrObjectMissing) {
		return collection.QualityHistory{}, nil, nil
	}
	if err != nil {
		return collection.QualityHistory{}, nil, storeFailed(ctx, "read "+key, err)
	}
	var history collection.QualityHistory
	if err := json.Unmarshal(body, &history); err != nil || history.Source != source {
		activity.GetLogger(ctx).Warn("the history of a source cannot be read and is begun anew", "object", key)
		return collection.QualityHistory{}, &info, nil
	}
	return history, &info, nil
}

// unique is names without repetition, in order.
func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
