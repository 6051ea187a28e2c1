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
	one := Estimate(p, nil, 1)
	require.Greater(t, one, 5*time.Second)
	require.Less(t, one, time.Minute)
	require.Equal(t, one/2, Estimate(p, nil, 2))
	require.Equal(t, one, Estimate(p, nil, 0))
	p.JobsPerHour *= 8
	require.Greater(t, Estimate(p, nil, 1), one)
	p.Workers = sizing.Range{From: 1}
	open := Estimate(p, nil, 1)
	p.Workers.To = 45
	require.Less(t, Estimate(p, nil, 1), open, "fewer rows")
	p.Seeds = 1
	require.Less(t, Estimate(p, nil, 1), open/5)
}

// TestEstimateCountsTheReplay, of what is replayed.
func TestEstimateCountsTheReplay(t *testing.T) {
	t.Parallel()
	p, h := sizing.Default(), &sizing.History{}
	for i := range 100 {
		h.Batches = append(h.Batches, sizing.Recorded{At: time.Unix(int64(i)*3600, 0), Jobs: 50_000})
	}
	with := Estimate(p, h, 2)
	require.Greater(t, with, Estimate(p, nil, 2)+time.Second)
	h.Batches = append(h.Batches, h.Batches...)
	require.Equal(t, with, Estimate(p, h, 2), "the older half is not replayed")
	p.Batches.Max = 10
	require.Equal(t, Estimate(p, nil, 2), Estimate(p, h, 2), "nothing is")
}
