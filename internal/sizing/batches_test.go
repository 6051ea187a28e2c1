package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func batchShapes() map[string]Batches {
	return map[string]Batches{
		"single":        {Shape: Single},
		"geometric":     {Shape: Geometric, Mean: 12},
		"geometric cut": {Shape: Geometric, Mean: 12, Max: 20},
		"geometric one": {Shape: Geometric, Mean: 1},
		"fixed":         {Shape: Fixed, Mean: 7},
		"fixed cut":     {Shape: Fixed, Mean: 7, Max: 5},
		"mixed":         {Shape: Mixed, Mean: 12},
		"mixed cut":     {Shape: Mixed, Mean: 12, Max: 30},
		"empirical":     {Shape: Empirical, Sizes: []int{1, 1, 4, 50}},
		"empirical cut": {Shape: Empirical, Sizes: []int{1, 1, 4, 50}, Max: 10},
	}
}

// TestBatchesDrawTheirMean: the load hangs on it, since batches arrive as often as their mean says.
func TestBatchesDrawTheirMean(t *testing.T) {
	t.Parallel()
	for name, b := range batchShapes() {
		const n = 300_000
		next := b.draw(NewRandom(11))
		mean, deviation := moments(n, func() float64 {
			size := next()
			if size < 1 || b.Max > 0 && size > b.Max {
				t.Errorf("%s: a batch of %d", name, size)
			}
			return float64(size)
		})
		require.InDelta(t, mean, b.MeanSize(), 5*deviation/math.Sqrt(n)+1e-9, name)
	}
}

func TestGeometricTail(t *testing.T) {
	t.Parallel()
	const n = 400_000
	next := Batches{Shape: Geometric, Mean: 12}.draw(NewRandom(5))
	deeper := map[int]int{}
	for range n {
		size := next()
		for _, depth := range []int{1, 2, 12, 34, 60} {
			if size >= depth {
				deeper[depth]++
			}
		}
	}
	for depth, count := range deeper {
		want := math.Pow(11.0/12, float64(depth-1))
		require.InDelta(t, want, float64(count)/n, 5*math.Sqrt(want*(1-want)/n)+1e-12, "at least %d", depth)
	}
}

func TestMixedHasAHeavierTail(t *testing.T) {
	t.Parallel()
	usual := countSizes(Batches{Shape: Geometric, Mean: 12}, 100_000)
	heavy := countSizes(Batches{Shape: Mixed, Mean: 12}, 100_000)
	require.Greater(t, DeepShare(heavy, 35), 2*DeepShare(usual, 35))
	require.Greater(t, Arrivals{BatchSizes: heavy}.BatchSeen(), Arrivals{BatchSizes: usual}.BatchSeen())
}

func countSizes(b Batches, n int) map[int]int {
	counts, next := map[int]int{}, b.draw(NewRandom(13))
	for range n {
		counts[next()]++
	}
	return counts
}

// TestDeepJobs (K07): 35 deep or deeper stands (11/12)^34 = 5.2 % of the jobs.
func TestDeepJobs(t *testing.T) {
	t.Parallel()
	counts := countSizes(Batches{Shape: Geometric, Mean: 12}, 2_000_000)
	require.InDelta(t, math.Pow(11.0/12, 34), DeepShare(counts, 35), 0.001)
	require.Equal(t, 35, DeepPlace(counts, Promise{Share: 0.95}))
	require.InDelta(t, 23, Arrivals{BatchSizes: counts}.BatchSeen(), 0.15)
}

func TestDeepShareByHand(t *testing.T) {
	t.Parallel()
	counts := map[int]int{1: 4, 3: 2} // ten jobs: six first, two second, two third
	require.Equal(t, 1.0, DeepShare(counts, 1))
	require.Equal(t, 0.4, DeepShare(counts, 2))
	require.Equal(t, 0.2, DeepShare(counts, 3))
	require.Zero(t, DeepShare(counts, 4))
	require.Zero(t, DeepShare(nil, 1))
	require.Equal(t, 3, DeepPlace(counts, Promise{Share: 0.9}))
	require.Equal(t, 2, DeepPlace(counts, Promise{Share: 0.7}))
	require.Equal(t, 1, DeepPlace(counts, Promise{Share: 0.1}))
}

func TestDeepPlaceIsTheDeepest(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.MapOfN(rapid.IntRange(1, 400), rapid.IntRange(1, 50), 1, 30).Draw(t, "counts")
		promise := Promise{Share: rapid.Float64Range(0.01, 0.99).Draw(t, "share")}
		depth := DeepPlace(counts, promise)
		require.GreaterOrEqual(t, DeepShare(counts, depth), 1-promise.Share)
		require.Less(t, DeepShare(counts, depth+1), 1-promise.Share)
	})
}

func TestScaledBatches(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		batches Batches
		factor  float64
		want    float64
	}{
		"geometric doubled":  {Batches{Shape: Geometric, Mean: 12}, 2, 24},
		"geometric quarter":  {Batches{Shape: Geometric, Mean: 12}, 0.25, 3},
		"fixed halved":       {Batches{Shape: Fixed, Mean: 7}, 0.5, 4},
		"empirical doubled":  {Batches{Shape: Empirical, Sizes: []int{1, 3}}, 2, 4},
		"empirical not to 0": {Batches{Shape: Empirical, Sizes: []int{1, 1}}, 0.25, 1},
		"single doubled":     {Batches{Shape: Single}, 2, 2},
		"single unchanged":   {Batches{Shape: Single}, 1, 1},
		"cut too":            {Batches{Shape: Fixed, Mean: 10, Max: 6}, 2, 12},
	} {
		require.InDelta(t, row.want, row.batches.scaled(row.factor).MeanSize(), 1e-9, name)
	}
}
