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

// WriteLedger stores how the records of one batch ended.
func (b *Batches) WriteLedger(ctx context.Context, in collection.WriteLedgerInput) (collection.WriteLedgerResult, error) {
	key := collection.LedgerKey(in.Submission, in.Source, in.Number)
	write := writeLedger
	if in.Part {
		write = addToLedger
	}
	return keptAlive(ctx, func() (collection.WriteLedgerResult, error) {
		if err := write(ctx, b.Store, key, in.Rows); err != nil {
			return collection.WriteLedgerResult{}, err
		}
		return collection.WriteLedgerResult{Ledger: key}, nil
	})
}

func writeLedger(ctx context.Context, store Store, key string, rows []collection.LedgerRow) error {
	body, err := encodeLines(rows)
	if err != nil {
		return fmt.Errorf("the ledger %s: %w", key, err)
	}
	if _, err := store.Put(ctx, key, body, typeJSONLines); err != nil {
		return storeFailed(ctx, "store the ledger "+key, err)
	}
	return nil
}

// addToLedger writes some rows of a batch into its part of the ledger, beside those that other calls have written, by compare
// and swap: adding the same again changes nothing, and a late attempt takes nobody's rows away.
func addToLedger(ctx context.Context, store Store, key string, rows []collection.LedgerRow) error {
	_, err := untilWritten(func() (string, error) { return key, addOnce(ctx, store, key, rows) })
	return err
}

func addOnce(ctx context.Context, store Store, key string, rows []collection.LedgerRow) error {
	body, info, err := readWhole(ctx, store, key, maxLedgerObject)
	there := &info
	switch {
	case errors.Is(err, collection.ErrObjectMissing):
		there = nil
	case err != nil:
		return storeFailed(ctx, "read the ledger "+key, err)
	}
	standing, err := collection.DecodeLines[collection.LedgerRow](body)
	if err != nil {
		return finalf(collection.ReasonInternal, "%s is damaged in %w", key, err)
	}
	body, err = encodeLines(withRows(standing, rows))
	if err != nil {
		return fmt.Errorf("the ledger %s: %w", key, err)
	}
	return unlessCrossed(ctx, "store the ledger "+key, swap(ctx, store, key, body, typeJSONLines, there))
}

// withRows puts rows in the places of those of the same records, and others behind them.
func withRows(standing, rows []collection.LedgerRow) []collection.LedgerRow {
	place := make(map[string]int, len(standing))
	for i, row := range standing {
		place[row.Record] = i
	}
	for _, row := range rows {
		if i, ok := place[row.Record]; ok {
			standing[i] = row
		} else {
			standing = append(standing, row)
		}
	}
	return standing
}
