package sizing

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func names(list []Variant) []string {
	var out []string
	for _, v := range list {
		out = append(out, v.Name)
	}
	return out
}

func TestVariantsOfTheExperiment(t *testing.T) {
	t.Parallel()
	p := Default()
	require.Equal(t, []string{
		"one by one", "batches of mean 3", "batches of mean 6", "batches of mean 12 (as assumed)", "batches of mean 24",
	}, names(p.SizeVariants()))
	require.Equal(t, []string{
		"every batch of 12", "batches cut at 24", "one batch in 10 is 5 times the others", "service times all alike",
		"service times exponential", "service times log-normal, deviation twice the mean",
	}, names(p.TailVariants()))
	require.Equal(t, []string{"a job every 30 s", "a job every 1 min", "a job every 2 min", "a job every 5 min", "one by one"},
		names(p.PaceVariants()))
}

func TestSpans(t *testing.T) {
	t.Parallel()
	for minutes, want := range map[float64]string{0.25: "15 s", 0.2429: "14.57 s", 1: "1 min", 2.5: "2.5 min", 0.999: "59.94 s"} {
		require.Equal(t, want, span(minutes))
	}
}

// TestVariantsOfASlowFleetAreWarm: service times of a longer tail take a longer warm-up, unless somebody has chosen a shorter one.
func TestVariantsOfASlowFleetAreWarm(t *testing.T) {
	t.Parallel()
	p := slow().warmedUp()
	tails := p.TailVariants()
	require.Equal(t, p.WarmUpHours, tails[len(tails)-2].Params.WarmUpHours, "exponential")
	require.Greater(t, tails[len(tails)-1].Params.WarmUpHours, 2*p.WarmUpHours, "log-normal")
	p.WarmUpHours = 10
	for _, v := range p.TailVariants() {
		require.Equal(t, 10.0, v.Params.WarmUpHours, v.Name)
	}
}

// TestVariantsKeepTheLoad: a row of the sensitivity table differs by what it assumes, never by the work.
func TestVariantsKeepTheLoad(t *testing.T) {
	t.Parallel()
	for name, batches := range batchShapes() {
		p := Default()
		p.Batches = batches
		require.NoError(t, p.Check(), name)
		for _, list := range [][]Variant{p.SizeVariants(), p.TailVariants(), p.PaceVariants()} {
			for _, v := range list {
				require.NoError(t, v.Params.Check(), "%s: %s", name, v.Name)
				require.InEpsilon(t, p.Load(), v.Params.Load(), 1e-9, "%s: %s", name, v.Name)
				require.Equal(t, p.JobsPerHour, v.Params.JobsPerHour)
			}
		}
		require.Equal(t, batches, p.Batches, "variants are copies")
	}
}

func TestSmoothArrivalsHaveNothingToPace(t *testing.T) {
	t.Parallel()
	p := Default().OneByOne()
	require.Empty(t, p.PaceVariants())
	require.Len(t, p.TailVariants(), 3, "service times only")
	require.Equal(t, []string{"one by one", "batches of mean 1 (as assumed)", "batches of mean 2"}, names(p.SizeVariants()))
}

// TestTailsAndSizesDoWhatTheySay (K10): heavier tails raise the fleet, capped batches and pacing lower it.
func TestTailsAndSizesDoWhatTheySay(t *testing.T) {
	t.Parallel()
	p := short()
	p.Seeds = 8
	const workers = 25
	within := func(v Params) float64 { return pooled(t, v, workers)[0].Within.Value }
	base := within(p)
	sizes, tails, paces := p.SizeVariants(), p.TailVariants(), p.PaceVariants()
	require.Greater(t, within(sizes[2].Params), base, "half the size")
	require.Less(t, within(sizes[4].Params), base, "twice the size")
	require.Greater(t, within(tails[0].Params), base, "every batch alike")
	require.Greater(t, within(tails[1].Params), base, "capped")
	require.Less(t, within(tails[2].Params), base, "a heavier tail")
	require.Greater(t, within(paces[0].Params), base, "paced")
	require.Greater(t, within(paces[2].Params), within(paces[0].Params), "paced more slowly")
}
