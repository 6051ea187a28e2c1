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
	simRoom     = simTTL / 4             // how often a process that others' work fills has room for a request
	simOwnerTTL = simTTL + simTTL/10
	simLongTTL  = 4 * simTTL // the other TTL that may be in force: a worker renews less often than a short lease ends
)

// simBreaker is the source's breaker: a short window and short waits, so that a run sees several, and enough faults that a
// small share of them hardly ever opens it.
var simBreaker = BreakerConfig{Window: 3_000, Faults: 10, Open: 1_000, MaxOpen: 4_000}

const (
	// simOutage is how long a source that fails in part fails altogether before the calm, simReturns how many requests, each
	// of the longest or an interval apart, it may take until its full ceiling is back after that.
	simOutage  = 2 * time.Second
	simReturns = 60
)

// plot is one run of the simulation.
type plot struct {
	Ceiling, Workers int
	Rate             Rate
	MinInterval      time.Duration
	Linger           bool
	FaultEvery       int           // of a worker's requests, each so manieth fails; 0 for none
	Loss, Twice      int           // per cent of messages
	Delay            time.Duration // the longest
	Chaos, Calm      time.Duration
	Faults           []fault
	Seed             uint64
}

func drawPlot(t *rapid.T) plot {
	p := plot{
		Ceiling: rapid.IntRange(1, 12).Draw(t, "ceiling"),
		Workers: rapid.IntRange(1, 6).Draw(t, "workers"),
		Linger:  rapid.Bool().Draw(t, "linger"),
		// The shares are such that they do not open a breaker by themselves, or hardly ever.
		FaultEvery: rapid.SampledFrom([]int{0, 5, 20}).Draw(t, "fault every"),
		Loss:       rapid.SampledFrom([]int{0, 10, 40}).Draw(t, "loss"),
		Twice:      rapid.SampledFrom([]int{0, 20}).Draw(t, "twice"),
		Delay:      rapid.SampledFrom([]time.Duration{0, 200 * time.Millisecond, 2 * time.Second}).Draw(t, "delay"),
		Chaos:      20 * time.Second,
		Seed:       rapid.Uint64().Draw(t, "seed"),
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
	worker *simWorker
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
	frozen   time.Time     // until then it does nothing
	cut      time.Time     // until then it is partitioned
	idle     time.Time     // until then it has no work
	full     time.Time     // until then other sources' work fills it
	room     time.Time     // when it next has room for a request, while it is full
	longest  time.Duration // its longest request, by the configuration that it has
	dead     bool
	leaving  bool
	inbox    []Answer
	seen     Report
	ended    int // requests that came to their end
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
	// past is what the owner is reset to, history what it has handled since; runs is how many it has had, wasReset that it was
	// reset or lost.
	past     *Table
	history  []simMessage
	runs     int
	wasReset bool
	// ttl is what the configuration says, longest the longest that it has said; see simforget_test.go for the others.
	ttl, longest time.Duration
	// linger is what the configuration says of requests that may go on.
	linger            time.Duration
	lostAt, loweredAt time.Time
	broken            time.Time // until then every request fails
	opened            int       // how often the breaker has opened since it came back
}

type timed[T any] struct {
	at    time.Time
	value T
}

func newWorld(t tester, p plot) *world {
	w := &world{t: t, plot: p, rng: rand.New(rand.NewPCG(p.Seed, 1)), start: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	w.now, w.ttl, w.longest, w.linger = w.start, simTTL, simTTL, p.longest()
	w.table = w.newTable(simTTL)
	w.bring()
	w.begin(false)
	w.past = roundTrip(t, w.table)
	w.ceilings = []timed[int]{{w.start, p.Ceiling}}
	for range p.Workers {
		w.join()
	}
	return w
}

// newTable is a table that knows of nothing.
func (w *world) newTable(ttl time.Duration) *Table {
	table, err := New(Settings{TTL: Milliseconds(ttl)})
	require.NoError(w.t, err)
	return table
}

// bring hands the configuration over.
func (w *world) bring() {
	config := SourceConfig{Source: "s", Ceiling: w.plot.Ceiling, Rate: w.plot.Rate, MinInterval: Milliseconds(w.plot.MinInterval), Breaker: simBreaker}
	if w.plot.Linger {
		config.Linger = Milliseconds(w.linger)
	}
	require.NoError(w.t, w.table.Configure(w.now, []SourceConfig{config}))
}

func (w *world) join() {
	w.born++
	w.workers = append(w.workers, &simWorker{
		holder:  NewHolder(fmt.Sprintf("w%02d", w.born)),
		skew:    time.Duration(w.rng.IntN(1e6)) * time.Second,
		drift:   1 + simDrift*(2*w.rng.Float64()-1),
		longest: w.linger,
	})
}

// clock is what the worker's clock shows.
func (w *world) clock(x *simWorker) time.Time {
	return w.start.Add(x.skew + time.Duration(float64(w.now.Sub(w.start))*x.drift))
}

// run plays the chaos, heals everything, and plays the calm, which begins when the breaker has closed.
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
	if w.plot.Calm > 0 {
		w.comeBack()
	}
	w.calm()
}

// calm lets time pass in which nothing happens.
func (w *world) calm() {
	for end := w.now.Add(w.plot.Calm); w.now.Before(end); {
		w.step(false)
	}
}

func (w *world) step(chaos bool) {
	w.now = w.now.Add(simStep)
	w.inFlight = slices.DeleteFunc(w.inFlight, func(r simRequest) bool {
		over := !w.now.Before(r.ends)
		if over {
			w.finish(r.worker)
		}
		return over
	})
	w.deliver()
	// Nobody is always first.
	for i := range w.workers {
		w.act(w.workers[(i+w.born+int(w.now.Sub(w.start)/simStep))%len(w.workers)], chaos)
	}
	w.check()
}
