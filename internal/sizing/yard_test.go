package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestYardIsTheFleet: without ceilings, customers and elastic capacity both simulations agree to the last job.
func TestYardIsTheFleet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := short()
		p.Seed = rapid.Uint64().Draw(t, "seed")
		p.Months, p.HoursPerMonth = 1, 60
		p.Batches.PaceMinutes = rapid.SampledFrom([]float64{0, 0, 1}).Draw(t, "pace")
		workers := rapid.IntRange(6, 40).Draw(t, "workers")
		_, samples := Replicate(p, 0, []int{workers})
		got := ReplicateShared(p, 0, workers)
		require.Equal(t, samples[0].Waits, got.Waits)
		require.Equal(t, samples[0].Jobs, got.Jobs)
		require.Equal(t, samples[0].Within, got.Within)
		require.InDelta(t, float64(workers)*got.Minutes, got.PaidMinutes, 1e-6, "a fixed fleet is paid all the time")
		require.Equal(t, workers, got.Peak)
	})
}

// TestCeilingsThatNeverBind change nothing but who is counted where.
func TestCeilingsThatNeverBind(t *testing.T) {
	t.Parallel()
	p := short()
	plain := ReplicateShared(p, 0, 12)
	p.Sources = []Source{{Name: "a", Share: 0.5, Ceiling: 1000}, {Name: "b", Share: 0.5}}
	got := ReplicateShared(p, 0, 12)
	require.Equal(t, plain.Waits, got.Waits)
	require.Equal(t, plain.Within, got.Within)
	both := NewHistogram()
	for _, h := range got.Sources {
		require.Positive(t, h.total)
		both.Merge(h)
	}
	require.Equal(t, got.Waits, both)
}

// TestACeilingIsAFleetOfItsOwn: with workers in plenty, a source with a ceiling of n waits as its jobs would for n workers.
func TestACeilingIsAFleetOfItsOwn(t *testing.T) {
	t.Parallel()
	p := short()
	_, samples := Replicate(p, 0, []int{9})
	p.Sources = []Source{{Name: "all", Share: 1, Ceiling: 9}}
	got := ReplicateShared(p, 0, 500)
	require.Equal(t, samples[0].Waits, got.Waits)
}

// TestCeilingsHold watches every start and end.
func TestCeilingsHold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := short()
		p.Seed = rapid.Uint64().Draw(t, "seed")
		p.Sources = []Source{
			{Name: "narrow", Share: 0.3, Ceiling: rapid.IntRange(2, 6).Draw(t, "narrow")},
			{Name: "wide", Share: 0.5, Ceiling: rapid.IntRange(4, 20).Draw(t, "wide")},
			{Name: "open", Share: 0.2},
		}
		p.Customers = []Customer{{Name: "a", Share: 0.6, Weight: 1}, {Name: "b", Share: 0.4, Weight: 3}}
		workers := rapid.IntRange(6, 25).Draw(t, "workers")
		y := newYard(p, 0, workers)
		for _, job := range drain(NewStream(p, 0), 256)[:600] {
			y.until(job.Arrival)
			y.arrive(job)
			atWork := 0
			for s, source := range p.Sources {
				atWork += y.lines.working[s]
				if source.Ceiling > 0 {
					require.LessOrEqual(t, y.lines.working[s], source.Ceiling, source.Name)
				}
			}
			require.Equal(t, len(y.ends), atWork)
			require.Equal(t, workers-len(y.crew.idle), atWork)
			if len(y.crew.idle) > 0 {
				require.Zero(t, y.lines.startable(), "a job waits that an idle worker could start")
			}
		}
	})
}

// TestWeights: a customer who hands in as much as another but weighs more waits less, and without load nobody waits.
func TestWeights(t *testing.T) {
	t.Parallel()
	p := short()
	p.Customers = []Customer{{Name: "light", Share: 0.5, Weight: 1}, {Name: "heavy", Share: 0.5, Weight: 5}}
	all := ReplicateShared(p, 0, 7)
	for replication := 1; replication < 4; replication++ {
		all.Merge(ReplicateShared(p, replication, 7))
	}
	light, heavy := all.Customers[0], all.Customers[1]
	require.Greater(t, light.Quantile(0.95), 1.2*heavy.Quantile(0.95))
	require.Greater(t, light.Quantile(0.5), 1.2*heavy.Quantile(0.5))
	require.Equal(t, all.Jobs, light.total+heavy.total)
	require.InEpsilon(t, float64(light.total), float64(heavy.total), 0.25)

	require.Zero(t, ReplicateShared(p, 0, 2000).Waits.Quantile(1))
}

