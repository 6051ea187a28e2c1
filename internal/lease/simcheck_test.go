package lease

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// handle lets the owner handle a request, and holds it to the promises of Holding.
func (w *world) handle(m simMessage) {
	if w.renewed {
		w.table = roundTrip(w.t, w.table)
	}
	before := w.table.clone()
	before.advance(w.now)
	answer := w.table.Renew(w.now, *m.request)
	w.history = append(w.history, m)
	defer w.configure()
	defer w.post(simMessage{worker: m.worker, answer: &answer})
	was, is := before.source("s"), w.table.source("s")
	if answer.Stale {
		require.Equal(w.t, was, is, "a stale request changed something")
		return
	}
	if was.Breaker.State != BreakerOpen && is.Breaker.State == BreakerOpen {
		w.opened++
	}
	l := is.limit(w.now)
	granted, rates := 0, Rate(0)
	for _, h := range is.Holdings {
		require.LessOrEqual(w.t, h.Granted, h.Exposed, "%s was granted more than is counted", h.Worker)
		require.LessOrEqual(w.t, h.Rate, h.RateExposed, "%s was granted a larger share than is counted", h.Worker)
		granted += h.Granted
		if l.paced() {
			rates += h.Rate
		}
	}
	require.LessOrEqual(w.t, granted, l.ceiling, "more is granted than the ceiling")
	if l.paced() {
		require.LessOrEqual(w.t, rates, l.rate, "the shares are more than the pace")
	}
	want, permits, kept := m.request.Sources[0], answer.Grants[0].Permits, 0
	if i, ok := was.search(m.worker.name()); ok {
		kept = min(was.Holdings[i].Granted, max(want.Held, want.InFlight))
	}
	if permits > kept {
		own, _ := is.search(m.worker.name())
		require.LessOrEqual(w.t, permits+is.exposed(own), l.ceiling, "a permit was given that was not free")
	}
	if permits != want.Held {
		w.moves++
	}
}

// check holds the source's own count against the ceiling, and every worker's against what the owner counts.
func (w *world) check() {
	allowed := 0
	for i, c := range w.ceilings {
		recent := i+1 == len(w.ceilings) || w.ceilings[i+1].at.Add(ownerTTL(Milliseconds(w.longest))+2*w.plot.longest()).After(w.now)
		if recent {
			allowed = max(allowed, c.value)
		}
	}
	require.LessOrEqual(w.t, len(w.inFlight), allowed, "in flight at %s", w.now.Sub(w.start))
	w.used += len(w.inFlight)

	c := w.table.clone()
	if c.advance(w.now); c.InDoubt || !c.Settled(w.now) {
		return // it knows that it does not know everything
	}
	for _, x := range w.workers {
		exposed := 0
		if i, ok := c.source("s").search(x.name()); ok {
			exposed = c.source("s").Holdings[i].Exposed
		}
		require.LessOrEqual(w.t, w.count(x), exposed, "%s has more in flight than the owner counts, at %s", x.name(), w.now.Sub(w.start))
		if !x.dead && !w.now.Before(x.frozen) {
			require.LessOrEqual(w.t, x.holder.Grant(w.clock(x), "s").Permits, exposed, "%s acts on more than the owner counts, at %s", x.name(), w.now.Sub(w.start))
		}
	}
}

// checkStarts holds the starts that the source saw against its pace: a bucket of the allowed burst never runs empty.
func (w *world) checkStarts() {
	rate, burst := float64(w.plot.Rate), float64(defaultBurst)
	if w.plot.MinInterval > 0 {
		rate, burst = float64(Every(w.plot.MinInterval)), 1
	}
	if rate == 0 || w.wasReset {
		return // a reset owner has forgotten who may have started a request lately, and fills a bucket too soon
	}
	tokens, last := burst, w.start
	for _, at := range w.starts {
		// A clock may run fast by the drift; the workers' clocks are read once a step.
		tokens = min(burst, tokens+at.Sub(last).Seconds()*rate/float64(OnePerSecond)*(1+simDrift)) - 1
		last = at
		require.GreaterOrEqual(w.t, tokens, -1e-6, "a burst at %s", at.Sub(w.start))
	}
}

