package starter

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/weir-collect/weir/collection"
)

// ledgerPart is the ledger of one batch.
type ledgerPart struct {
	source string
	batch  collection.BatchPlan
	rows   []collection.LedgerRow
	// open says that there is none yet: what a submission before under the same id has left is none.
	open bool
}

// ahead is how many parts are read at once: enough to hide the store's answer times, few enough for memory.
const ahead = 8

// ledger reads the ledger of a plan, part by part in its order.
func (c *Client) ledger(ctx context.Context, plan collection.PlanResult) iter.Seq2[ledgerPart, error] {
	var parts []ledgerPart
	for _, src := range plan.Sources {
		for _, batch := range src.Batches {
			parts = append(parts, ledgerPart{source: src.Source, batch: batch})
		}
	}
	return inOrder(ctx, len(parts), func(ctx context.Context, i int) (ledgerPart, error) {
		return c.ledgerPart(ctx, plan.Submission, plan.AcceptedAt, parts[i])
	})
}

// ledgerPart reads the rows of a part of a submission that was accepted then.
func (c *Client) ledgerPart(ctx context.Context, submission string, accepted time.Time, part ledgerPart) (ledgerPart, error) {
	rows, err := readLines[collection.LedgerRow](ctx, c.store, collection.LedgerKey(submission, part.source, part.batch.Number))
	if err != nil && !errors.Is(err, collection.ErrObjectMissing) {
		return part, err
	}
	part.rows = collection.RowsOfLife(accepted, rows)
	part.open = err != nil || len(part.rows) == 0 && len(rows) > 0
	return part, nil
}

// inOrder does n reads, a few at once, and yields them in their order up to the first error.
func inOrder[T any](ctx context.Context, n int, read func(ctx context.Context, i int) (T, error)) iter.Seq2[T, error] {
	type answer struct {
		value T
		err   error
	}
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		answers := make([]chan answer, n)
		begin := func(i int) {
			if i >= n {
				return
			}
			answers[i] = make(chan answer, 1)
			go func() {
				value, err := read(ctx, i)
				answers[i] <- answer{value, err}
			}()
		}
		for i := range min(ahead, n) {
			begin(i)
		}
		for i := range n {
			got := <-answers[i]
			answers[i] = nil
			begin(i + ahead)
			if !yield(got.value, got.err) || got.err != nil {
				return
			}
		}
	}
}
