package lease

import (
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// fault is something that goes wrong, or that an operator does, at a time.
type fault struct {
	At     time.Duration
	Kind   string
	Worker int
	For    time.Duration
	Number int
}

var faultKinds = []string{"crash", "freeze", "partition", "leave", "join", "owner-down", "continue-as-new", "reset", "set-ceiling", "set-pace", "idle",
	"outage", "use-ttl", "owner-lost", "full", "use-linger"}

func drawFault(t *rapid.T, chaos time.Duration) fault {
	return fault{
		At:     time.Duration(rapid.IntRange(0, int(chaos/simStep)).Draw(t, "at")) * simStep,
		Kind:   rapid.SampledFrom(faultKinds).Draw(t, "kind"),
		Worker: rapid.IntRange(0, 9).Draw(t, "worker"),
		For:    time.Duration(rapid.IntRange(1, int(2*simTTL/simStep)).Draw(t, "for")) * simStep,
		Number: rapid.IntRange(0, 12).Draw(t, "number"),
	}
}

func (w *world) play(f fault) {
	alive := slices.DeleteFunc(slices.Clone(w.workers), func(x *simWorker) bool { return x.dead })
	if len(alive) == 0 {
		w.join()
		return
	}
	x, until := alive[f.Worker%len(alive)], w.now.Add(f.For)
	switch f.Kind {
	case "crash":
		x.dead = true
		if !w.plot.Linger {
			w.end(x) // the system closes its connections
		}
		w.join()
	case "freeze":
		x.frozen = until
	case "partition":
		x.cut = until
	case "leave":
		x.leaving = true
	case "join":
		w.join()
	case "idle":
		x.idle = until
	case "owner-down":
		w.down = until
	case "continue-as-new":
		w.continueAsNew()
	case "reset":
		w.reset(f.Number%2 == 0)
	case "owner-lost":
		w.loseOwner(x, f.Number%2 == 0)
	case "use-ttl":
		w.useTTL([]time.Duration{simLongTTL, simTTL}[f.Number%2])
	case "use-linger":
		w.useLinger([]time.Duration{simLingers / 4, simLingers}[f.Number%2])
	case "outage":
		w.broken = until
	case "full":
		x.full = until
	case "set-ceiling":
		w.setCeiling(f.Number)
	case "set-pace":
		w.setPace(f.Number)
	}
}

// setPace slows a source with a pace down, and back, so that what it allows at most stays the same.
func (w *world) setPace(n int) {
	if rate := min(w.plot.rate(), Every(w.plot.MinInterval)); rate < Unlimited {
		require.NoError(w.t, w.table.SetPace(w.now, "s", rate/Rate(1+n%3), time.Time{}, Note{By: "ops"}))
	}
}

func (w *world) setCeiling(n int) {
	require.NoError(w.t, w.table.SetCeiling(w.now, "s", n, time.Time{}, Note{By: "ops"}))
	w.ceilings = append(w.ceilings, timed[int]{w.now, n})
}

// heal ends all that is wrong, and leaves at least one worker, the configured ceiling and a source that has just come back.
func (w *world) heal() {
	w.plot.Loss, w.plot.Twice, w.plot.Delay = 0, 0, min(w.plot.Delay, 100*time.Millisecond)
	w.down, w.broken = w.now, w.now
	if w.plot.FaultEvery > 0 {
		w.broken = w.now.Add(simOutage)
	}
	for w.ttl > simTTL && w.now.Before(w.lostAt.Add(forgotten)) {
		w.step(false)
	}
	w.setTTL(simTTL)
	w.setCeiling(w.plot.Ceiling)
	w.setPace(0)
	alive := 0
	for _, x := range w.workers {
		x.frozen, x.cut, x.idle, x.full = time.Time{}, time.Time{}, time.Time{}, time.Time{}
		if !x.dead && !x.leaving {
			alive++
		}
	}
	if alive == 0 {
		w.join()
	}
}
