package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
)

// Which word about a record is the newer one?
//
// Three write the ledger: a batch (WriteLedger), a replay of its records (MergeLedger), and a settlement, which adds what no
// batch has told of and notes what is lost. Each may write late: an attempt that was thought lost reaches the store minutes
// after its successor, when a replay or a settlement has been there meanwhile. And each may bring news to rows that stand: a
// batch is run again when its submission is submitted again after a failure, or reset. So neither "the last one to write"
// nor "the first one" is right, and the content does not tell: a dead letter of the run before and one of the replay after
// look alike, and workers' clocks need not agree.
//
// What tells is when the engine scheduled the activity that writes. It is one clock, it is the same for every attempt of the
// activity, and each of the writers is scheduled only after what it tells of has ended. Every row has it as AsOf. So:
//
//   - nobody was here: a row is written as it comes;
//   - a row that is older than the one that stands is a late attempt's, and changes nothing;
//   - one of the same time is a repeat of the same write, and changes nothing either, being the same;
//   - one that is later, of a replay or a batch that was run again, takes the place of what is not delivered, and of a delivery
//     only if it is another delivery: then the object under the record's name holds what the later one says. That somebody
//     was cancelled is no news of a record that had ended before.
//
// And whatever the times: a delivery that a settlement has found lost is not told as delivered again by whoever only repeats
// it, for instance because a batch that is run again takes over the result of a workflow that had ended well.
//
// A row of a submission before under the same id is no word about this one, see collection.RowsOfLife. It must not be compared:
// by the rules above a record that was delivered then could never fail now. Whoever writes the part drops it; the part is kept
// as it was.

// acceptedAt is when a submission was accepted, by its plan; zero where that is not kept any more.
func acceptedAt(ctx context.Context, store Store, submission string) (time.Time, error) {
	plan, err := readPlan(ctx, store, submission)
	if errors.Is(err, collection.ErrObjectMissing) {
		return time.Time{}, nil
	}
	return plan.AcceptedAt, err
}

// dated are rows with the time at which this activity was scheduled.
func dated(ctx context.Context, rows []collection.LedgerRow) []collection.LedgerRow {
	at := scheduledAt(ctx)
	out := make([]collection.LedgerRow, len(rows))
	for i, row := range rows {
		row.AsOf = at
		out[i] = row
	}
	return out
}

// scheduledAt is when the engine scheduled the running activity, whichever attempt this is.
func scheduledAt(ctx context.Context) *time.Time {
	at := activity.GetInfo(ctx).ScheduledTime.UTC()
	return &at
}

// compareTimes is negative where a is before b. What has no time was written before there were any.
func compareTimes(a, b *time.Time) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	return a.Compare(*b)
}

// mergeRows puts new results of the submission that was accepted then into rows, and says whether anything has changed. Records
// that have no row yet are left out. Rows of a submission before are dropped; those that there is a new result of give their
// places to it.
func mergeRows(accepted time.Time, rows, news []collection.LedgerRow) (merged []collection.LedgerRow, changed bool) {
	byRecord := make(map[string]collection.LedgerRow, len(news))
	for _, row := range collection.RowsOfLife(accepted, news) {
		byRecord[row.Record] = row
	}
	merged = make([]collection.LedgerRow, 0, len(rows))
	for _, row := range rows {
		fresh, known := byRecord[row.Record]
		switch {
		case row.IsBefore(accepted):
			// What has no row now the settlement looks for.
			if changed = true; !known || !tellsEnd(fresh.RecordResult) {
				continue
			}
			row = fresh
		case known && takeOver(&row, fresh):
			changed = true
		}
		merged = append(merged, row)
	}
	return merged, changed
}

// takeOver puts news of a record into its row, if that is what they are.
func takeOver(row *collection.LedgerRow, fresh collection.LedgerRow) bool {
	if !replaces(fresh, *row) {
		return false
	}
	row.RecordResult, row.AsOf = inherit(fresh.RecordResult, row.RecordResult), fresh.AsOf
	return true
}

// replaces says whether a row takes the place of the one that stands.
func replaces(fresh, standing collection.LedgerRow) bool {
	switch age := compareTimes(fresh.AsOf, standing.AsOf); {
	case age < 0:
		return false
	case age > 0 && standing.Outcome != collection.OutcomeDeadLettered && isDelivery(fresh.RecordResult):
		return standing.Delivered == nil || outdates(*fresh.Delivered, *standing.Delivered)
	}
	return supersedes(fresh.RecordResult, standing.RecordResult)
}

// supersedes says whether a record's new result takes the place of the one that the ledger has, when nothing is known of their
// times but that it is not the older one. Only what is undelivered is replaced, and never by the news that a replay was
// cancelled: that is the dead letter that it was before.
func supersedes(fresh, old collection.RecordResult) bool {
	if !tellsEnd(fresh) || isDelivery(fresh) && old.Lost != nil && fresh.Delivered.Is(*old.Lost) {
		return false
	}
	open := old.Outcome == collection.OutcomeDeadLettered || old.Outcome == collection.OutcomeCancelled
	return open && !sameEnd(inherit(fresh, old), old)
}

// tellsEnd says whether a result tells how a record has ended: that a replay was cancelled does not, and neither does a delivery of
// which nobody says what it was.
func tellsEnd(r collection.RecordResult) bool {
	switch r.Outcome {
	case "", collection.OutcomeCancelled:
		return false
	case collection.OutcomeDelivered:
		return isDelivery(r)
	}
	return true
}

// isDelivery says whether a result tells what was delivered.
func isDelivery(r collection.RecordResult) bool {
	return r.Outcome == collection.OutcomeDelivered && r.Delivered != nil
}

// outdates says whether a delivery has left another object behind than one before. One that was verified earlier is that of a
// workflow's run before, which somebody who was told late still passes on.
func outdates(fresh, old collection.Delivered) bool {
	same := fresh.Key == old.Key && fresh.SHA256 == old.SHA256 && fresh.Generation == old.Generation
	return !same && !fresh.VerifiedAt.Before(old.VerifiedAt)
}

// inherit keeps of an earlier result what the new one does not tell: a replay from kept bytes has made no request, and one
// that could not collect again still has the bytes of before.
func inherit(fresh, old collection.RecordResult) collection.RecordResult {
	if fresh.Trail == nil {
		fresh.Trail = old.Trail
	}
	if fresh.Raw == nil {
		fresh.Raw = old.Raw
	}
	return fresh
}

func sameEnd(a, b collection.RecordResult) bool {
	return a.Outcome == b.Outcome && a.Reason == b.Reason && a.Detail == b.Detail && a.Attempts == b.Attempts
}
