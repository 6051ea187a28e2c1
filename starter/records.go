package starter

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/weir-collect/weir/collection"
)

// OutcomePending is shown for a record that has not ended. It stands in no ledger.
const OutcomePending collection.Outcome = "pending"

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
// then every source's. It reads one batch at a time. Records whose batch still runs are pending. ErrNotPlanned says that none of
// the rows is known yet.
func (c *Client) Records(ctx context.Context, id string, f Filter) iter.Seq2[collection.LedgerRow, error] {
	return func(yield func(collection.LedgerRow, error) bool) {
		for page, err := range c.Pages(ctx, id, f, Cursor{}) {
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

func (c *Client) rejected(ctx context.Context, id string, n int) ([]collection.LedgerRow, error) {
	failures, err := readLines[collection.FailureRow](ctx, c.store, collection.RejectedKey(id, n))
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

// batch is the ledger of one batch, or its plan while the batch runs.
func (c *Client) batch(ctx context.Context, id, source string, n int) ([]collection.LedgerRow, error) {
	rows, err := readLines[collection.LedgerRow](ctx, c.store, collection.LedgerKey(id, source, n))
	if !errors.Is(err, collection.ErrObjectMissing) {
		return rows, err
	}
	records, err := readLines[collection.Record](ctx, c.store, collection.BatchKey(id, source, n))
	if err != nil {
		return nil, err
	}
	rows = make([]collection.LedgerRow, len(records))
	for i, r := range records {
		rows[i] = collection.LedgerRow{Line: r.Line, Key: r.Key, Source: source,
			RecordResult: collection.RecordResult{Record: r.ID, Outcome: OutcomePending}}
	}
	return rows, nil
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
