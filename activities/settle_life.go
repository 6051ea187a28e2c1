package activities

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/weir-collect/weir/collection"
)

// An id may be used again once its plan has expired, and what the submission before has left may be kept for longer: its
// delivery for ever. It says nothing of this one.

// clocksApart is how far the clocks of the engine, the workers and the store may be apart, with what a store rounds. It is short
// beside the age at which a plan expires.
const clocksApart = 5 * time.Minute

// isBefore says whether something happened before the submission was accepted.
func (b *books) isBefore(at time.Time) bool {
	return at.Before(b.plan.AcceptedAt.Add(-clocksApart))
}

// ownRows are the rows of the ledger that tell of this submission: a part that a replay has written again late is kept for longer than
// the plan.
func (b *books) ownRows(rows []collection.LedgerRow) []collection.LedgerRow {
	before := func(row collection.LedgerRow) bool { return row.AsOf != nil && b.isBefore(*row.AsOf) }
	if !slices.ContainsFunc(rows, before) {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), before)
}

// isOfAnother says whether a delivered object is of a submission before under the same id. The time of the fetch alone does not
// tell: where the target says that nothing has changed, that is when the bytes came, for whichever submission. Nor does that of the
// last write, which a bucket that was copied or restored has lost.
func (b *books) isOfAnother(info collection.ObjectInfo, body []byte) bool {
	var d collection.DeliveredDocument
	fetchedBefore := json.Unmarshal(body, &d) == nil && !d.FetchedAt.IsZero() && b.isBefore(d.FetchedAt)
	return fetchedBefore && !info.LastModified.IsZero() && b.isBefore(info.LastModified)
}
