package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/weir-collect/weir/collection"
)

// batchRows is one row for every record of a batch. Records that the ledger does not know, for instance because their
// batch was terminated, are looked for at the destination itself, and the ledger is completed with what was found: it is
// the lasting answer to where a record is, and a later attempt must not find otherwise.
func (b *books) batchRows(ctx context.Context, source string, batch collection.BatchPlan) ([]collection.LedgerRow, error) {
	key := collection.LedgerKey(b.plan.Submission, source, batch.Number)
	rows, err := readLines[collection.LedgerRow](ctx, b.settler.Store, key)
	if err != nil && !errors.Is(err, collection.ErrObjectMissing) {
		return nil, err
	}
	known := make(map[string]collection.LedgerRow, len(rows))
	for _, row := range rows {
		if err := checkRow(key, row); err != nil {
			return nil, err
		}
		known[row.Record] = row
	}
	if len(rows) == batch.Records && len(known) == batch.Records {
		return rows, nil
	}
	records, err := readBatch(ctx, b.settler.Store, b.plan.Submission, source, batch.Number)
	if err != nil {
		return nil, err
	}
	all := make([]collection.LedgerRow, len(records))
	for i, r := range records {
		row, ok := known[r.ID]
		if !ok {
			if row, err = b.findRow(ctx, source, r); err != nil {
				return nil, err
			}
		}
		all[i] = row
	}
	return all, writeLedger(ctx, b.settler.Store, key, all)
}

// checkRow refuses a row of the ledger that says nothing that can be booked.
func checkRow(key string, row collection.LedgerRow) error {
	if row.Outcome == "" || (row.Outcome == collection.OutcomeDelivered) != (row.Delivered != nil) {
		return finalf(collection.ReasonInternal, "%s is damaged: the row of record %q has the outcome %q, and a delivery: %t",
			key, row.Record, row.Outcome, row.Delivered != nil)
	}
	return nil
}

// findRow accounts for a record that no ledger knows.
func (b *books) findRow(ctx context.Context, source string, r collection.Record) (collection.LedgerRow, error) {
	row := collection.LedgerRow{Line: r.Line, Key: r.Key, Source: source, RecordResult: collection.RecordResult{Record: r.ID}}
	key := collection.DeliveredKey(b.plan.Customer, b.plan.Submission, r.ID)
	info, body, err := b.lookFor(ctx, key)
	switch {
	case err == nil && isDocumentOf(body, source, r):
		row.Outcome = collection.OutcomeDelivered
		row.Delivered = &collection.Delivered{
			Key: key, SHA256: collection.Digest(body), Size: int64(len(body)), Generation: info.Generation, VerifiedAt: b.settler.Clock().UTC(),
		}
	case err == nil:
		row.Outcome, row.Reason = collection.OutcomeDeadLettered, collection.ReasonDeliveryConflict
		row.Detail = fmt.Sprintf("its batch ended without a word about it, and %s is not its document: find out who wrote it", key)
	case errors.Is(err, collection.ErrObjectMissing) && b.cancelled:
		row.Outcome, row.Reason = collection.OutcomeCancelled, collection.ReasonCancelled
		row.Detail = "the submission was cancelled before the record's batch had begun"
	case errors.Is(err, collection.ErrObjectMissing):
		row.Outcome, row.Reason = collection.OutcomeDeadLettered, collection.ReasonInternal
		row.Detail = "its batch ended without a word about it, for instance because it was terminated: replay the record"
	default:
		return row, storeFailed(ctx, "look for "+key, err)
	}
	return row, nil
}

// lookFor reads a delivered object. A cancelled submission may have many thousands of records that were never begun, so
// one listing tells which objects are there at all.
func (b *books) lookFor(ctx context.Context, key string) (info collection.ObjectInfo, body []byte, err error) {
	if b.there == nil {
		there := map[string]bool{}
		for object, err := range b.settler.Store.List(ctx, collection.DeliveredPrefix(b.plan.Customer, b.plan.Submission)) {
			if err != nil {
				return info, nil, err
			}
			there[object.Key] = true
		}
		b.there = there
	}
	if !b.there[key] {
		return info, nil, collection.ErrObjectMissing
	}
	if info, err = b.settler.Store.Head(ctx, key); err != nil {
		return info, nil, err
	}
	body, err = b.settler.Store.Get(ctx, key, maxDelivered)
	return info, body, err
}

// isDocumentOf says whether a body is what a delivery of the record writes. Without a ledger nobody knows its digest.
func isDocumentOf(body []byte, source string, r collection.Record) bool {
	var d collection.DeliveredDocument
	return json.Unmarshal(body, &d) == nil && d.Record == r.ID && d.Source == source
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
