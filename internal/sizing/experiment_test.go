package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheExperiment holds the published numbers (K03 to K09) as bands, for more than one seed: each seed is twenty runs
// of ten months.
func TestTheExperiment(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("plays two hundred months; run without -short")
	}
	for _, seed := range []uint64{2, 77} {
		p := Default()
		p.Seed = seed
		points := pooled(t, p, 8, 20, 29, 30, 31, 32, 33, 34, 35, 36)
		at := map[int]Point{}
		for _, point := range points {
			at[point.Workers] = point
		}

		formula := at[8]
		between(t, 100, 125, formula.Wait.Value)
		between(t, 18, 20, formula.Median.Value)
		between(t, 0.28, 0.31, formula.Within.Value)
		between(t, 0.61, 0.63, formula.Utilisation.Value)
		require.Zero(t, formula.KeptRuns)
		require.Equal(t, 520.0, formula.Dollars)

		between(t, 0.815, 0.83, at[20].Within.Value)
		between(t, 4.5, 5.4, at[31].Wait.Value)
		between(t, 0.947, 0.956, at[31].Within.Value)
		between(t, 0.15, 0.17, at[31].Utilisation.Value)
		require.Equal(t, 2015.0, at[31].Dollars)
		require.Equal(t, 715.0, at[31].Dollars-at[20].Dollars)
		between(t, 2600, 2900, at[20].LatePerMonth-at[31].LatePerMonth)

		require.Contains(t, []int{31, 32}, Recommend(points, p.Promise))
		require.Contains(t, []int{33, 34}, Strict(points, p.Seeds), "every single month takes two or three more")
		require.Less(t, at[31].BestMonth, 3.9)
		require.Greater(t, at[31].WorstMonth, 5.4)

		votes := VotesOf(points, p.Seeds, func(x Point) int { return x.KeptRuns })
		for _, v := range votes {
			require.True(t, v.Workers >= 29 && v.Workers <= 33, "a run of ten months asks for %d", v.Workers)
		}
		require.GreaterOrEqual(t, at[31].KeptRuns, p.Seeds/2)
		require.GreaterOrEqual(t, at[33].KeptRuns, p.Seeds-1)
	}
}

// TestTheSimulationIsExact: where mathematics has the answer, the simulation's interval holds it.
func TestTheSimulationIsExact(t *testing.T) {
	t.Parallel()
	p := Default()
	p.Months = 3
	exact, ok := p.Exact()
	require.True(t, ok)
	for _, point := range pooled(t, p, 8, 20, 31) {
		want := exact.Within(point.Workers, p.Promise.Minutes)
		require.InDelta(t, want, point.Within.Value, 1.5*point.Within.HalfWidth, "%d workers", point.Workers)
		require.Less(t, point.Within.HalfWidth, 0.01)
	}
}

// TestDeepJobsOfTheExperiment (K07): 5.1 to 5.3 % of jobs are 35 deep or deeper. Three seeds are pooled, sixty runs.
func TestDeepJobsOfTheExperiment(t *testing.T) {
	t.Parallel()
	var all Arrivals
	for seed := range uint64(3) {
		p := Default()
		p.Seed = seed + 1
		p.Service.Shape = Fixed // batches are drawn from a stream of their own, and this one is quicker
		for replication := range p.Seeds {
			arrivals, _ := Replicate(p, replication, nil)
			all.Merge(arrivals)
		}
	}
	between(t, 0.051, 0.053, DeepShare(all.BatchSizes, 35))
	require.Equal(t, 35, DeepPlace(all.BatchSizes, Default().Promise))
}

// TestSmoothArrivalsOfTheExperiment (K03): the formula's fleet keeps the promise if jobs come one by one.
func TestSmoothArrivalsOfTheExperiment(t *testing.T) {
	t.Parallel()
	p := Default().OneByOne()
	point := pooled(t, p, 8)[0]
	between(t, 3.8, 4.1, point.Wait.Value)
	require.GreaterOrEqual(t, point.KeptRuns, p.Seeds-1)
}

func between(t *testing.T, low, high, got float64) {
	t.Helper()
	require.False(t, math.IsNaN(got))
	require.GreaterOrEqual(t, got, low)
	require.LessOrEqual(t, got, high)
}
