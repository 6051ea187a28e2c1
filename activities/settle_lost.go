package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
)

// A delivery that is lost makes its record a dead letter. The ledger is told so, in its next generation: else nobody would
// find the record among the dead letters, and no replay would deliver it again.

// lostOfPart are the deliveries of one part of the ledger that are lost.
type lostOfPart struct {
	key  string
	rows []lostRow
}

// lostRow is what was found of a record, and the delivery that was looked for.
type lostRow struct {
	collection.LostDelivery
	was collection.Delivered
	// asOf is when the settlement that found it was scheduled.
	asOf *time.Time
}

// lose makes a delivered row the dead letter that it is now, and remembers to tell the ledger.
func (b *books) lose(row collection.LedgerRow, lost collection.LostDelivery) collection.LedgerRow {
	if n := len(b.lost); n == 0 || b.lost[n-1].key != b.ledger {
		b.lost = append(b.lost, lostOfPart{key: b.ledger})
	}
	part := &b.lost[len(b.lost)-1]
	found := lostRow{lost, *row.Delivered, b.asOf}
	part.rows = append(part.rows, found)
	found.demote(&row)
	return row
}

// demote writes down that a delivery is lost; the result says what it was. The row is newer than any attempt to write what was
// before: not older than it, should the delivery be of a replay that began after this settlement.
func (l lostRow) demote(r *collection.LedgerRow) {
	if compareTimes(l.asOf, r.AsOf) > 0 {
		r.AsOf = l.asOf
	}
	r.Outcome, r.Reason, r.Detail = collection.OutcomeDeadLettered, l.Reason, collection.Clip(l.Detail, collection.MaxDetail)
	r.Lost, r.Delivered = r.Delivered, nil
}

// count counts a record for the checks. One whose delivery was lost was completed, and is not stored: it counts the same
// when the submission is settled again.
func (b *books) count(row collection.LedgerRow) {
	if row.Lost == nil {
		b.counts.Record(row)
		return
	}
	row.Outcome = collection.OutcomeDelivered
	b.counts.Record(row)
	b.counts.Lost(row)
}

// noteLost writes the next generation of the parts of the ledger with lost deliveries. What has been delivered again
// meanwhile stays as it is.
func (b *books) noteLost(ctx context.Context) error {
	for _, part := range b.lost {
		if _, err := rewriteLedger(ctx, b.settler.Store, part.key, part.demoteRows); err != nil {
			return err
		}
		activity.RecordHeartbeat(ctx, b.attempt.snapshot())
	}
	return nil
}

func (p lostOfPart) demoteRows(rows []collection.LedgerRow) bool {
	lost := make(map[string]lostRow, len(p.rows))
	for _, l := range p.rows {
		lost[l.Record] = l
	}
	changed := false
	for i := range rows {
		if l, ok := lost[rows[i].Record]; ok && rows[i].Delivered != nil && rows[i].Delivered.Is(l.was) {
			l.demote(&rows[i])
			changed = true
		}
	}
	return changed
}
