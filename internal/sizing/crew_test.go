package sizing

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func elasticCrew(floor, limit int) *crew {
	p := short()
	p.WarmUpHours = 0
	p.Elastic = &Elastic{Floor: floor, StartDelayMinutes: 2, StopAfterIdleMinutes: 10}
	return newCrew(p, limit)
}

func TestCrewStartsWhatIsMissing(t *testing.T) {
	t.Parallel()
	c := elasticCrew(1, 4)
	c.want(micros(1), 2)
	require.Equal(t, []int64{micros(3), micros(3)}, c.starting)
	c.want(micros(2), 2)
	require.Len(t, c.starting, 2, "two are on their way already")
	c.want(micros(2), 9)
	require.Equal(t, 4, c.paid, "never more than the limit")
	require.Equal(t, 4, c.peak)
	c.arrive(micros(3))
	require.Len(t, c.idle, 2)
}

func TestCrewStopsTheIdleAboveTheFloor(t *testing.T) {
	t.Parallel()
	c := elasticCrew(1, 4)
	c.want(0, 3)
	for range 3 {
		c.arrive(micros(2))
	}
	c.work()
	c.stop(micros(11))
	require.Equal(t, 3, c.paid, "the one that idles since the beginning is stopped after ten minutes")
	c.stop(micros(12))
	require.Equal(t, 1, c.paid, "and at twelve those that came at two; the floor is at work and stays")
	require.Empty(t, c.idle)
	c.release(micros(13))
	c.stop(micros(1000))
	require.Equal(t, 1, c.paid)
	c.pay(micros(20))
	// One worker for 20 minutes, one more for 10, two more for 12.
	require.Equal(t, micros(20+10+24), c.wages)
}

func TestCrewPaysInsideTheMonthsOnly(t *testing.T) {
	t.Parallel()
	p := short()
	p.WarmUpHours, p.Months, p.HoursPerMonth = 1, 1, 2
	c := newCrew(p, 3)
	c.pay(micros(30))
	require.Zero(t, c.wages)
	c.pay(micros(90))
	require.Equal(t, 3*micros(30), c.wages)
	c.pay(micros(1e6))
	require.Equal(t, 3*micros(120), c.wages)
}

// TestElasticLaws: whatever the delays, between the floor and the limit are paid, work is paid in full, and nobody starts
// sooner than with a fixed fleet of the limit's size.
func TestElasticLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyParams(t)
		limit := int(p.Load()) + rapid.IntRange(1, 30).Draw(t, "limit")
		fixed := ReplicateShared(p, 0, limit)
		p.Elastic = &Elastic{
			Floor:                rapid.IntRange(1, limit).Draw(t, "floor"),
			StartDelayMinutes:    rapid.Float64Range(0, 20).Draw(t, "delay"),
			StopAfterIdleMinutes: rapid.Float64Range(0, 60).Draw(t, "idle"),
		}
		got := ReplicateShared(p, 0, limit)
		require.Equal(t, fixed.Jobs, got.Jobs, "every job is done")
		require.LessOrEqual(t, got.Within, fixed.Within)
		require.LessOrEqual(t, got.Peak, limit)
		require.GreaterOrEqual(t, got.Peak, p.Elastic.Floor)
		require.LessOrEqual(t, got.PaidMinutes, fixed.PaidMinutes+1e-6)
		require.GreaterOrEqual(t, got.PaidMinutes, float64(p.Elastic.Floor)*got.Minutes-1e-6)
	})
}
