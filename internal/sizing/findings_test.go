package sizing

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestCurvesRiseToOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := CurveOf(8, true, filled(waitsOf(t, "waits")))
		require.Equal(t, 8, c.Workers)
		require.True(t, c.Smooth)
		for i, dot := range c.Dots[1:] {
			require.Greater(t, dot.Minutes, c.Dots[i].Minutes)
			require.GreaterOrEqual(t, dot.Share, c.Dots[i].Share)
		}
		last := c.Dots[len(c.Dots)-1]
		require.True(t, last.Share == 1 || last.Minutes >= curveTo)
	})
	require.Equal(t, []Share{{curveFrom, 1}}, CurveOf(8, false, NewHistogram()).Dots)
}

func TestArrivalsAddUp(t *testing.T) {
	t.Parallel()
	var all Arrivals
	require.Zero(t, all.BatchSeen())
	all.Merge(Arrivals{Jobs: 3, BatchSizes: map[int]int{1: 3}})
	all.Merge(Arrivals{Jobs: 7, BatchSizes: map[int]int{1: 2, 5: 1}})
	require.Equal(t, Arrivals{Jobs: 10, BatchSizes: map[int]int{1: 5, 5: 1}}, all)
	require.Equal(t, 3.0, all.BatchSeen(), "five jobs see one, five see five")
}
