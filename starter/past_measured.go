package starter

import (
	"context"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/sizing"
)

// DefaultMaxMeasured bounds the records of the submissions that are read: a study replays them one by one.
const DefaultMaxMeasured = 5_000_000

// Measured is what really arrived, for package sizing.
type Measured struct {
	History *sizing.History
	Coverage
	// Parts is how many ledger parts were read for service times, drawn from the whole window. Unknown is how many of their records
	// were requested, and do not tell for how long.
	Parts   int
	Unknown int
}

// Measured reads from the plans and ledgers of a window what arrived and how long it took: a job is a record, a batch the
// records of a submission, and a service time how long the record's requests were in flight. progress, which may be nil, is
// told how far it is.
func (c *Client) Measured(ctx context.Context, w Window, progress func(Coverage)) (Measured, error) {
	if progress == nil {
		progress = func(Coverage) {}
	}
	if w.MaxRecords == 0 {
		w.MaxRecords = DefaultMaxMeasured
	}
	m := Measured{History: &sizing.History{Until: w.Until}}
	drawn := sample{strata: map[string]*stratum{}}
	var err error
	m.Coverage, err = c.past(ctx, w, progress, func(plan collection.PlanResult) (int, error) {
		if plan.Accepted == 0 {
			return 0, nil
		}
		m.History.Batches = append(m.History.Batches, sizing.Recorded{At: plan.AcceptedAt, Jobs: plan.Accepted})
		drawn.add(plan)
		return plan.Accepted, nil
	})
	if err != nil {
		return m, err
	}
	m.History.Sort()
	if m.Parts, err = drawn.read(ctx, c); err != nil {
		return m, err
	}
	m.History.Services, m.Unknown = drawn.services()
	return m, nil
}

// Service is how long a record's requests were in flight, all attempts together: the time for which it held a permit of its
// source and a place of a worker. Waits between them hold neither. Zero means that it is not known; requested says whether
// there was a request at all.
func Service(r collection.RecordResult) (took time.Duration, requested bool) {
	if r.FirstRequestAt == nil {
		return 0, false
	}
	if r.Trail != nil {
		known := 0
		for _, attempt := range r.Trail.Attempts {
			if attempt.Took > 0 {
				took += time.Duration(attempt.Took) * time.Millisecond
				known++
			}
		}
		if known > 0 {
			// The attempts that the trail leaves out lie between those that it keeps.
			return took * time.Duration(known+r.Trail.Omitted) / time.Duration(known), true
		}
	}
	// A record whose first request was its last was in flight from there until its body had come, or word that it still stands.
	if r.Attempts == 1 && r.Raw != nil {
		end := r.Raw.FetchedAt
		if again := r.Raw.NotModifiedAt; again != nil {
			end = *again
		}
		return max(end.Sub(*r.FirstRequestAt), 0), true
	}
	return 0, true
}
