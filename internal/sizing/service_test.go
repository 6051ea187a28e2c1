package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServiceShapes(t *testing.T) {
	t.Parallel()
	values := []float64{1, 2, 2, 15}
	for name, row := range map[string]struct {
		service         Service
		mean, deviation float64
	}{
		"exponential": {Service{Shape: Exponential, MeanMinutes: 10}, 10, 10},
		"fixed":       {Service{Shape: Fixed, MeanMinutes: 10}, 10, 0},
		"log-normal":  {Service{Shape: LogNormal, MeanMinutes: 10, Variation: 0.5}, 10, 5},
		"empirical":   {Service{Shape: Empirical, Values: values}, 5, math.Sqrt((16 + 9 + 9 + 100) / 4.0)},
	} {
		require.InDelta(t, row.mean, row.service.Mean(), 1e-12, name)
		const n = 300_000
		next := row.service.draw(NewRandom(3))
		mean, deviation := moments(n, func() float64 { return minutes(next()) })
		require.InDelta(t, row.mean, mean, 5*row.deviation/math.Sqrt(n)+1e-6, name)
		require.InDelta(t, row.deviation, deviation, 0.02*row.deviation+1e-3, name)
	}
}

func TestServiceIsNeverLongerThanAYear(t *testing.T) {
	t.Parallel()
	next := Service{Shape: LogNormal, MeanMinutes: maxServiceMinutes, Variation: 10}.draw(NewRandom(3))
	for range 100_000 {
		if d := next(); d < 0 || d > longest {
			t.Fatalf("a service time of %d", d)
		}
	}
	require.Equal(t, longest, clip(math.Inf(1)))
	require.Equal(t, longest, clip(1e300))
}
