package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/intake"
)

// Batches reads batches and writes their parts of the ledger.
type Batches struct {
	Store Store
}

// maxBatchObject bounds what is read of a batch: its size plus one row of the largest kind. JSON may write a byte of the
// row as six in the fields, and as seven in a key that is made of them.
const maxBatchObject = maxBatchBytes + 14*intake.DefaultMaxRow

// LoadBatch reads the records of one batch. A large record is returned as a reference to its line.
func (b *Batches) LoadBatch(ctx context.Context, in collection.LoadBatchInput) (collection.LoadBatchResult, error) {
	return keptAlive(ctx, func() (collection.LoadBatchResult, error) {
		records, err := readBatch(ctx, b.Store, in.Submission, in.Source, in.Number)
		return collection.LoadBatchResult{Records: records}, err
	})
}

func readBatch(ctx context.Context, store Store, submission, source string, n int) ([]collection.Record, error) {
	return readBatchInline(ctx, store, submission, source, n, collection.MaxRecordInline)
}

// readBatchInline is readBatch with another bound on what is returned by value.
func readBatchInline(ctx context.Context, store Store, submission, source string, n, inline int) ([]collection.Record, error) {
	key := collection.BatchKey(submission, source, n)
	body, err := store.Get(ctx, key, maxBatchObject)
	if errors.Is(err, collection.ErrObjectMissing) {
		return nil, finalf(collection.ReasonInternal, "the batch %s is gone: was it deleted?", key)
	}
	if err != nil {
		return nil, storeFailed(ctx, "read the batch "+key, err)
	}
	var records []collection.Record
	offset := int64(0)
	for line := range bytes.Lines(body) {
		var r collection.Record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, finalf(collection.ReasonInternal, "the batch %s is damaged at byte %d: %w", key, offset, err)
		}
		if len(line) > inline {
			r = collection.Record{
				ID: r.ID, Line: r.Line, Key: collection.Clip(r.Key, collection.MaxKeyShown),
				Stored: &collection.ObjectRange{Key: key, Offset: offset, Length: int64(len(line))},
			}
		}
		records = append(records, r)
		offset += int64(len(line))
	}
	return records, nil
}

// WriteLedger stores how the records of one batch ended, all of them or some: beside the rows that stand, and in their places
// only where it brings news; see replaces. Rows of a submission before under the same id are dropped. Writing the same again
// changes nothing.
func (b *Batches) WriteLedger(ctx context.Context, in collection.WriteLedgerInput) (collection.WriteLedgerResult, error) {
	key := collection.LedgerKey(in.Submission, in.Source, in.Number)
	return keptAlive(ctx, func() (collection.WriteLedgerResult, error) {
		rows := dated(ctx, in.Rows)
		_, err := untilWritten(func() (string, error) { return addToLedger(ctx, b.Store, in.Submission, key, rows) })
		if err != nil {
			return collection.WriteLedgerResult{}, err
		}
		return collection.WriteLedgerResult{Ledger: key}, nil
	})
}

// addToLedger makes one attempt, by compare and swap, and returns where the part that stood is kept, if rows of it were
// replaced; a *collection.ConflictError says that it has changed under its hands.
func addToLedger(ctx context.Context, store Store, submission, key string, rows []collection.LedgerRow) (kept string, err error) {
	body, standing, there, err := readLedger(ctx, store, key)
	if err != nil {
		return "", err
	}
	own := standing
	if there != nil {
		accepted, err := acceptedAt(ctx, store, submission)
		if err != nil {
			return "", err
		}
		own, rows = collection.RowsOfLife(accepted, standing), collection.RowsOfLife(accepted, rows)
	}
	all, added, replaced := withRows(own, rows)
	replaced = replaced || len(own) < len(standing)
	if there != nil && !added && !replaced {
		return "", nil
	}
	if replaced {
		if kept, err = keepGeneration(ctx, store, key, body, there.Generation); err != nil {
			return "", err
		}
	}
	return kept, swapLedger(ctx, store, key, all, there)
}

// readLedger reads a part of the ledger, and what identifies it; nil where there is none.
func readLedger(ctx context.Context, store Store, key string) ([]byte, []collection.LedgerRow, *collection.ObjectInfo, error) {
	body, info, err := readWhole(ctx, store, key, maxLedgerObject)
	if errors.Is(err, collection.ErrObjectMissing) {
		return nil, nil, nil, nil
	}
	if err != nil {
		return nil, nil, nil, storeFailed(ctx, "read the ledger "+key, err)
	}
	rows, err := collection.DecodeLines[collection.LedgerRow](body)
	if err != nil {
		return nil, nil, nil, finalf(collection.ReasonInternal, "%s is damaged in %w", key, err)
	}
	return body, rows, &info, nil
}

// swapLedger writes a part of the ledger in the place of the one that was read.
func swapLedger(ctx context.Context, store Store, key string, rows []collection.LedgerRow, there *collection.ObjectInfo) error {
	body, err := encodeLines(rows)
	if err != nil {
		return fmt.Errorf("the ledger %s: %w", key, err)
	}
	return unlessCrossed(ctx, "store the ledger "+key, swap(ctx, store, key, body, typeJSONLines, there))
}

// withRows puts news into the rows of their records, and rows of others behind them.
func withRows(standing, rows []collection.LedgerRow) (all []collection.LedgerRow, added, replaced bool) {
	place := make(map[string]int, len(standing))
	for i, row := range standing {
		place[row.Record] = i
	}
	for _, row := range rows {
		i, ok := place[row.Record]
		switch {
		case !ok:
			standing, added = append(standing, row), true
		case takeOver(&standing[i], row):
			replaced = true
		}
	}
	return standing, added, replaced
}
