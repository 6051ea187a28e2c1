package collection

import (
	"slices"
	"time"
)

// An id may be used again once its plan has expired, and what the submission before has left under it may be kept for longer: its
// delivery for ever, and a part of its ledger that a replay has written again late. None of it says anything of the submission that
// has the id now, whose life begins when it is accepted.

// clocksApart is how far the clocks of the engine, the workers and the store may be apart, with what a store rounds. It is short
// beside the age at which a plan expires.
const clocksApart = 5 * time.Minute

// BeforeLife says whether something happened before a submission was accepted, and so is none of its doing. Before a zero time of
// acceptance, which stands for one that nobody knows, nothing has happened.
func BeforeLife(accepted, at time.Time) bool { return at.Before(accepted.Add(-clocksApart)) }

// IsBefore says whether a row was written for a submission before the one that was accepted then. What an earlier version has
// written does not tell, and counts as of this one.
func (r LedgerRow) IsBefore(accepted time.Time) bool {
	return r.AsOf != nil && BeforeLife(accepted, *r.AsOf)
}

// RowsOfLife are those rows of a part of the ledger that tell of the submission that was accepted then; rows itself is left as it is.
func RowsOfLife(accepted time.Time, rows []LedgerRow) []LedgerRow {
	before := func(r LedgerRow) bool { return r.IsBefore(accepted) }
	if !slices.ContainsFunc(rows, before) {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), before)
}
