package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weir-collect/weir/collection"
)

// bookedDocuments are the documents of a delivery of tables, as its manifest and the ledger tell of them. What a table was made
// of is staged under one name whatever the generation, and no manifest knows its digest: a settlement that stages and then
// fails leaves other documents behind than those of the delivery that stands. So none is shipped that the manifest counts
// among what was not delivered, none twice, and none that is not, to the byte, what the ledger says was delivered.
type bookedDocuments struct {
	store      Store
	submission string
	// accepted is when the submission was; what the ledger tells of another one before, under the same id, is nothing of its.
	accepted time.Time
	// undelivered are the records of the manifest's failures.
	undelivered map[string]bool
	// ledger are the parts of the ledger that are still to be read, in the order of the plan, which is that of the documents; rows
	// are those of the last one that was read, whose documents have not come yet.
	ledger []string
	rows   map[string]collection.LedgerRow
}

// booked is what the documents of a delivery of tables are compared with; nil for other deliveries, whose parts the manifest
// itself knows.
func (sh *shipment) booked(ctx context.Context) (*bookedDocuments, error) {
	plan := sh.delivery.plan
	if plan.Layout == nil || !plan.Layout.IsTable() {
		return nil, nil
	}
	b := &bookedDocuments{store: sh.shipper.Store, submission: plan.Submission, accepted: plan.AcceptedAt, undelivered: map[string]bool{}}
	for _, source := range plan.Sources {
		for _, batch := range source.Batches {
			b.ledger = append(b.ledger, collection.LedgerKey(plan.Submission, source.Source, batch.Number))
		}
	}
	failures, err := listedFailures(ctx, sh.shipper.Store, plan, sh.delivery.manifest.Files)
	var damaged *damagedFailures
	if errors.As(err, &damaged) {
		// The bucket has lost nothing: these are the bytes that were settled.
		return nil, finalf(collection.ReasonInternal, "%s is damaged in %w", damaged.key, damaged.cause)
	}
	if err != nil {
		return nil, asLost(sh.submission(), err)
	}
	for _, f := range failures {
		// The row that names a record twice is no failure of the record. One that never became a record names none.
		if f.Outcome != collection.OutcomeDuplicate {
			b.undelivered[f.Record] = true
		}
	}
	return b, nil
}

// check compares the documents of the next part.
func (b *bookedDocuments) check(ctx context.Context, part string, lines [][]byte) error {
	for _, line := range lines {
		record, err := recordOf(line)
		if err == nil {
			err = b.document(ctx, record, line)
		}
		if errors.Is(err, errOtherContent) {
			return lost(b.submission, notAsSettled, part, err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *bookedDocuments) document(ctx context.Context, record string, line []byte) error {
	if b.undelivered[record] {
		return fmt.Errorf("%w: it holds record %s, which the manifest counts as not delivered", errOtherContent, record)
	}
	for {
		if row, ok := b.rows[record]; ok {
			delete(b.rows, record)
			return compareBooked(row, line)
		}
		if len(b.ledger) == 0 {
			return fmt.Errorf("%w: the ledger has no other delivery of record %s", errOtherContent, record)
		}
		if err := b.readOn(ctx); err != nil {
			return err
		}
	}
}

// readOn reads the next part of the ledger.
func (b *bookedDocuments) readOn(ctx context.Context) error {
	key := b.ledger[0]
	rows, err := readLines[collection.LedgerRow](ctx, b.store, key)
	if errors.Is(err, collection.ErrObjectMissing) {
		// Settling again makes it again.
		return fmt.Errorf("%w: nothing tells what was delivered (%w)", errOtherContent, err)
	}
	if err != nil {
		return err
	}
	rows = collection.RowsOfLife(b.accepted, rows)
	b.ledger, b.rows = b.ledger[1:], make(map[string]collection.LedgerRow, len(rows))
	for _, row := range rows {
		b.rows[row.Record] = row
	}
	return nil
}

// compareBooked compares a document with its row. A delivery that was found lost since was delivered all the same.
func compareBooked(row collection.LedgerRow, line []byte) error {
	was := row.Delivered
	if was == nil {
		was = row.Lost
	}
	if was == nil {
		return fmt.Errorf("%w: it holds record %s, which the ledger has as %s", errOtherContent, row.Record, row.Outcome)
	}
	if got := collection.Digest(line); got != was.SHA256 {
		return fmt.Errorf("%w: the document of record %s has SHA-256 %s, and %s was delivered", errOtherContent, row.Record, got, was.SHA256)
	}
	return nil
}
