package starter

import (
	"context"
	"errors"
	"iter"

	"github.com/weir-collect/weir/collection"
)

// ledgerPart is the ledger of one batch.
type ledgerPart struct {
	source string
	batch  collection.BatchPlan
	rows   []collection.LedgerRow
	// open says that there is none yet.
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
		return c.ledgerPart(ctx, plan.Submission, parts[i])
	})
}

// ledgerPart reads the rows of a part.
func (c *Client) ledgerPart(ctx context.Context, submission string, part ledgerPart) (ledgerPart, error) {
	var err error
	part.rows, err = readLines[collection.LedgerRow](ctx, c.store, collection.LedgerKey(submission, part.source, part.batch.Number))
	if errors.Is(err, collection.ErrObjectMissing) {
		part.open, err = true, nil
	}
	return part, err
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
