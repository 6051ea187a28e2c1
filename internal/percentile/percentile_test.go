package percentile_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/internal/percentile"
)

func TestRank(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n     int
		share float64
		want  int
	}{
		{20, 0.95, 19}, {100, 0.07, 7}, {100, 0.55, 55}, {100, 0.0701, 8}, {3, 0.5, 2}, {4, 0.5, 2}, {5, 1, 5}, {1, 0.01, 1},
		{7, 0, 1}, {7, -3, 1}, {7, math.Inf(-1), 1}, {0, 0.5, 1}, {0, 1, 1},
		{7, 1.01, 8}, {7, math.Inf(1), 8}, {7, math.NaN(), 8}, {0, 2, 1},
	} {
		require.Equal(t, c.want, percentile.Rank(c.n, c.share), "%v of %d", c.share, c.n)
	}
}

// TestRankOfRoundShares: every whole hundredth and thousandth of few values and of very many, against whole numbers. Where
// products in floating point err is rare, so nothing is left to chance.
func TestRankOfRoundShares(t *testing.T) {
	t.Parallel()
	for _, parts := range []int{100, 1000} {
		for part := 1; part <= parts; part++ {
			share := float64(part) / float64(parts)
			for _, from := range []int{1, 100_000_000, 1_000_000_000} {
				for n := from; n < from+300; n++ {
					if got, want := percentile.Rank(n, share), (part*n+parts-1)/parts; got != want {
						t.Fatalf("%d/%d of %d are %d, not %d", part, parts, n, want, got)
					}
				}
			}
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	waits := []time.Duration{1, 2, 3, 4}
	for _, c := range []struct {
		n     int
		share float64
		want  time.Duration
		ok    bool
	}{
		{4, 0.5, 2, true}, {4, 0.95, 4, true}, {4, 1, 4, true}, {4, 0.25, 1, true}, {4, 0.26, 2, true}, {4, 0.001, 1, true}, {4, 0, 1, true},
		{8, 0.5, 4, true}, {8, 0.51, 0, false}, {4, 1.5, 0, false}, {4, math.NaN(), 0, false}, {0, 0.5, 0, false},
	} {
		got, ok := percentile.Of(waits, c.n, c.share)
		require.Equal(t, c.ok, ok, "%+v", c)
		require.Equal(t, c.want, got, "%+v", c)
	}
	for n := range 3 {
		_, ok := percentile.Of([]time.Duration(nil), n, 0.5)
		require.False(t, ok, "the least of %d values are not known", n)
	}
}

// TestDefinition: enough values do not exceed the percentile, and of those below it there are not enough. What is larger than
// all that are known could be any size.
func TestDefinition(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(0, 30), 1, 60).Draw(t, "values")
		slices.Sort(values)
		known := values[:rapid.IntRange(0, len(values)).Draw(t, "known")]
		part := rapid.IntRange(1, 1000).Draw(t, "part")
		enough := func(count int) bool { return 1000*count >= part*len(values) }
		got, ok := percentile.Of(known, len(values), float64(part)/1000)
		require.Equal(t, enough(len(known)), ok)
		if !ok {
			return
		}
		upTo, below := 0, 0
		for _, v := range values {
			if v <= got {
				upTo++
			}
			if v < got {
				below++
			}
		}
		require.True(t, enough(upTo))
		require.False(t, enough(below))
	})
}
