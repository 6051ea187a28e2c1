package workers

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// TestReports: what requests met reaches the owner once, by who is at fault.
func TestReports(t *testing.T) {
	bubble(t, func(t *testing.T) {
		for _, c := range []struct {
			reason collection.Reason
			seen   lease.Report
		}{
			{"", lease.Report{Requests: 1, Successes: 1}},
			{collection.ReasonGone, lease.Report{Requests: 1, Successes: 1}},
			{collection.ReasonServerError, lease.Report{Requests: 1, TargetFaults: 1}},
			{collection.ReasonTimeout, lease.Report{Requests: 1, TargetFaults: 1}},
			{collection.ReasonThrottled, lease.Report{Requests: 1, Throttled: 1}},
			{collection.ReasonEgressAuth, lease.Report{Requests: 1}},
			{collection.ReasonRobotsDenied, lease.Report{Requests: 1}},
			{collection.ReasonInternal, lease.Report{Requests: 1}},
		} {
			r := leaseOf(t, 100, books)
			r.Report("books", c.reason, 0)
			require.Equal(t, c.seen, want(t, r.request(), "books").Seen, "%s", c.reason)
			require.Zero(t, want(t, r.request(), "books").Seen, "told twice: %s", c.reason)
		}
	})
}

// TestRetryAfterIsObeyedAtOnce: the source is left alone before the owner knows; the owner is told, with what is left of
// the wait, until it is over.
func TestRetryAfterIsObeyedAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, books)
		first := r.collect("books")
		r.renew()
		require.True(t, first.runs())
		r.woken()
		r.Report("books", collection.ReasonThrottled, 10*time.Second)
		first.end()
		require.True(t, r.woken(), "the rest of the fleet does not know yet")
		second := r.collect("books")
		require.False(t, second.runs())
		time.Sleep(4 * time.Second)
		require.False(t, second.runs())

		seen := want(t, r.renew(), "books").Seen
		require.Equal(t, lease.Report{Requests: 1, Throttled: 1, LongestRetryAfter: 6_000, Heard: &time.Time{}}, seen)
		require.Equal(t, lease.WhyThrottled, r.table.View(time.Now())[0].Why)
		require.Zero(t, r.granted("books"))
		time.Sleep(time.Second)
		require.Equal(t, lease.Report{LongestRetryAfter: 5_000, Heard: &time.Time{}}, want(t, r.renew(), "books").Seen)
		time.Sleep(5 * time.Second)
		require.Zero(t, want(t, r.renew(), "books").Seen)
		require.True(t, second.runs())
		r.endAll([]*job{second})
	})
}

// TestRetryAfterWithoutTheOwner: the wait ends by itself while the lease runs; a shorter one does not shorten it.
func TestRetryAfterWithoutTheOwner(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, books)
		r.renew()
		r.Report("books", collection.ReasonThrottled, 10*time.Second)
		r.Report("books", collection.ReasonThrottled, time.Second)
		began := time.Now()
		j := r.collect("books")
		<-j.done
		require.Equal(t, 10*time.Second, j.at.Sub(began))
		r.endAll([]*job{j})
	})
}

// TestRetryAfterIsBounded: a mistaken one does not stop the source for a year, however often it is told on.
func TestRetryAfterIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, books)
		r.renew()
		r.Report("books", collection.ReasonThrottled, math.MaxInt64)
		require.Equal(t, lease.Milliseconds(24*time.Hour), want(t, r.renew(), "books").Seen.LongestRetryAfter)
	})
}

