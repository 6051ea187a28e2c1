package activities

import (
	"encoding/json"
	"time"

	"github.com/weir-collect/weir/collection"
)

// What a submission before under the same id has left in the bucket, in the engine and in the ledger says nothing of this one; see
// collection.BeforeLife.

// isBefore says whether something happened before the submission was accepted.
func (b *books) isBefore(at time.Time) bool { return collection.BeforeLife(b.plan.AcceptedAt, at) }

// ownRows are the rows of the ledger that tell of this submission.
func (b *books) ownRows(rows []collection.LedgerRow) []collection.LedgerRow {
	return collection.RowsOfLife(b.plan.AcceptedAt, rows)
}

// isOfAnother says whether a delivered object is of a submission before under the same id. The time of the fetch alone does not
// tell: where the target says that nothing has changed, that is when the bytes came, for whichever submission. Nor does that of the
// last write, which a bucket that was copied or restored has lost.
func (b *books) isOfAnother(info collection.ObjectInfo, body []byte) bool {
	var d collection.DeliveredDocument
	fetchedBefore := json.Unmarshal(body, &d) == nil && !d.FetchedAt.IsZero() && b.isBefore(d.FetchedAt)
	return fetchedBefore && !info.LastModified.IsZero() && b.isBefore(info.LastModified)
}
