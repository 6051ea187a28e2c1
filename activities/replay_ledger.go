package activities

import (
	"context"
	"errors"
	"io"

	"github.com/weir-collect/weir/collection"
)

// mergeTries is how often a part of the ledger is merged again when somebody else has written it meanwhile.
const mergeTries = 5

// MergeLedger writes how replayed records ended into their part of the ledger: the next generation of it, by compare and
// swap, after the one that stands was kept. A record that was delivered meanwhile stays delivered. Merging the same again
// changes nothing.
func (r *Replayer) MergeLedger(ctx context.Context, in collection.MergeLedgerInput) (collection.MergeLedgerResult, error) {
	return keptAlive(ctx, func() (collection.MergeLedgerResult, error) {
		key := collection.LedgerKey(in.Submission, in.Source, in.Number)
		accepted, err := acceptedAt(ctx, r.Store, in.Submission)
		if err != nil {
			return collection.MergeLedgerResult{}, err
		}
		news := dated(ctx, in.Rows)
		kept, err := remakeLedger(ctx, r.Store, key, func(rows []collection.LedgerRow) ([]collection.LedgerRow, bool) {
			return mergeRows(accepted, rows, news)
		})
		return collection.MergeLedgerResult{Ledger: key, Kept: kept}, err
	})
}

// rewriteLedger is remakeLedger for a change that leaves every row in its place.
func rewriteLedger(ctx context.Context, store Store, key string, change func([]collection.LedgerRow) bool) (kept string, err error) {
	return remakeLedger(ctx, store, key, func(rows []collection.LedgerRow) ([]collection.LedgerRow, bool) { return rows, change(rows) })
}

// remake makes the rows of a part of the ledger out of those that stand, and says whether there was anything to change.
type remake func(standing []collection.LedgerRow) (rows []collection.LedgerRow, changed bool)

// remakeLedger writes the next generation of a part of the ledger, by compare and swap, and returns where the one before is
// kept. change is called again on what somebody else has written meanwhile.
func remakeLedger(ctx context.Context, store Store, key string, change remake) (kept string, err error) {
	return untilWritten(func() (string, error) { return remakeOnce(ctx, store, key, change) })
}

// untilWritten tries again for as long as a write is crossed by others, which a *collection.ConflictError says.
func untilWritten[T any](try func() (T, error)) (T, error) {
	var lastMet *collection.ConflictError
	for range mergeTries {
		written, err := try()
		if !errors.As(err, &lastMet) {
			return written, err
		}
	}
	var none T
	return none, transient(collection.ReasonStoreUnavailable, 0,
		collection.AttemptFailure{Detail: lastMet.Error() + ": somebody else writes it all the time"}, nil)
}

// remakeOnce makes one attempt; a *collection.ConflictError says that the part has changed under its hands.
func remakeOnce(ctx context.Context, store Store, key string, change remake) (kept string, err error) {
	body, info, err := readWhole(ctx, store, key, maxLedgerObject)
	if errors.Is(err, collection.ErrObjectMissing) {
		return "", finalf(collection.ReasonInternal, "the part %s of the ledger is gone: was it deleted?", key)
	}
	if err != nil {
		return "", storeFailed(ctx, "read "+key, err)
	}
	standing, err := collection.DecodeLines[collection.LedgerRow](body)
	if err != nil {
		return "", finalf(collection.ReasonInternal, "%s is damaged in %w", key, err)
	}
	rows, changed := change(standing)
	if !changed {
		return "", nil
	}
	next, err := encodeLines(rows)
	if err != nil {
		return "", err
	}
	if kept, err = keepGeneration(ctx, store, key, body, info.Generation); err != nil {
		return "", err
	}
	_, err = store.Replace(ctx, key, next, typeJSONLines, info)
	return kept, unlessCrossed(ctx, "write "+key, err)
}

// unlessCrossed shapes the error of a conditional write, but for the one that says that somebody else was faster.
func unlessCrossed(ctx context.Context, doing string, err error) error {
	var crossed *collection.ConflictError
	if err == nil || errors.As(err, &crossed) {
		return err
	}
	return storeFailed(ctx, doing, err)
}

// mostGenerations bounds the search for a name that is free.
const mostGenerations = 1000

// keepGeneration stores the content of an object beside it, before the next generation takes its place, and returns the name.
// What is kept is never written over: an object whose generation nobody has counted takes the first name that is free.
func keepGeneration(ctx context.Context, store Store, key string, body []byte, generation int) (string, error) {
	return createFree(ctx, store, key, body, typeBytes, max(generation, 1))
}

// createFree writes an object under the first name of a generation, from the given one on, that is free or has this content
// already, and returns the name.
func createFree(ctx context.Context, store Store, key string, body []byte, contentType string, first int) (string, error) {
	for g := first; g < first+mostGenerations; g++ {
		name := collection.GenerationKey(key, g)
		_, err := store.Create(ctx, name, body, contentType)
		var taken *collection.ConflictError
		if errors.As(err, &taken) {
			continue
		}
		if err != nil {
			return "", storeFailed(ctx, "write "+name, err)
		}
		return name, nil
	}
	return "", finalf(collection.ReasonInternal, "%d generations of %s are kept already: who writes it all the time?", mostGenerations, key)
}

// readWhole reads an object of at most limit bytes together with what identifies that content.
func readWhole(ctx context.Context, store Store, key string, limit int64) ([]byte, collection.ObjectInfo, error) {
	stream, info, err := store.Open(ctx, key)
	if err != nil {
		return nil, info, err
	}
	defer stream.Close()
	if info.Size > limit {
		return nil, info, &collection.TooLargeError{Key: key, Size: info.Size, Limit: limit}
	}
	body, err := io.ReadAll(stream)
	return body, info, err
}
