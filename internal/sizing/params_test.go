package sizing

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestParamsOfTheExperiment(t *testing.T) {
	t.Parallel()
	p := Default()
	require.Equal(t, Smooth{Load: 5, MeanMinutes: 10}, p.Smooth())
	require.Equal(t, 520.0, p.Dollars(8))
	require.Equal(t, 2015.0, p.Dollars(31))
	require.Equal(t, micros(72*60), p.warmUp())
	require.Equal(t, micros((72+10*720)*60), p.end())
	require.Equal(t, 30*(72.0+7200), p.JobsPerRun())
	require.Equal(t, Single, p.OneByOne().Batches.Shape)
	require.Equal(t, Geometric, p.Batches.Shape, "a copy was changed")
}

// anyParams are sound parameters of any shape, small enough to be played.
func anyParams(t *rapid.T) Params {
	p := short()
	p.Months, p.HoursPerMonth, p.WarmUpHours = 1, 48, 6
	p.Seed = rapid.Uint64().Draw(t, "seed")
	p.JobsPerHour = rapid.Float64Range(1, 60).Draw(t, "rate")
	p.Service = rapid.SampledFrom([]Service{
		{Shape: Exponential, MeanMinutes: 10}, {Shape: Fixed, MeanMinutes: 3}, {Shape: LogNormal, MeanMinutes: 6, Variation: 3},
		{Shape: Empirical, Values: []float64{0, 1, 1, 60}},
	}).Draw(t, "service")
	p.Batches = rapid.SampledFrom([]Batches{
		{Shape: Single}, {Shape: Geometric, Mean: 12}, {Shape: Geometric, Mean: 30, Max: 40}, {Shape: Fixed, Mean: 5},
		{Shape: Mixed, Mean: 8}, {Shape: Empirical, Sizes: []int{1, 2, 90}}, {Shape: Geometric, Mean: 12, PaceMinutes: 1},
	}).Draw(t, "batches")
	return p
}

// TestAnyShapesObeyTheLaws: whatever arrives and however long it takes, more workers keep more of the promise, waits
// and counts agree, and the event simulation says the same.
func TestAnyShapesObeyTheLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := anyParams(t)
		first := int(p.Load()) + 1
		fleets := []int{first, first + 1, first + 5, first + 40, first + 400}
		arrivals, samples := Replicate(p, 0, fleets)
		for i, s := range samples {
			require.Equal(t, arrivals.Jobs, s.Jobs)
			require.LessOrEqual(t, s.Within, s.Jobs)
			require.LessOrEqual(t, s.BusyMinutes, float64(s.Workers)*p.HoursPerMonth*60+1e-6)
			// The histogram counts the whole bin around the limit, and so never less than there are.
			require.GreaterOrEqual(t, s.Waits.Within(p.Promise.Minutes)*float64(s.Jobs), float64(s.Within)-1e-6)
			if i > 0 {
				require.GreaterOrEqual(t, s.Within, samples[i-1].Within)
				require.LessOrEqual(t, s.WaitMinutes, samples[i-1].WaitMinutes+1e-6)
			}
		}
		shared := ReplicateShared(p, 0, fleets[1])
		require.Equal(t, samples[1].Waits, shared.Waits)
		require.Equal(t, samples[1].Within, shared.Within)
	})
}
