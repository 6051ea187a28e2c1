package activities

import (
	"context"
	"errors"
	"fmt"

	"github.com/weir-collect/weir/collection"
)

// batchRows is one row for every record of a batch. Records that the ledger does not know, for instance because their
// batch was terminated, are looked for in the bucket itself, and the ledger is completed with what was found: it is
// the lasting answer to where a record is, and a later attempt must not find otherwise.
func (b *books) batchRows(ctx context.Context, source string, batch collection.BatchPlan) ([]collection.LedgerRow, error) {
	key := collection.LedgerKey(b.plan.Submission, source, batch.Number)
	rows, err := readLines[collection.LedgerRow](ctx, b.settler.Store, key)
	if err != nil && !errors.Is(err, collection.ErrObjectMissing) {
		return nil, err
	}
	rows = b.ownRows(rows)
	known, err := checkRows(key, rows)
	if err != nil {
		return nil, err
	}
	if len(rows) == batch.Records && len(known) == batch.Records {
		return rows, nil
	}
	return untilWritten(func() ([]collection.LedgerRow, error) { return b.completeBatch(ctx, source, batch.Number) })
}

// completeBatch adds what can be found of the records that a part of the ledger does not know, by compare and swap: the batch
// or a replay may write its rows at the same time, and these say more.
func (b *books) completeBatch(ctx context.Context, source string, number int) ([]collection.LedgerRow, error) {
	key := collection.LedgerKey(b.plan.Submission, source, number)
	body, standing, there, err := readLedger(ctx, b.settler.Store, key)
	if err != nil {
		return nil, err
	}
	rows := b.ownRows(standing)
	known, err := checkRows(key, rows)
	if err != nil {
		return nil, err
	}
	records, err := readBatch(ctx, b.settler.Store, b.plan.Submission, source, number)
	if err != nil {
		return nil, err
	}
	var unknown []collection.Record
	for _, r := range records {
		if _, ok := known[r.ID]; !ok {
			unknown = append(unknown, r)
		}
	}
	found, err := b.findRows(ctx, source, number, unknown)
	if err != nil {
		return nil, err
	}
	for _, row := range found {
		known[row.Record] = row
	}
	all := make([]collection.LedgerRow, len(records))
	for i, r := range records {
		all[i] = known[r.ID]
	}
	if len(rows) < len(standing) {
		if _, err := keepGeneration(ctx, b.settler.Store, key, body, there.Generation); err != nil {
			return nil, err
		}
	}
	return all, swapLedger(ctx, b.settler.Store, key, all, there)
}

// checkRows are the rows of a part of the ledger by record, unless there is one that says nothing that can be booked.
func checkRows(key string, rows []collection.LedgerRow) (map[string]collection.LedgerRow, error) {
	known := make(map[string]collection.LedgerRow, len(rows))
	for _, row := range rows {
		if err := checkRow(key, row); err != nil {
			return nil, err
		}
		known[row.Record] = row
	}
	return known, nil
}

// checkRow refuses a row of the ledger that says nothing that can be booked.
func checkRow(key string, row collection.LedgerRow) error {
	if row.Outcome == "" || (row.Outcome == collection.OutcomeDelivered) != (row.Delivered != nil) {
		return finalf(collection.ReasonInternal, "%s is damaged: the row of record %q has the outcome %q, and a delivery: %t",
			key, row.Record, row.Outcome, row.Delivered != nil)
	}
	return nil
}

// readLines reads an object of JSON Lines.
func readLines[T any](ctx context.Context, store Store, key string) ([]T, error) {
	body, err := store.Get(ctx, key, maxLedgerObject)
	if errors.Is(err, collection.ErrObjectMissing) {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	if err != nil {
		return nil, storeFailed(ctx, "read "+key, err)
	}
	rows, err := collection.DecodeLines[T](body)
	if err != nil {
		return nil, finalf(collection.ReasonInternal, "%s is damaged in %w", key, err)
	}
	return rows, nil
}