// TestPace: requests start no faster than the share of the pace lets them, however long nothing started before.
func TestPace(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, lease.SourceConfig{Source: "books", Ceiling: 10, Rate: lease.PerSecond(2)})
		for range 2 {
			began := time.Now()
			jobs := r.collects("books", 6)
			r.renew()
			require.Equal(t, 1, running(jobs))
			require.Equal(t, 6, want(t, r.renew(), "books").Waiting, "the most since the last renewal")
			require.Equal(t, 5, want(t, r.renew(), "books").Waiting, "who waits for the pace waits")
			starts := map[time.Duration]int{}
			for _, j := range jobs {
				<-j.done
				starts[j.at.Sub(began).Round(time.Millisecond)]++
			}
			require.Equal(t, map[time.Duration]int{
				0: 1, 500 * time.Millisecond: 1, time.Second: 1, 1500 * time.Millisecond: 1, 2 * time.Second: 1, 2500 * time.Millisecond: 1,
			}, starts)
			r.endAll(jobs)
			time.Sleep(time.Minute)
			require.True(t, r.lapse())
		}
	})
}

// TestPaceIsChanged: who waits for the pace hears of another one at once.
func TestPaceIsChanged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, lease.SourceConfig{Source: "books", Ceiling: 10, Rate: lease.Every(time.Hour)})
		jobs := r.collects("books", 4)
		r.renew()
		require.Equal(t, 1, running(jobs))
		require.NoError(t, r.table.SetPace(time.Now(), "books", lease.PerSecond(1), time.Time{}, lease.Note{}))
		r.renew()
		time.Sleep(time.Second)
		r.renew()
		time.Sleep(2*time.Second + time.Millisecond)
		require.Equal(t, 4, running(jobs))
		r.endAll(jobs)
	})
}

// TestEarlyRenewal: it is asked for when the fleet has permits that this process has work for, and when a source begins to
// fail, but not for every fault.
func TestEarlyRenewal(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, lease.SourceConfig{Source: "books", Ceiling: 3})
		r.renew()
		jobs := r.collects("books", 2)
		require.False(t, r.woken(), "there are permits here")
		jobs = append(jobs, r.collect("books"))
		require.True(t, r.woken(), "the owner has one to spare")
		r.renew()
		require.Equal(t, 3, running(jobs))
		jobs = append(jobs, r.collect("books"))
		require.False(t, r.woken(), "nobody has any to spare")
		r.endAll(jobs)
		r.woken()

		for n, woken := range []bool{false, true, false, true, false, false, false, true} {
			r.Report("books", collection.ReasonServerError, 0)
			require.Equal(t, woken, r.woken(), "fault %d in a row", n+1)
		}
		r.Report("books", "", 0)
		r.Report("books", collection.ReasonServerError, 0)
		require.False(t, r.woken(), "a fault now and then")
		r.Report("books", collection.ReasonThrottled, 0)
		require.True(t, r.woken())
	})
}

// TestReleaseEndsTheWait: when an operator has released the breaker, this process asks again as soon as it hears of it, and
// no longer reports what it was asked to wait; a throttle after that counts.
func TestReleaseEndsTheWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, lease.SourceConfig{Source: "books", Ceiling: 4})
		r.renew()
		r.Report("books", collection.ReasonThrottled, 24*time.Hour)
		r.renew()
		waiting := r.collect("books")
		time.Sleep(time.Minute)
		r.renew()
		require.NoError(t, r.table.ReleaseBreaker(time.Now(), "books", lease.Note{}))
		time.Sleep(5 * time.Second)
		require.Positive(t, want(t, r.renew(), "books").Seen.LongestRetryAfter, "it has not heard of it")
		require.Equal(t, lease.BreakerHalfOpen, r.table.View(time.Now())[0].Breaker)
		require.True(t, waiting.runs(), "it tries the source")
		require.Zero(t, want(t, r.renew(), "books").Seen.LongestRetryAfter)
		waiting.end()
		r.Report("books", "", 0)
		r.renew()
		require.Equal(t, lease.BreakerClosed, r.table.View(time.Now())[0].Breaker)

		r.Report("books", collection.ReasonThrottled, time.Hour)
		r.renew()
		row := r.table.View(time.Now())[0]
		require.Equal(t, lease.WhyThrottled, row.Why)
		require.Equal(t, time.Hour, time.Until(row.OpensAt))
		r.requireEmpty()
	})
}
