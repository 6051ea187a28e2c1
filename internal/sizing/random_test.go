package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestRandomIsPinned holds the numbers of a seed: a sizing that somebody signed must come out the same next year.
func TestRandomIsPinned(t *testing.T) {
	t.Parallel()
	// The published test vector of SplitMix64: state 1234567.
	r := &Random{state: 1234567}
	for _, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		require.Equal(t, want, r.Uint64())
	}
}

func TestRandomStreams(t *testing.T) {
	t.Parallel()
	require.Equal(t, NewRandom(1, 2, 3).Uint64(), NewRandom(1, 2, 3).Uint64())
	seen := map[uint64]bool{}
	for _, r := range []*Random{
		NewRandom(0), NewRandom(1), NewRandom(1, 0), NewRandom(1, 1), NewRandom(1, 0, 1), NewRandom(1, 1, 0), NewRandom(2, 0, 1),
	} {
		n := r.Uint64()
		require.False(t, seen[n], "two purposes have one stream")
		seen[n] = true
	}
}

// moments draws numbers and returns their mean and deviation.
func moments(n int, draw func() float64) (mean, deviation float64) {
	sum, squares := 0.0, 0.0
	for range n {
		x := draw()
		sum += x
		squares += x * x
	}
	mean = sum / float64(n)
	return mean, math.Sqrt(squares/float64(n) - mean*mean)
}

func TestRandomMoments(t *testing.T) {
	t.Parallel()
	const n = 400_000
	const far = 5.0 // deviations of the mean: a right generator fails one in two million times
	for name, row := range map[string]struct {
		draw            func(*Random) float64
		mean, deviation float64
	}{
		"float":       {(*Random).Float, 0.5, math.Sqrt(1.0 / 12)},
		"exponential": {(*Random).Exponential, 1, 1},
		"normal":      {(*Random).Normal, 0, 1},
		"below":       {func(r *Random) float64 { return float64(r.Below(10)) }, 4.5, math.Sqrt(99.0 / 12)},
	} {
		r := NewRandom(7)
		mean, deviation := moments(n, func() float64 { return row.draw(r) })
		require.InDelta(t, row.mean, mean, far*row.deviation/math.Sqrt(n), name)
		require.InEpsilon(t, row.deviation, deviation, 0.01, name)
	}
}

func TestRandomBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := &Random{state: rapid.Uint64().Draw(t, "state")}
		n := rapid.IntRange(1, 1<<30).Draw(t, "n")
		f := r.Float()
		require.Greater(t, f, 0.0)
		require.Less(t, f, 1.0)
		b := r.Below(n)
		require.GreaterOrEqual(t, b, 0)
		require.Less(t, b, n)
		require.False(t, math.IsNaN(r.Normal()) || math.IsInf(r.Normal(), 0))
		require.Greater(t, r.Exponential(), 0.0)
	})
}
