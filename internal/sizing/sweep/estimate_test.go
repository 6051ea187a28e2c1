package sweep

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/sizing"
)

// TestEstimate: the experiment takes seconds, more jobs take longer, more cores less, and one draw of few variants does not turn
// the order around.
func TestEstimate(t *testing.T) {
	t.Parallel()
	p := sizing.Default()
	one := Estimate(p, 1)
	require.Greater(t, one, 5*time.Second)
	require.Less(t, one, time.Minute)
	require.Equal(t, one/2, Estimate(p, 2))
	require.Equal(t, one, Estimate(p, 0))
	p.JobsPerHour *= 8
	require.Greater(t, Estimate(p, 1), one)
	p.Workers = sizing.Range{From: 1}
	open := Estimate(p, 1)
	p.Workers.To = 45
	require.Less(t, Estimate(p, 1), open, "fewer rows")
	p.Seeds = 1
	require.Less(t, Estimate(p, 1), open/5)
}
