package lease

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The simulation: one owner, some workers with clocks of their own, a network that delays, loses, repeats and reorders
// messages, and a source that counts what it sees. Time goes in steps; everything that happens is drawn beforehand.

const (
	simStep     = 50 * time.Millisecond
	simTTL      = 3 * time.Second
	simDrift    = 0.04                   // how much faster or slower than true a worker's clock runs, at most
	simLongest  = 400 * time.Millisecond // the longest request, unless it may linger
	simLingers  = 2 * time.Second        // the longest request that may go on when its worker is lost
	simOwnerTTL = simTTL + simTTL/10
)

// fault is something that goes wrong, or that an operator does, at a time.
type fault struct {
	At     time.Duration
	Kind   string
	Worker int
	For    time.Duration
	Number int
}

// plot is one run of the simulation.
type plot struct {
	Ceiling, Workers int
	Rate             Rate
	MinInterval      time.Duration
	Linger           bool
	Loss, Twice      int           // per cent of messages
	Delay            time.Duration // the longest
	Chaos, Calm      time.Duration
	Faults           []fault
	Seed             uint64
}

var faultKinds = []string{"crash", "freeze", "partition", "leave", "join", "owner-down", "continue-as-new", "reset", "set-ceiling", "set-pace", "idle"}

func drawFault(t *rapid.T, chaos time.Duration) fault {
	return fault{
		At:     time.Duration(rapid.IntRange(0, int(chaos/simStep)).Draw(t, "at")) * simStep,
		Kind:   rapid.SampledFrom(faultKinds).Draw(t, "kind"),
		Worker: rapid.IntRange(0, 9).Draw(t, "worker"),
		For:    time.Duration(rapid.IntRange(1, int(2*simTTL/simStep)).Draw(t, "for")) * simStep,
		Number: rapid.IntRange(0, 12).Draw(t, "number"),
	}
}

func drawPlot(t *rapid.T) plot {
	p := plot{
		Ceiling: rapid.IntRange(1, 12).Draw(t, "ceiling"),
		Workers: rapid.IntRange(1, 6).Draw(t, "workers"),
		Linger:  rapid.Bool().Draw(t, "linger"),
		Loss:    rapid.SampledFrom([]int{0, 10, 40}).Draw(t, "loss"),
		Twice:   rapid.SampledFrom([]int{0, 20}).Draw(t, "twice"),
		Delay:   rapid.SampledFrom([]time.Duration{0, 200 * time.Millisecond, 2 * time.Second}).Draw(t, "delay"),
		Chaos:   20 * time.Second,
		Seed:    rapid.Uint64().Draw(t, "seed"),
	}
	switch rapid.IntRange(0, 3).Draw(t, "pace") {
	case 0:
		p.Rate = PerSecond(rapid.SampledFrom([]float64{0.5, 2, 5}).Draw(t, "rate"))
	case 1:
		p.MinInterval = rapid.SampledFrom([]time.Duration{250 * time.Millisecond, time.Second, 4 * time.Second}).Draw(t, "interval")
	}
	for range rapid.IntRange(0, 10).Draw(t, "faults") {
		p.Faults = append(p.Faults, drawFault(t, p.Chaos))
	}
	return p
}

// longest is the longest request of a run.
func (p plot) longest() time.Duration {
	if p.Linger {
		return simLingers
	}
	return simLongest
}

// simRequest is a request as the source sees it.
type simRequest struct {
	worker string
	ends   time.Time
}

// simMessage is under way to the owner or to a worker.
type simMessage struct {
	at       time.Time
	order    int
	worker   *simWorker
	request  *Request
	answer   *Answer
	released bool
}

// simWorker is one process.
type simWorker struct {
	holder   *Holder
	pacer    Pacer
	skew     time.Duration
	drift    float64
	frozen   time.Time // until then it does nothing
	cut      time.Time // until then it is partitioned
	idle     time.Time // until then it has no work
	dead     bool
	leaving  bool
	inbox    []Answer
	peak     int
	started  int // requests, since the calm began
	polled   bool
	lastSent time.Time
}

