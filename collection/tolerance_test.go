package collection

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestTolerance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tolerance Tolerance
		expected  int
		most      int
	}{
		{Tolerance{}, 1000, 0},
		{Tolerance{Records: 3}, 1000, 3},
		{Tolerance{Share: 0.01}, 1000, 10},
		{Tolerance{Share: 0.01}, 999, 9},
		{Tolerance{Share: 0.29}, 100, 29}, // 0.29 × 100 is a little less than 29 in floating point
		{Tolerance{Records: 5, Share: 0.01}, 1000, 10},
		{Tolerance{Records: 20, Share: 0.01}, 1000, 20},
		{Tolerance{Share: 1}, 7, 7},
	} {
		require.Equal(t, c.most, c.tolerance.Most(c.expected), "%+v of %d", c.tolerance, c.expected)
		require.True(t, c.tolerance.Judge(c.most, c.expected).Within)
		require.False(t, c.tolerance.Judge(c.most+1, c.expected).Within)
	}
	for _, bad := range []Tolerance{{Records: -1}, {Share: -0.1}, {Share: 1.1}, {Share: math.NaN()}} {
		require.Error(t, bad.Check(), "%+v", bad)
	}
	require.NoError(t, Tolerance{Records: 1, Share: 0.5}.Check())
}

// TestToleranceNeverExceedsWhatWasSaid: a share never lets more rows pass than that share.
func TestToleranceNeverExceedsWhatWasSaid(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		of := Tolerance{Records: rapid.IntRange(0, 50).Draw(t, "records"), Share: rapid.Float64Range(0, 1).Draw(t, "share")}
		expected := rapid.IntRange(1, 1_000_000).Draw(t, "expected")
		most := of.Most(expected)
		if most > of.Records && float64(most) > of.Share*float64(expected)+1e-6 {
			t.Fatalf("%+v lets %d of %d pass", of, most, expected)
		}
	})
}
