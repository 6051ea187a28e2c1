package promise

import (
	"time"

	"github.com/weir-collect/weir/collection"
)

// Fate is what a row of the ledger tells of its record's start.
type Fate string

// The fates. They are names in the answer for programs: never rename them.
const (
	// Started means that a request was made, or at least that its fruits are there.
	Started Fate = "started"
	// NeverStarted means that the record ended without a request although one was due: it is late for ever.
	NeverStarted Fate = "never_started"
	// Cancelled means that somebody stopped the record, and no first request of it is on record. When is not either.
	Cancelled Fate = "cancelled"
	// Refused means that policy forbade the request, such as a robots.txt: none was due.
	Refused Fate = "refused"
)

// Of reads a record's fate, and how long it waited if it started. Where the first request is not on record the first later
// moment that is stands in for it: the wait is then too long rather than too short. Clocks that disagree make no wait
// negative.
func Of(accepted time.Time, row collection.LedgerRow) (Fate, time.Duration) {
	if at, ok := startOf(accepted, row); ok {
		return Started, max(at.Sub(accepted), 0)
	}
	switch row.Outcome {
	case collection.OutcomeCancelled:
		return Cancelled, 0
	case collection.OutcomeRefused:
		return Refused, 0
	}
	return NeverStarted, 0
}

func startOf(accepted time.Time, row collection.LedgerRow) (time.Time, bool) {
	switch raw, delivered := row.Raw, row.Delivered; {
	case row.FirstRequestAt != nil:
		return *row.FirstRequestAt, true
	case raw != nil && raw.NotModifiedAt != nil:
		// The bytes are from an earlier visit; this is when the target was asked whether they still stand.
		return *raw.NotModifiedAt, true
	case raw != nil && raw.FetchedAt.After(accepted):
		return raw.FetchedAt, true
	case delivered != nil:
		return delivered.VerifiedAt, true
	}
	return time.Time{}, false
}
