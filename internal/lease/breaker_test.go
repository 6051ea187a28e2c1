package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFleetSteadyFaults: a source of which some requests always fail, too few to open its breaker, is in full use again soon
// after an outage, as it was before.
func TestFleetSteadyFaults(t *testing.T) {
	for _, every := range []int{50, 20, 10, 4} {
		f := newFleet(t, 4, SourceConfig{Source: "s", Ceiling: 48})
		n := 0
		faulty := func() (Report, time.Duration) {
			n++
			if n%every == 0 {
				return Report{Requests: 1, TargetFaults: 1}, 100 * time.Millisecond
			}
			return Report{Requests: 1, Successes: 1}, 100 * time.Millisecond
		}
		f.respond = faulty
		f.play(10 * time.Second)
		require.Equal(t, BreakerClosed, f.table.View(f.now)[0].Breaker, "one in %d", every)
		f.respond = func() (Report, time.Duration) { return Report{Requests: 1, TargetFaults: 1}, 100 * time.Millisecond }
		f.play(10 * time.Second)
		require.NotEqual(t, BreakerClosed, f.table.View(f.now)[0].Breaker)
		f.respond = faulty
		f.play(time.Minute)
		v := f.table.View(f.now)[0]
		require.Equal(t, 48, v.InForce, "one in %d", every)
		require.Zero(t, v.BreakerLevel)
		require.Zero(t, v.BreakerTrips, "the next outage begins with a short wait")
	}
}

// TestLevelRisesWithGoodReports: what a report says decides whether the level rises after it.
func TestLevelRisesWithGoodReports(t *testing.T) {
	const step = time.Second
	for name, test := range map[string]struct {
		seen  Report
		level int
	}{
		"nothing":           {Report{}, 8},
		"only what is ours": {Report{Requests: 3}, 8},
		"a success":         {Report{Successes: 1}, 16},
		"few faults":        {Report{Successes: 7, TargetFaults: 2}, 16},
		"few throttles":     {Report{Successes: 7, Throttled: 2}, 16},
		"just too many":     {Report{Successes: 7, TargetFaults: 2, Throttled: 1}, 8},
		"only faults":       {Report{TargetFaults: 1}, 8},
	} {
		t.Run(name, func(t *testing.T) {
			c := BreakerConfig{Percent: 30}.withDefaults()
			// Enough successes in its window that none of this opens it.
			b := Breaker{State: BreakerClosed, Level: 8, SteppedAt: noon, Recent: []Bucket{{At: noon, Requests: 99, Answered: 99}}}
			require.False(t, b.observe(noon.Add(step-1), c, test.seen, true, step))
			require.Equal(t, 8, b.Level, "a step at a time")
			require.False(t, b.observe(noon.Add(step), c, test.seen, true, step))
			require.Equal(t, test.level, b.Level)
		})
	}
}

// TestTripsAreForgotten: with a large ceiling and few requests the level takes long to get there. A success after as long a
// time as the breaker is ever open makes the next outage begin with the shortest wait.
func TestTripsAreForgotten(t *testing.T) {
	const step = time.Second
	c := BreakerConfig{}.withDefaults()
	for after, trips := range map[time.Duration]int{c.MaxOpen.Std() - 1: 6, c.MaxOpen.Std(): 0} {
		b := Breaker{State: BreakerClosed, Level: 2, SteppedAt: noon, Trips: 6}
		now := noon.Add(after)
		b.observe(now, c, Report{Successes: 1}, true, step)
		require.Equal(t, 4, b.Level)
		require.Equal(t, trips, b.Trips, "after %s", after)
		require.True(t, b.observe(now.Add(step), c, Report{TargetFaults: 9}, true, step))
		require.Equal(t, min(c.Open.Std()<<trips, c.MaxOpen.Std()), b.Until.Sub(now.Add(step)))
	}
}

// TestOpenBreakerOutlivesItsSource: a source that leaves the configuration for a moment is left alone for as long as it has
// asked to be, and for as long as it fails; then its row goes.
func TestOpenBreakerOutlivesItsSource(t *testing.T) {
	for why, seen := range map[Why]Report{
		WhyThrottled:   {Requests: 1, Throttled: 1, LongestRetryAfter: 3_600_000},
		WhyBreakerOpen: {Requests: 9, TargetFaults: 9},
	} {
		config := SourceConfig{Source: "s", Ceiling: 4, Breaker: BreakerConfig{Open: 3_600_000}}
		table := newTable(t, config)
		table.Renew(noon, Request{Worker: "a", Sequence: 1, Sources: []Want{{Source: "s"}}})
		table.Renew(noon, Request{Worker: "a", Sequence: 2, Sources: []Want{{Source: "s", Seen: seen}}})
		table.Release(noon, "a")
		require.NoError(t, table.Configure(noon.Add(time.Minute), nil))
		require.Equal(t, WhyRemoved, table.View(noon.Add(2 * time.Minute))[0].Why)
		require.NoError(t, table.Configure(noon.Add(2*time.Minute), []SourceConfig{config}))
		v := table.View(noon.Add(2 * time.Minute))[0]
		require.Equal(t, why, v.Why)
		require.Equal(t, noon.Add(time.Hour), v.OpensAt)

		require.NoError(t, table.Configure(noon.Add(3*time.Minute), nil))
		require.Len(t, table.View(noon.Add(time.Hour-1)), 1)
		require.Empty(t, table.View(noon.Add(time.Hour)), "nothing of it is left to be kept")
	}
}
