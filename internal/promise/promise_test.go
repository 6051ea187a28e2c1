package promise_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/promise"
)

var (
	accepted = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	terms    = promise.Terms{Within: 5 * time.Minute, Share: 0.95}
)

func after(d time.Duration) *time.Time {
	at := accepted.Add(d)
	return &at
}

func row(outcome collection.Outcome, first *time.Time) collection.LedgerRow {
	return collection.LedgerRow{RecordResult: collection.RecordResult{Outcome: outcome, FirstRequestAt: first}}
}

func TestOf(t *testing.T) {
	t.Parallel()
	raw := func(fetched time.Duration, again *time.Time) *collection.Raw {
		return &collection.Raw{FetchedAt: accepted.Add(fetched), NotModifiedAt: again}
	}
	for name, c := range map[string]struct {
		row  collection.RecordResult
		fate promise.Fate
		wait time.Duration
	}{
		"delivered":               {collection.RecordResult{Outcome: "delivered", FirstRequestAt: after(time.Minute)}, promise.Started, time.Minute},
		"dead after a request":    {collection.RecordResult{Outcome: "dead_lettered", FirstRequestAt: after(time.Hour)}, promise.Started, time.Hour},
		"cancelled in the middle": {collection.RecordResult{Outcome: "cancelled", FirstRequestAt: after(time.Second)}, promise.Started, time.Second},
		"clocks disagree":         {collection.RecordResult{Outcome: "delivered", FirstRequestAt: after(-time.Second)}, promise.Started, 0},
		"expired unasked":         {collection.RecordResult{Outcome: "dead_lettered", Reason: "expired"}, promise.NeverStarted, 0},
		"gone unasked":            {collection.RecordResult{Outcome: "gone"}, promise.NeverStarted, 0},
		"cancelled unasked":       {collection.RecordResult{Outcome: "cancelled"}, promise.Cancelled, 0},
		"robots":                  {collection.RecordResult{Outcome: "refused", Reason: "robots_denied"}, promise.Refused, 0},
		"known by its body":       {collection.RecordResult{Outcome: "dead_lettered", Raw: raw(3*time.Second, nil)}, promise.Started, 3 * time.Second},
		"bytes of an earlier visit, asked again": {
			collection.RecordResult{Outcome: "delivered", Raw: raw(-time.Hour, after(2*time.Second))}, promise.Started, 2 * time.Second},
		"bytes of an earlier visit": {
			collection.RecordResult{Outcome: "delivered", Raw: raw(-time.Hour, nil), Delivered: &collection.Delivered{VerifiedAt: *after(time.Minute)}},
			promise.Started, time.Minute},
		"found at the destination": {
			collection.RecordResult{Outcome: "delivered", Delivered: &collection.Delivered{VerifiedAt: *after(4 * time.Second)}}, promise.Started, 4 * time.Second},
	} {
		fate, wait := promise.Of(accepted, collection.LedgerRow{RecordResult: c.row})
		require.Equal(t, c.fate, fate, name)
		require.Equal(t, c.wait, wait, name)
	}
}

// book has one customer with n records that wait a second, two seconds and so on.
func book(customer string, n int, step time.Duration) *promise.Book {
	b := promise.NewBook()
	b.Submission(customer, nil)
	for i := range n {
		b.Row(customer, accepted, row(collection.OutcomeDelivered, after(time.Duration(i+1)*step)))
	}
	return b
}

func TestReport(t *testing.T) {
	t.Parallel()
	b := book("acme", 100, 3*time.Second)
	b.Submission("initech", collection.Tally{{Outcome: "invalid", Reason: "row_malformed", Records: 7}})
	for range 19 {
		b.Row("initech", accepted, row(collection.OutcomeDelivered, after(time.Second)))
	}
	b.Row("initech", accepted, row(collection.OutcomeDeadLettered, nil))
	b.Row("initech", accepted, row(collection.OutcomeCancelled, nil))
	b.Row("initech", accepted, row(collection.OutcomeRefused, nil))
	b.Cancelled("initech", 2)
	b.Lost("lost", 1)
	b.UnderWay("busy", 5)
	r := b.Report(terms)
	require.Equal(t, []string{"lost"}, r.Broken())
	require.Len(t, r.Customers, 4, "in the order of their names")

	acme := r.Customers[0]
	require.Equal(t, promise.Kept, acme.Verdict)
	require.Equal(t, 100, acme.Records)
	require.InDelta(t, 285, *acme.P95, 0)
	require.InDelta(t, 150, *acme.P50, 0)
	require.InDelta(t, 297, *acme.P99, 0)
	require.Equal(t, 100, acme.InTime)

	initech := r.Customers[2]
	require.Equal(t, promise.Kept, initech.Verdict, "19 of 20 are 95 %")
	require.Equal(t, 20, initech.Records, "what was cancelled or refused without a request does not count")
	require.Equal(t, 1, initech.NeverStarted)
	require.Equal(t, 3, initech.Cancelled)
	require.Equal(t, 1, initech.Refused)
	require.InDelta(t, 1, *initech.P95, 0)
	require.Nil(t, initech.P99, "the hundredth part did not start")
	require.Equal(t, 21, initech.Ended)
	require.InDelta(t, 19.0/21, initech.Success, 1e-9)
	require.Equal(t, 7, initech.Outcomes.Of(collection.OutcomeInvalid))

	require.Equal(t, promise.Nothing, r.Customers[1].Verdict, "busy")
	require.Equal(t, 5, r.Customers[1].UnderWay)
	require.Nil(t, r.Customers[3].P50, "lost")
	require.Equal(t, 121, r.All.Records)
	require.Equal(t, 122, b.Records())
}

