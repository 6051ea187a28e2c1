package starter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/promise"
)

// Waits reads from the ledgers of a window how long records waited for their first request. progress, which may be
// nil, is told how far it is. Submissions that have no plan yet are not in it: nobody knows their rows.
func (c *Client) Waits(ctx context.Context, w Window, progress func(Coverage)) (*promise.Book, Coverage, error) {
	if progress == nil {
		progress = func(Coverage) {}
	}
	book := promise.NewBook()
	covered, err := c.past(ctx, w, progress, func(plan collection.PlanResult) (int, error) {
		return c.bookWaits(ctx, book, plan, w.Until)
	})
	return book, covered, err
}

// bookWaits books one submission, and returns how many records it has.
func (c *Client) bookWaits(ctx context.Context, book *promise.Book, plan collection.PlanResult, now time.Time) (int, error) {
	book.Submission(plan.Customer, plan.Rejected)
	var open []openPart
	for part, err := range c.ledger(ctx, plan) {
		if err != nil {
			return 0, err
		}
		for _, row := range part.rows {
			book.Row(plan.Customer, plan.AcceptedAt, row)
		}
		// A part of very large rows is written some rows at a time: those that are not there yet are open, too.
		if len(part.rows) < part.batch.Records {
			open = append(open, openPart{part.source, part.batch, part.rows})
		}
	}
	if len(open) > 0 {
		if err := c.bookOpen(ctx, book, plan, open, now); err != nil {
			return 0, err
		}
	}
	return plan.Accepted, nil
}

// openPart is a batch of which the ledger had only these rows when it was read.
type openPart struct {
	source string
	batch  collection.BatchPlan
	rows   []collection.LedgerRow
}

// missing are the records without a row, by source.
func missing(open []openPart) map[string]int {
	n := map[string]int{}
	for _, part := range open {
		n[part.source] += part.batch.Records - len(part.rows)
	}
	return n
}

// bookAgain reads once more what was open, of a submission that has a manifest now: it may have settled since its ledger was read.
// It returns what is open still.
func (c *Client) bookAgain(ctx context.Context, book *promise.Book, plan collection.PlanResult, open []openPart) ([]openPart, error) {
	var still []openPart
	n := 0
	for part, err := range inOrder(ctx, len(open), func(ctx context.Context, i int) (ledgerPart, error) {
		return c.ledgerPart(ctx, plan.Submission, plan.AcceptedAt, ledgerPart{source: open[i].source, batch: open[i].batch})
	}) {
		if err != nil {
			return nil, err
		}
		before := open[n]
		n++
		booked := map[string]bool{}
		for _, row := range before.rows {
			booked[row.Record] = true
		}
		for _, row := range part.rows {
			if !booked[row.Record] {
				book.Row(plan.Customer, plan.AcceptedAt, row)
				before.rows = append(before.rows, row)
			}
		}
		if len(before.rows) < before.batch.Records {
			still = append(still, before)
		}
	}
	return still, nil
}

// bookOpen books the records without a row in the ledger, by source. A submission that runs tells how many of them it has
// released to the workers, in one answer; the others wait still. Of one that was settled the ledger is no longer kept, unless it
// was settled just now. One that has ended without any word of them has lost them.
func (c *Client) bookOpen(ctx context.Context, book *promise.Book, plan collection.PlanResult, open []openPart, now time.Time) error {
	status, running, err := c.look(ctx, plan.Submission)
	silent := silentEngine(ctx, err)
	if err != nil && silent == nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	kept := false
	var manifest collection.Manifest
	if !running {
		if manifest, _, err = c.manifest(ctx, plan); err != nil && !errors.Is(err, collection.ErrObjectMissing) {
			return err
		}
		kept = err == nil
	}
	if !kept && silent != nil {
		return fmt.Errorf("how long the records of submission %s wait cannot be known now: the bucket has no manifest, as of one that is under way; %w",
			plan.Submission, silent)
	}
	unreleased := map[string]int{}
	for _, s := range status.Sources {
		unreleased[s.Source] = s.Records - s.Released
	}
	if kept {
		if open, err = c.bookAgain(ctx, book, plan, open); err != nil {
			return err
		}
	}
	for source, records := range missing(open) {
		switch {
		case running:
			// Without an answer of its workflow nothing is known to be unreleased.
			waiting := min(max(unreleased[source], 0), records)
			book.Waiting(plan.Customer, waiting, now.Sub(plan.AcceptedAt))
			book.UnderWay(plan.Customer, records-waiting)
		case kept:
			// The submission was settled: its manifest says how many it had never begun, and nothing tells of the others.
			stopped := 0
			if manifest.State == collection.StateCancelled {
				stopped = min(records, cancelledOf(manifest, source))
			}
			book.Cancelled(plan.Customer, stopped)
			book.Unknown(plan.Customer, records-stopped)
		case status.State == collection.StateCancelled:
			book.Cancelled(plan.Customer, records)
		default:
			book.Lost(plan.Customer, records)
		}
	}
	return nil
}

// cancelledOf is how many records of a source a manifest counts as cancelled.
func cancelledOf(m collection.Manifest, source string) int {
	for _, s := range m.Sources {
		if s.Source == source {
			return s.Outcomes.Of(collection.OutcomeCancelled)
		}
	}
	return 0
}
