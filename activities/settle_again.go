package activities

import (
	"context"

	"github.com/weir-collect/weir/collection"
)

// A record's workflow may be run again behind the ledger's back: an operator resets one that had ended well, and it collects and
// delivers again. Then the object holds what the workflow says now, and that is no conflict.

// deliveredAgain is what a record's workflow has told, if that has delivered the very document that is there in the place of the one
// that the ledger tells of; nil otherwise.
func (b *books) deliveredAgain(ctx context.Context, row collection.LedgerRow, sha256 string) (*collection.RecordResult, error) {
	if sha256 == row.Delivered.SHA256 {
		return nil, nil
	}
	result, err := b.endOf(ctx, row.Record)
	if err != nil || result == nil || result.Delivered == nil {
		return nil, err
	}
	if result.Delivered.SHA256 != sha256 || result.Delivered.Key != row.Delivered.Key {
		return nil, nil
	}
	return result, nil
}

// takeAgain puts such results into their rows, and tells the ledger at once: a later attempt must read the rows that this one has
// entered.
func (b *books) takeAgain(ctx context.Context, rows []collection.LedgerRow, documents []delivered) error {
	was := map[string]collection.Delivered{}
	news := map[string]collection.LedgerRow{}
	for i := range rows {
		if documents[i].again == nil {
			continue
		}
		row := &rows[i]
		was[row.Record] = *row.Delivered
		row.RecordResult = inherit(*documents[i].again, row.RecordResult)
		if compareTimes(b.asOf, row.AsOf) > 0 {
			row.AsOf = b.asOf
		}
		news[row.Record] = *row
	}
	if len(news) == 0 {
		return nil
	}
	_, err := rewriteLedger(ctx, b.settler.Store, b.ledger, func(there []collection.LedgerRow) bool {
		changed := false
		for i, row := range there {
			// What somebody has written meanwhile stays as it is.
			if fresh, ok := news[row.Record]; ok && row.Delivered != nil && row.Delivered.Is(was[row.Record]) {
				there[i], changed = fresh, true
			}
		}
		return changed
	})
	return err
}
