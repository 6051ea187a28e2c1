package starter

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/weir-collect/weir/collection"
)

// What is shown for records that no ledger tells of.
const (
	// OutcomePending is that of a record that has not ended.
	OutcomePending collection.Outcome = "pending"
	// OutcomeUnknown is that of a record whose submission has ended: its detail says why nobody knows.
	OutcomeUnknown collection.Outcome = "unknown"
)

// Filter chooses rows; empty fields choose all.
type Filter struct {
	Outcome collection.Outcome
	Reason  collection.Reason
	Source  string
}

func (f Filter) takes(row collection.LedgerRow) bool {
	return (f.Outcome == "" || f.Outcome == row.Outcome) &&
		(f.Reason == "" || f.Reason == row.Reason) &&
		(f.Source == "" || f.Source == row.Source)
}

// maxLedger bounds what is read of one part of the ledger or the plan.
const maxLedger = 64 << 20

// Records lists how the rows of a submission ended, in the order of the plan: first the rows that never became records,
// then every source's. It reads one batch at a time. A batch that still runs has no ledger: of its records those that have failed
// for good are told as dead letters, as the engine knows them, and all others are pending, though some may have ended, which the
// detail then says; Pages counts them. Records of a submission that has ended are unknown where their part of the ledger is not
// there, for instance because it is no longer kept. ErrNotPlanned says that none of the rows is known yet.
func (c *Client) Records(ctx context.Context, id string, f Filter) iter.Seq2[collection.LedgerRow, error] {
	return rowsOf(c.Pages(ctx, id, f, Cursor{}))
}

// rowsOf are the rows of pages.
func rowsOf(pages iter.Seq2[Page, error]) iter.Seq2[collection.LedgerRow, error] {
	return func(yield func(collection.LedgerRow, error) bool) {
		for page, err := range pages {
			if err != nil {
				yield(collection.LedgerRow{}, err)
				return
			}
			for _, row := range page.Rows {
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

func (r *rowReader) rejected(ctx context.Context, n int) ([]collection.LedgerRow, error) {
	failures, err := readLines[collection.FailureRow](ctx, r.client.store, collection.RejectedKey(r.plan.Submission, n))
	if err != nil {
		return nil, err
	}
	rows := make([]collection.LedgerRow, len(failures))
	for i, f := range failures {
		rows[i] = collection.LedgerRow{Line: f.Line, Key: f.Key, Source: f.Source, RecordResult: collection.RecordResult{
			Record: f.Record, Outcome: f.Outcome, Reason: f.Reason, Detail: f.Detail,
		}}
	}
	return rows, nil
}

// batch is the ledger of one batch. Of records that it has no row of yet the plan tells: a part is written when its batch has
// ended, and one of very large rows some rows at a time. They come behind the others, as they are written.
func (r *rowReader) batch(ctx context.Context, source string, n int) ([]collection.LedgerRow, error) {
	planned := r.planned(source, n)
	rows, err := r.written(ctx, source, n)
	if err != nil || len(rows) >= planned {
		return rows, err
	}
	fate, err := r.fate(ctx)
	if err != nil {
		return nil, err
	}
	if fate.Outcome == OutcomeUnknown {
		// It may have ended since it was looked for.
		if rows, err = r.written(ctx, source, n); err != nil || len(rows) >= planned {
			return rows, err
		}
	}
	records, err := readLines[collection.Record](ctx, r.client.store, collection.BatchKey(r.plan.Submission, source, n))
	if err != nil {
		return nil, err
	}
	told := make(map[string]bool, len(rows))
	for _, row := range rows {
		told[row.Record] = true
	}
	ended := r.ended(ctx, source, n, fate)
	for _, record := range records {
		if !told[record.ID] {
			row := collection.LedgerRow{Line: record.Line, Key: record.Key, Source: source, RecordResult: fate}
			if end, ok := ended[record.ID]; ok {
				row.RecordResult = end
			}
			row.Record = record.ID
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// planned is how many records a batch has.
func (r *rowReader) planned(source string, n int) int {
	for _, src := range r.plan.Sources {
		for _, batch := range src.Batches {
			if src.Source == source && batch.Number == n {
				return batch.Records
			}
		}
	}
	return 0
}

// written are the rows that the ledger has of a batch; none where it has no part of it, or one of a submission before under the
// same id.
func (r *rowReader) written(ctx context.Context, source string, n int) ([]collection.LedgerRow, error) {
	rows, err := readLines[collection.LedgerRow](ctx, r.client.store, collection.LedgerKey(r.plan.Submission, source, n))
	if errors.Is(err, collection.ErrObjectMissing) {
		return nil, nil
	}
	return collection.RowsOfLife(r.plan.AcceptedAt, rows), err
}

func readLines[T any](ctx context.Context, store Store, key string) ([]T, error) {
	body, err := store.Get(ctx, key, maxLedger)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	rows, err := collection.DecodeLines[T](body)
	if err != nil {
		return nil, fmt.Errorf("read %s, %w", key, err)
	}
	return rows, nil
}
