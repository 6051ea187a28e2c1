package starter

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/weir-collect/weir/collection"
)

// deadOfSubmission lists the dead letters of one submission: those of its ledger, and, while batches run that have no ledger
// yet, those that the engine knows.
func (c *Client) deadOfSubmission(ctx context.Context, f DeadFilter) iter.Seq2[DeadLetter, error] {
	return func(yield func(DeadLetter, error) bool) {
		plan, err := c.planned(ctx, f.Submission)
		if err != nil {
			yield(DeadLetter{}, err)
			return
		}
		found, engineErr := c.failedRecords(ctx, f)
		c.deadRows(ctx, plan, f, found, engineErr)(yield)
	}
}

// deadRows lists what the rows of a submission tell of its dead letters. found are those that the engine remembers: it knows
// when they failed, and of those without a ledger nobody else knows. engineErr says why it could not be asked.
func (c *Client) deadRows(ctx context.Context, plan collection.PlanResult, f DeadFilter, found []DeadLetter, engineErr error) iter.Seq2[DeadLetter, error] {
	return func(yield func(DeadLetter, error) bool) {
		found = ofLife(plan, found)
		remembered := make(map[string]DeadLetter, len(found))
		for _, l := range found {
			remembered[l.Record] = l
		}
		pending, unwritten := map[string]collection.LedgerRow{}, false
		for row, err := range rowsOf(c.pages(ctx, plan.Submission, Filter{}, Cursor{}, false)) {
			if err != nil {
				yield(DeadLetter{}, err)
				return
			}
			if row.Outcome == OutcomePending || row.Outcome == OutcomeUnknown {
				unwritten = true
				if _, ok := remembered[row.Record]; ok {
					pending[row.Record] = row
				}
			}
			// A cancelled record that is named is run again by a replay, as a dead letter is.
			if !row.IsDead() && !(row.Outcome == collection.OutcomeCancelled && f.Select.Takes(row)) {
				continue
			}
			l := ofLedger(plan, row)
			if known, ok := remembered[l.Record]; ok {
				l.Since = known.Since
			}
			if !yield(l, nil) {
				return
			}
		}
		if unwritten && engineErr != nil {
			yield(DeadLetter{}, engineErr)
			return
		}
		for _, l := range found {
			row, ok := pending[l.Record]
			if !ok {
				continue
			}
			l.Line, l.Key = row.Line, row.Key
			if !yield(l, nil) {
				return
			}
		}
	}
}

// ofLife are those of some dead letters that failed since their submission was accepted. The engine may still remember what a late
// replay of a submission before under the same id has failed at.
func ofLife(plan collection.PlanResult, found []DeadLetter) []DeadLetter {
	return slices.DeleteFunc(slices.Clone(found), func(l DeadLetter) bool {
		return l.Since != nil && collection.BeforeLife(plan.AcceptedAt, *l.Since)
	})
}

func ofLedger(plan collection.PlanResult, row collection.LedgerRow) DeadLetter {
	l := DeadLetter{
		Submission: plan.Submission, Customer: plan.Customer, Record: row.Record, Source: row.Source, Reason: row.Reason,
		Ground: "ledger", Line: row.Line, Key: row.Key, Detail: row.Detail, Since: lastTouched(row.RecordResult),
	}
	if row.Raw != nil {
		l.Raw = row.Raw.Key
	}
	return l
}

// lastTouched is the latest time that a result tells of.
func lastTouched(r collection.RecordResult) *time.Time {
	latest := r.FirstRequestAt
	later := func(t time.Time) {
		if latest == nil || t.After(*latest) {
			latest = &t
		}
	}
	if r.Raw != nil {
		later(r.Raw.FetchedAt)
	}
	if r.Trail != nil {
		for _, a := range r.Trail.Attempts {
			later(a.At)
		}
	}
	return latest
}

// confirmed compares what the engine remembers of one submission with how it was settled. A submission that is not settled
// is as the engine says.
func (c *Client) confirmed(ctx context.Context, f DeadFilter, letters []DeadLetter) ([]DeadLetter, error) {
	first := letters[0]
	if first.Customer == "" {
		// Nobody can find its delivery.
		return letters, nil
	}
	manifest, _, err := c.anyManifest(ctx, first.Customer, first.Submission)
	if errors.Is(err, collection.ErrObjectMissing) {
		return letters, nil
	}
	if err != nil {
		return nil, err
	}
	if agree(manifest, letters) {
		return letters, nil
	}
	plan, err := c.planned(ctx, first.Submission)
	switch {
	case errors.Is(err, ErrNotPlanned):
		// It is submitted anew, and what stands is the delivery of a submission before under the same id.
		return letters, nil
	case err != nil:
		return nil, err
	case !manifest.IsOf(plan):
		return ofLife(plan, letters), nil
	}
	var dead []DeadLetter
	for l, err := range c.deadRows(ctx, plan, f, letters, nil) {
		if err != nil {
			return nil, err
		}
		dead = append(dead, l)
	}
	return dead, nil
}

// agree says whether a manifest counts as many dead letters of each source and reason as were found, for every kind that was.
func agree(m collection.Manifest, letters []DeadLetter) bool {
	type kind struct {
		source string
		reason collection.Reason
	}
	found := map[kind]int{}
	for _, l := range letters {
		found[kind{l.Source, l.Reason}]++
	}
	for _, s := range m.Sources {
		for _, count := range s.Outcomes {
			k := kind{s.Source, count.Reason}
			if count.Outcome == collection.OutcomeDeadLettered && found[k] == count.Records {
				delete(found, k)
			}
		}
	}
	return len(found) == 0
}