// TestFairnessKeepsTheWorkConserved: who goes first changes who waits, not how many jobs are in line. The mean wait over all
// jobs stays what it is for one line, since service times do not depend on the customer.
func TestFairnessKeepsTheWorkConserved(t *testing.T) {
	t.Parallel()
	p := short()
	p.Service.Shape = Fixed // then the moments of starts are the same, only their owners differ
	means := func(p Params) float64 {
		total, jobs := 0.0, 0.0
		shared := ReplicateShared(p, 1, 8)
		for i, n := range shared.Waits.counts {
			low, width := bounds(i)
			total += (float64(low) + float64(width)/2) * float64(n)
			jobs += float64(n)
		}
		return total / jobs
	}
	one := means(p)
	p.Customers = []Customer{{Name: "a", Share: 0.7, Weight: 1}, {Name: "b", Share: 0.3, Weight: 4}}
	require.InEpsilon(t, one, means(p), 0.02)
}

// TestElastic (K11): fewer paid hours, the same jobs, longer waits.
func TestElastic(t *testing.T) {
	t.Parallel()
	p := short()
	fixed := ReplicateShared(p, 0, 31)
	p.Elastic = &Elastic{Floor: 2, StartDelayMinutes: 2, StopAfterIdleMinutes: 10}
	elastic := ReplicateShared(p, 0, 31)
	require.Equal(t, fixed.Jobs, elastic.Jobs)
	require.Less(t, elastic.PaidMinutes, 0.6*fixed.PaidMinutes)
	require.Greater(t, elastic.PaidMinutes, p.Load()*elastic.Minutes, "work itself is paid")
	require.Less(t, elastic.Within, fixed.Within)
	require.LessOrEqual(t, elastic.Peak, 31)
	require.Greater(t, elastic.Peak, 20, "the count at the peak is what it was")

	p.Elastic.StopAfterIdleMinutes = maxServiceMinutes
	require.Greater(t, ReplicateShared(p, 0, 31).PaidMinutes, elastic.PaidMinutes)
}

// TestElasticWithoutDelay starts jobs when a fixed fleet would.
func TestElasticWithoutDelay(t *testing.T) {
	t.Parallel()
	p := short()
	fixed := ReplicateShared(p, 2, 14)
	p.Elastic = &Elastic{Floor: 1}
	elastic := ReplicateShared(p, 2, 14)
	require.Equal(t, fixed.Waits, elastic.Waits)
	require.Less(t, elastic.PaidMinutes, fixed.PaidMinutes)
}

func TestElasticTooLate(t *testing.T) {
	t.Parallel()
	p := short()
	p.Elastic = &Elastic{Floor: 1, StartDelayMinutes: 6, StopAfterIdleMinutes: 1}
	got := ReplicateShared(p, 0, 400)
	require.False(t, got.Kept(p.Promise), "workers that start after the promise is due cannot keep it")
	require.False(t, math.IsNaN(got.PaidMinutes))
}

// TestOwnersFollowTheirShares, and belong to the batch, whoever asks when.
func TestOwnersFollowTheirShares(t *testing.T) {
	t.Parallel()
	p := short()
	p.Customers = []Customer{{Name: "a", Share: 0.2, Weight: 1}, {Name: "b", Share: 0.8, Weight: 1}}
	p.Sources = []Source{{Name: "x", Share: 0.5}, {Name: "y", Share: 0.3}, {Name: "z", Share: 0.2}}
	y := newYard(p, 0, 8)
	const n = 50_000
	customers, sources := make([]float64, 2), make([]float64, 3)
	for batch := range int32(n) {
		c, s := y.owner(batch)
		customers[c] += 1.0 / n
		sources[s] += 1.0 / n
	}
	require.InDeltaSlice(t, []float64{0.2, 0.8}, customers, 0.01)
	require.InDeltaSlice(t, []float64{0.5, 0.3, 0.2}, sources, 0.01)

	c, s := y.owner(17)
	y.owner(n)
	again, same := y.owner(17)
	require.Equal(t, []int{c, s}, []int{again, same})
}
