package activities

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/weir-collect/weir/collection"
)

// An attempt of a settlement goes on behind the parts that an earlier one has written, and the ledger may have changed between
// the two: a replay has delivered what was dead, another settlement has found a delivery lost. What was passed over must
// therefore be what was read then, not only as much; and what the parts hold must be what is booked, not only as many.

// errOtherLedger says that an attempt cannot go on behind an earlier one: the delivered rows are not those that it has read.
var errOtherLedger = errors.New("the delivered rows of the ledger are not those that an earlier attempt has read")

// wasContested says whether an attempt has come across somebody else's writes since a snapshot of its progress.
func (a *attempt) wasContested(before collection.AttemptProgress) bool {
	now := a.snapshot()
	return now.Reason == collection.ReasonDeliveryConflict && (now.Reason != before.Reason || now.InARow != before.InARow)
}

// beginAnew forgets the parts that are written: they are written again, under the same names where they are the same.
func (a *attempt) beginAnew() {
	a.update(func(p *collection.AttemptProgress) { p.Settle = nil })
}

// chained is the digest of everything that a digest stands for, and of some fields behind it. None of them has a line feed.
func chained(before string, fields ...string) string {
	return collection.Digest([]byte(before + "\n" + strings.Join(fields, "\n")))
}

// readDigest is the digest of delivered rows with one more: everything by which one delivery is told from another.
func readDigest(before, record string, d collection.Delivered) string {
	return chained(before, record, d.Key, d.SHA256, fmt.Sprint(d.Generation), d.VerifiedAt.UTC().Format(time.RFC3339Nano))
}

// packedDigest is the digest of records in parts, or in the books, with one more.
func packedDigest(before string, row collection.LedgerRow) string {
	return chained(before, row.Record, row.Delivered.SHA256)
}

// compareParts makes sure that the parts hold the records that are booked as delivered, each of them once and in their order,
// whoever has written them.
func (b *books) compareParts() error {
	packed, booked := b.parts.records(), b.total.Of(collection.OutcomeDelivered)
	if packed == booked && b.parts.packed == b.booked {
		return nil
	}
	if b.parts.resumed() {
		return errOtherLedger
	}
	if packed == booked {
		return finalf(collection.ReasonInternal,
			"the books do not balance: %d records are delivered, and the parts of the results of %s hold as many others", booked, b.plan.Submission)
	}
	return finalf(collection.ReasonInternal,
		"the books do not balance: %d records are delivered, the parts of the results of %s hold %d", booked, b.plan.Submission, packed)
}

// lookAtParts asks for every part that the manifest is going to name: those of an earlier attempt may have been written long ago.
func (b *books) lookAtParts(ctx context.Context) error {
	group, asking := errgroup.WithContext(ctx)
	group.SetLimit(readAhead)
	for _, f := range b.parts.files {
		group.Go(func() error {
			info, err := b.settler.Store.Head(asking, f.Key)
			switch {
			case errors.Is(err, collection.ErrObjectMissing):
				return &changedPart{f.Key + " is not there any more"}
			case err != nil:
				return storeFailed(asking, "verify "+f.Key, err)
			case info.Size != f.Size || info.SHA256 != "" && info.SHA256 != f.SHA256:
				return &changedPart{fmt.Sprintf("%s holds %d bytes with SHA-256 %s instead of %d bytes with %s",
					f.Key, info.Size, info.SHA256, f.Size, f.SHA256)}
			}
			return nil
		})
	}
	err := group.Wait()
	var changed *changedPart
	if errors.As(err, &changed) {
		return b.attempt.contested(changed.Error() + ": somebody else writes the delivery")
	}
	return err
}

// changedPart is a part that is not there as it was written.
type changedPart struct{ what string }

// Error says which, and how.
func (c *changedPart) Error() string { return c.what }
