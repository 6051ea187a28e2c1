package sizing

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestBinsCoverEveryWait(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		wait := rapid.Int64Range(0, never).Draw(t, "wait")
		i := bin(wait)
		require.Less(t, i, bins)
		low, width := bounds(i)
		require.LessOrEqual(t, low, wait)
		require.Less(t, wait, low+width)
		require.LessOrEqual(t, float64(width), math.Max(1, float64(low)/512), "no bin is wider than a five hundredth")
		if wait < never {
			require.GreaterOrEqual(t, bin(wait+1), i, "bins are in order")
		}
	})
}

func TestBinsAreContiguous(t *testing.T) {
	t.Parallel()
	next := int64(0)
	for i := range bin(never) + 1 {
		low, width := bounds(i)
		require.Equal(t, next, low, "bin %d", i)
		next = low + width
	}
	require.Greater(t, next, never)
}

func waitsOf(t *rapid.T, label string) []int64 {
	return rapid.SliceOfN(rapid.Int64Range(0, 1<<40), 1, 200).Draw(t, label)
}

func filled(waits []int64) *Histogram {
	h := NewHistogram()
	for _, w := range waits {
		h.add(w)
	}
	return h
}

// TestQuantileAgainstSorting: the smallest wait that so many do not exceed, to the width of its bin.
func TestQuantileAgainstSorting(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		waits := waitsOf(t, "waits")
		share := rapid.Float64Range(0.001, 1).Draw(t, "share")
		got := filled(waits).Quantile(share)
		slices.Sort(waits)
		rank := max(1, int(math.Ceil(share*float64(len(waits))-1e-9)))
		want := waits[rank-1]
		_, width := bounds(bin(want))
		require.InDelta(t, minutes(want), got, minutes(width))
	})
}

func TestWithinAgainstCounting(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		waits := waitsOf(t, "waits")
		limit := rapid.Float64Range(0, 20000).Draw(t, "limit")
		_, width := bounds(bin(min(micros(limit), never)))
		low, high := 0, 0
		for _, w := range waits {
			if w <= micros(limit) {
				low++
			}
			if w <= micros(limit)+width {
				high++
			}
		}
		got := filled(waits).Within(limit) * float64(len(waits))
		require.GreaterOrEqual(t, got, float64(low)-1e-9)
		require.LessOrEqual(t, got, float64(high)+1e-9)
	})
}

func TestMergeIsTheSameInEveryOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := waitsOf(t, "a"), waitsOf(t, "b"), waitsOf(t, "c")
		all := filled(slices.Concat(a, b, c))
		one := filled(a)
		one.Merge(filled(b))
		one.Merge(filled(c))
		other := filled(c)
		other.Merge(filled(a))
		other.Merge(filled(b))
		require.Equal(t, all, one)
		require.Equal(t, all, other)
	})
}

func TestHistogramOfNothing(t *testing.T) {
	t.Parallel()
	h := NewHistogram()
	require.Zero(t, h.Quantile(0.95))
	require.Equal(t, 1.0, h.Within(5))
	h.add(3)
	h.reset()
	require.Equal(t, NewHistogram(), h)
}

func TestMicros(t *testing.T) {
	t.Parallel()
	require.Equal(t, int64(300e6), micros(5))
	require.Equal(t, 5.0, minutes(micros(5)))
	require.Equal(t, micros(1e9), micros(math.Inf(1)), "a wait without end is a very long one")
}