// world is the state of a run.
type world struct {
	t        tester
	plot     plot
	rng      *rand.Rand
	start    time.Time
	now      time.Time
	table    *Table
	down     time.Time // until then the owner handles nothing
	workers  []*simWorker
	born     int
	mail     []simMessage
	order    int
	inFlight []simRequest
	// ceilings are those in force since when, in the order of time.
	ceilings []timed[int]
	starts   []time.Time
	moves    int  // changes of grants
	used     int  // in flight, summed over the steps of the measured time
	renewed  bool // the owner continues as new before every message
	// past is what the owner is reset to, runs how many it has had, wasReset that it was reset.
	past     *Table
	runs     int
	wasReset bool
}

type timed[T any] struct {
	at    time.Time
	value T
}

func newWorld(t tester, p plot) *world {
	w := &world{t: t, plot: p, rng: rand.New(rand.NewPCG(p.Seed, 1)), start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	w.now = w.start
	table, err := New(Settings{TTL: Milliseconds(simTTL)})
	require.NoError(t, err)
	w.table = table
	config := SourceConfig{Source: "s", Ceiling: p.Ceiling, Rate: p.Rate, MinInterval: Milliseconds(p.MinInterval)}
	if p.Linger {
		config.Linger = Milliseconds(simLingers)
	}
	require.NoError(t, table.Configure(w.now, []SourceConfig{config}))
	w.begin(false)
	w.past = roundTrip(t, w.table)
	w.ceilings = []timed[int]{{w.start, p.Ceiling}}
	for range p.Workers {
		w.join()
	}
	return w
}

func (w *world) join() {
	w.born++
	w.workers = append(w.workers, &simWorker{
		holder: NewHolder(fmt.Sprintf("w%02d", w.born)),
		skew:   time.Duration(w.rng.IntN(1e6)) * time.Second,
		drift:  1 + simDrift*(2*w.rng.Float64()-1),
	})
}

// clock is what the worker's clock shows.
func (w *world) clock(x *simWorker) time.Time {
	return w.start.Add(x.skew + time.Duration(float64(w.now.Sub(w.start))*x.drift))
}

// run plays the chaos, heals everything, and plays the calm; it measures the last part of the calm.
func (w *world) run() {
	faults := slices.Clone(w.plot.Faults)
	slices.SortStableFunc(faults, func(a, b fault) int { return int(a.At - b.At) })
	for w.now.Sub(w.start) < w.plot.Chaos {
		for len(faults) > 0 && w.now.Sub(w.start) >= faults[0].At {
			w.play(faults[0])
			faults = faults[1:]
		}
		w.step(true)
	}
	w.heal()
	for w.now.Sub(w.start) < w.plot.Chaos+w.plot.Calm {
		w.step(false)
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
		w.table = roundTrip(w.t, w.table)
		w.begin(false)
		w.past = roundTrip(w.t, w.table)
	case "reset":
		w.reset()
	case "set-ceiling":
		w.setCeiling(f.Number)
	case "set-pace":
		w.setPace(f.Number)
	}
}

// begin starts a run of the owner.
func (w *world) begin(forgot bool) {
	w.runs++
	w.table.Begin(w.now, fmt.Sprintf("run %d", w.runs), w.table.Epoch, forgot)
}

// reset has the owner forget all since its run began, what operators have said included.
func (w *world) reset() {
	w.table = roundTrip(w.t, w.past)
	w.begin(true)
	w.wasReset = true
	w.ceilings = append(w.ceilings, timed[int]{w.now, w.table.source("s").ceiling()})
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

// heal ends all that is wrong, and leaves at least one worker and the configured ceiling.
func (w *world) heal() {
	w.plot.Loss, w.plot.Twice, w.plot.Delay = 0, 0, min(w.plot.Delay, 100*time.Millisecond)
	w.down = w.now
	w.setCeiling(w.plot.Ceiling)
	w.setPace(0)
	alive := 0
	for _, x := range w.workers {
		x.frozen, x.cut, x.idle = time.Time{}, time.Time{}, time.Time{}
		if !x.dead && !x.leaving {
			alive++
		}
	}
	if alive == 0 {
		w.join()
	}
}

func (w *world) step(chaos bool) {
	w.now = w.now.Add(simStep)
	w.inFlight = slices.DeleteFunc(w.inFlight, func(r simRequest) bool { return !w.now.Before(r.ends) })
	w.deliver()
	// Nobody is always first.
	for i := range w.workers {
		w.act(w.workers[(i+w.born+int(w.now.Sub(w.start)/simStep))%len(w.workers)], chaos)
	}
	w.check()
}
