package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestSimulationOfFullProcesses: other sources' work fills every process for ever, and this source has none for a while. When
// some comes, it is served, and goes on being served.
func TestSimulationOfFullProcesses(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlot(rt)
		p.FaultEvery, p.Calm = 0, simTTL
		w := newWorld(rt, p)
		w.run()
		w.fill()
		w.checkStarts()
	})
}

// fill plays the time in which every process is full.
func (w *world) fill() {
	const without = 4 * simTTL
	began, live := w.now, w.live()
	for _, x := range live {
		x.full, x.idle = began.Add(time.Hour), began.Add(without)
	}
	for w.now.Sub(began) < without-simStep {
		w.step(true)
	}
	require.Empty(w.t, w.inFlight, "there is no work")
	// A permit comes with a renewal, and the work with a poll that takes no time here. Then there must be room, and a share of
	// the pace.
	bound := 2*simTTL + 2*simRoom + w.plot.longest() + 3*max(w.plot.MinInterval, w.plot.rate().Interval())
	for range 4 {
		before := len(w.starts)
		for end := w.now.Add(bound); w.now.Before(end); {
			w.step(true)
		}
		require.Greater(w.t, len(w.starts), before, "nothing was served for %s", bound)
	}
}
