package sweep

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/sizing"
)

// TestVariantsOfALargeStudyAreAboutRight: where there is no time for as many runs as the answer has, fewer are played, and the
// fleet is one that keeps the promise in them together.
func TestVariantsOfALargeStudyAreAboutRight(t *testing.T) {
	t.Parallel()
	p := sizing.Default()
	require.True(t, affordable(p), "the experiment's variants are sized as its answer is")
	p.JobsPerHour *= 2
	require.False(t, affordable(p))
	require.Less(t, few(p).Seeds, p.Seeds)

	p = sizing.Default()
	p.Months, p.HoursPerMonth, p.WarmUpHours, p.Seeds = 2, 150, 24, 2
	s := &study{params: p, cores: 2}
	s.out.Recommended = 31
	v := &sizing.Variant{Params: p, Steady: true}
	require.NoError(t, s.about(context.Background(), v))
	want, err := Smallest(context.Background(), p, 2)
	require.NoError(t, err)
	require.Equal(t, want, v.Workers)
	require.InDelta(t, 0.95, v.Within, 0.03)

	unsteady := &sizing.Variant{Params: p}
	s.out.Recommended = 4
	require.NoError(t, s.about(context.Background(), unsteady))
	require.Equal(t, want, unsteady.Workers)
	require.Zero(t, unsteady.Within, "a fleet that never catches up is not played")
}
