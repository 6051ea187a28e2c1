package sizing

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIntervalByHand(t *testing.T) {
	t.Parallel()
	got := around(5, []float64{4, 5, 6}) // deviation 1, three of them, Student 4.303
	require.Equal(t, 5.0, got.Value)
	require.InDelta(t, 4.303/math.Sqrt(3), got.HalfWidth, 1e-9)
	require.InDelta(t, 5-got.HalfWidth, got.Lower(), 1e-12)
	require.Equal(t, "500.0 ± 248.4", got.Text(100, 1))

	require.Equal(t, Interval{Value: 7}, around(7, []float64{7}), "one run says nothing about how well it knows")
	require.Zero(t, around(7, []float64{3, 3, 3}).HalfWidth)
}

// TestStudent compares with the printed table where the package computes instead of looking up.
func TestStudent(t *testing.T) {
	t.Parallel()
	for freedom, want := range map[int]float64{
		1: 12.706, 2: 4.303, 9: 2.262, 19: 2.093, 20: 2.086, 21: 2.080, 22: 2.074, 25: 2.060, 30: 2.042, 40: 2.021, 60: 2.000, 120: 1.980,
	} {
		require.InDelta(t, want, student(freedom), 0.0006, "%d degrees of freedom", freedom)
	}
	for freedom := 1; freedom < 200; freedom++ {
		require.Greater(t, student(freedom), student(freedom+1))
	}
}

// TestIntervalsHoldWhatTheyPromise: 95 of 100 hold the true mean.
func TestIntervalsHoldWhatTheyPromise(t *testing.T) {
	t.Parallel()
	random := NewRandom(21)
	const trials = 4000
	held := 0
	for range trials {
		values := make([]float64, 8)
		for i := range values {
			values[i] = 3 + 2*random.Normal()
		}
		if i := around(meanOf(values), values); math.Abs(i.Value-3) <= i.HalfWidth {
			held++
		}
	}
	require.InDelta(t, 0.95, float64(held)/trials, 4*math.Sqrt(0.95*0.05/trials))
}