func TestWaitingRecords(t *testing.T) {
	t.Parallel()
	b := book("acme", 10, time.Second)
	b.Waiting("acme", 4, 5*time.Minute)
	b.Waiting("acme", 10, 6*time.Minute)
	b.Waiting("acme", 0, time.Hour)
	line := b.Report(terms).All
	require.Equal(t, 4, line.Undecided, "five minutes are not more than five minutes")
	require.Equal(t, 10, line.WaitingLate)
	require.Equal(t, 20, line.Records)
	require.InDelta(t, 0.5, line.Within, 1e-9)
	require.Equal(t, promise.Broken, line.Verdict)
	require.InDelta(t, 360, *line.P95, 0, "the wait so far")
	require.Equal(t, line, b.Report(terms).All, "a report changes nothing")
}

func TestNothing(t *testing.T) {
	t.Parallel()
	r := promise.NewBook().Report(terms)
	require.Empty(t, r.Broken())
	require.NotNil(t, r.Customers, "a list, for readers of JSON")
	require.Equal(t, promise.Nothing, r.All.Verdict)
}

// draw makes a book of a few customers whose records end in every way.
func draw(t *rapid.T) *promise.Book {
	b := promise.NewBook()
	waits := rapid.Custom(func(t *rapid.T) *time.Time {
		if rapid.IntRange(0, 9).Draw(t, "never") == 0 {
			return nil
		}
		return after(time.Duration(rapid.Int64Range(0, int64(20*time.Minute)).Draw(t, "wait")))
	})
	outcomes := rapid.SampledFrom([]collection.Outcome{"delivered", "gone", "dead_lettered", "cancelled", "refused"})
	for _, customer := range []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "customers")] {
		for range rapid.IntRange(0, 40).Draw(t, "records") {
			b.Row(customer, accepted, row(outcomes.Draw(t, "outcome"), waits.Draw(t, "first")))
		}
		b.Waiting(customer, rapid.IntRange(0, 5).Draw(t, "waiting"), time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "so far")))
	}
	return b
}

// TestPercentilesGrow: a larger share waits no less, and a record that did not start waits longer than any.
func TestPercentilesGrow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		for _, line := range draw(t).Report(terms).Customers {
			previous := -1.0
			for _, p := range []*float64{line.P50, line.P95, line.P99} {
				now := 1e12
				if p != nil {
					now = *p
				}
				require.GreaterOrEqual(t, now, previous)
				previous = now
			}
		}
	})
}

// TestVerdictIsThePercentile: a promise of 95 % is kept if and only if the 95th percentile is within it.
func TestVerdictIsThePercentile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := promise.Terms{Within: time.Duration(rapid.Int64Range(1, int64(30*time.Minute)).Draw(t, "within")), Share: 0.95}
		r := draw(t).Report(limit)
		for _, line := range append(r.Customers, r.All) {
			if line.Records == 0 {
				require.Equal(t, promise.Nothing, line.Verdict)
				continue
			}
			kept := line.P95 != nil && *line.P95 <= limit.Within.Seconds()
			require.Equal(t, kept, line.Verdict == promise.Kept, "%+v", line)
		}
	})
}

// TestPooled: all together are the sum of all customers, and their share lies among theirs. A pooled figure can hide a
// customer whose promise is broken, which is why there is a line for each.
func TestPooled(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := draw(t).Report(terms)
		records, inTime, low, high := 0, 0, 1.0, 0.0
		for _, line := range r.Customers {
			require.Equal(t, line.Started+line.NeverStarted+line.WaitingLate, line.Records)
			records += line.Records
			inTime += line.InTime
			if line.Records > 0 {
				low, high = min(low, line.Within), max(high, line.Within)
			}
		}
		require.Equal(t, records, r.All.Records)
		require.Equal(t, inTime, r.All.InTime)
		if records > 0 {
			require.GreaterOrEqual(t, r.All.Within, low-1e-9)
			require.LessOrEqual(t, r.All.Within, high+1e-9)
		}
	})
	hidden := book("large", 990, time.Millisecond)
	for range 10 {
		hidden.Row("small", accepted, row(collection.OutcomeDelivered, after(time.Hour)))
	}
	r := hidden.Report(terms)
	require.Equal(t, promise.Kept, r.All.Verdict)
	require.Equal(t, []string{"small"}, r.Broken())
}

// TestNoSurvivorBias: giving up on records never makes a figure better.
func TestNoSurvivorBias(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := draw(t)
		before := b.Report(terms).Customers
		for _, line := range before {
			b.Row(line.Customer, accepted, row(collection.OutcomeDeadLettered, nil))
		}
		for i, line := range b.Report(terms).Customers {
			require.LessOrEqual(t, line.Within, before[i].Within+1e-12*float64(line.Records))
			require.Equal(t, before[i].InTime, line.InTime)
		}
	})
}

// TestUnknownDoesNotCount: what nobody can tell any more neither keeps nor breaks a promise.
func TestUnknownDoesNotCount(t *testing.T) {
	t.Parallel()
	b := promise.NewBook()
	b.Unknown("acme", 3)
	b.Unknown("initech", 4)
	r := b.Report(promise.Terms{Within: time.Minute, Share: 1})
	require.Equal(t, 7, r.All.Unknown)
	require.Equal(t, 3, r.Customers[0].Unknown)
	require.Zero(t, r.All.Records)
	require.Equal(t, promise.Nothing, r.Customers[0].Verdict)
}