// live are the workers that take part in the calm.
func (w *world) live() []*simWorker {
	return slices.DeleteFunc(slices.Clone(w.workers), func(x *simWorker) bool { return x.dead || x.leaving })
}

// comeBack plays until the breaker has closed and the full ceiling is back, which is soon, though some requests still fail.
func (w *world) comeBack() {
	each := max(w.plot.longest(), w.plot.MinInterval, min(w.plot.rate().Interval(), time.Hour))
	end := max(w.broken.Sub(w.now), 0) + simReturns*each
	for began := w.now; w.table.source("s").Breaker.State != BreakerClosed || w.table.source("s").Breaker.Level > 0 || w.now.Before(w.broken); {
		w.step(false)
		v := w.table.View(w.now)[0]
		require.LessOrEqual(w.t, w.now.Sub(began), end, "the ceiling is not back: breaker %s, level %d of %d, %d trips", v.Breaker, v.BreakerLevel, v.Ceiling, v.BreakerTrips)
	}
	w.opened = 0
}

// TestSimulation plays drawn plots: whatever goes wrong, the ceiling and the pace hold, and when all is well again, all
// permits are in use.
func TestSimulation(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlot(rt)
		p.Calm = 8 * simTTL
		w := newWorld(rt, p)
		w.run()
		w.measure()
		w.checkStarts()
	})
}

// measure plays on for a while, and says whether everything is in use by then. When the few faults of a source have opened
// its breaker by chance meanwhile, it is done again, with more in the breaker's window.
func (w *world) measure() {
	for range 5 {
		verdict := w.watch()
		if w.opened == 0 {
			verdict()
			return
		}
		w.comeBack()
		w.calm()
	}
	w.t.Fatal("a small share of faults opens the breaker again and again")
}

// watch plays the measured time, and returns what is to be said of it.
func (w *world) watch() (verdict func()) {
	live := w.live()
	length := 3 * simTTL
	if len(live) > w.plot.Ceiling || w.plot.MinInterval > 0 {
		// The permits go round: long enough for everyone's turn.
		turn := turnTTLs*simTTL + 3*w.table.source("s").minInterval() + 2*simTTL
		length = turn * time.Duration(len(live)+1)
	}
	w.used, w.moves = 0, 0
	for _, x := range live {
		x.started = 0
	}
	began, steps := w.now, 0
	for w.now.Sub(began) < length {
		w.step(false)
		steps++
	}
	used, moves := w.used, w.moves
	return func() { w.judge(live, length, steps, used, moves) }
}

// judge looks at what was measured.
func (w *world) judge(live []*simWorker, length time.Duration, steps, used, moves int) {
	started := 0
	for _, x := range live {
		started += x.started
	}
	use := float64(used) / float64(steps*w.plot.Ceiling)
	rate := min(w.plot.rate(), Every(w.plot.MinInterval))
	switch {
	case rate < Unlimited:
		// Requests are short and permits many: the pace decides, unless the ceiling of one does.
		possible := min(length.Seconds()*rate.PerSecond(), float64(steps*w.plot.Ceiling)/float64((w.plot.longest()+simStep)/2/simStep))
		require.GreaterOrEqual(w.t, float64(started), math.Floor(0.6*possible)-1, "the pace is not used")
	case len(live) <= w.plot.Ceiling:
		require.GreaterOrEqual(w.t, use, 0.999, "permits are lost: %d workers", len(live))
		require.Zero(w.t, moves, "permits move though nothing changes")
	default:
		require.GreaterOrEqual(w.t, use, 0.6, "permits are lost while they go round: %d workers", len(live))
	}
	if len(live) > w.plot.Ceiling && rate == Unlimited {
		for _, x := range live {
			require.Positive(w.t, x.started, "%s has waited for %s", x.name(), length)
		}
	}
}

func (p plot) rate() Rate {
	if p.Rate == 0 {
		return Unlimited
	}
	return p.Rate
}
