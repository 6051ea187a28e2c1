package lease

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fleet is some workers with endless work on a network without faults, at a source that answers as a test wants. Where the
// simulation looks for what must never happen, the fleet shows how long things take.
type fleet struct {
	table   *Table
	now     time.Time
	start   time.Time
	workers []*fleetWorker
	// respond is how the source answers a request that starts now, and how long it takes.
	respond func() (Report, time.Duration)
	starts  []time.Time
	renewed int
}

type fleetWorker struct {
	holder *Holder
	pacer  Pacer
	runs   []fleetRun
	seen   Report
	sent   time.Time
	urgent bool
	over   bool // more in flight than granted
	// retryAt is when the longest wait that the source has asked this worker for is over.
	retryAt time.Time
}

type fleetRun struct {
	ends   time.Time
	result Report
}

const fleetStep = 20 * time.Millisecond

func newFleet(t *testing.T, workers int, config SourceConfig) *fleet {
	t.Helper()
	f := &fleet{table: newTable(t, config), now: noon, start: noon}
	f.respond = func() (Report, time.Duration) { return Report{Requests: 1, Successes: 1}, 500 * time.Millisecond }
	for n := range workers {
		f.workers = append(f.workers, &fleetWorker{holder: NewHolder(fmt.Sprintf("w%d", n))})
	}
	return f
}

// play lets time pass, and counts the steps at which so many requests were in flight.
func (f *fleet) play(length time.Duration) (inFlight int) {
	for end := f.now.Add(length); f.now.Before(end); {
		f.now = f.now.Add(fleetStep)
		for _, w := range f.workers {
			f.act(w)
		}
		for _, w := range f.workers {
			inFlight += len(w.runs)
		}
	}
	return inFlight
}

func (f *fleet) act(w *fleetWorker) {
	left := w.runs[:0]
	for _, r := range w.runs {
		if r.ends.After(f.now) {
			left = append(left, r)
			continue
		}
		w.seen.Requests += r.result.Requests
		w.seen.Successes += r.result.Successes
		w.seen.TargetFaults += r.result.TargetFaults
		w.seen.Throttled += r.result.Throttled
		w.urgent = w.urgent || r.result.TargetFaults+r.result.Throttled > 0
		if wait := r.result.LongestRetryAfter.Std(); wait > 0 {
			w.retryAt = later(w.retryAt, f.now.Add(wait))
		}
	}
	w.runs = left
	grant := w.holder.Grant(f.now, "s")
	w.pacer.Set(f.now, grant.Pace)
	for !f.now.Before(w.retryAt) && len(w.runs) < grant.Permits && w.pacer.Start(f.now) {
		result, length := f.respond()
		w.runs = append(w.runs, fleetRun{f.now.Add(length), result})
		f.starts = append(f.starts, f.now)
	}
	w.urgent = w.urgent || grant.Spare > 0 && len(w.runs) >= grant.Permits || w.over && len(w.runs) <= grant.Permits
	w.over = len(w.runs) > grant.Permits
	if f.now.Before(w.holder.RenewAt()) && !(w.urgent && f.now.Sub(w.sent) >= time.Second) {
		return
	}
	if f.now.Before(w.retryAt) {
		w.seen.LongestRetryAfter = Milliseconds(w.retryAt.Sub(f.now))
	}
	use := Use{Source: "s", InFlight: len(w.runs), Peak: len(w.runs), Waiting: 3, Seen: w.seen}
	w.holder.Receive(f.now, f.table.Renew(f.now, w.holder.Next(f.now, []Use{use}, nil)))
	w.seen, w.sent, w.urgent = Report{}, f.now, false
	f.renewed++
}

// startsBetween counts the requests that started within a span after the start.
func (f *fleet) startsBetween(from, until time.Duration) int {
	n := 0
	for _, at := range f.starts {
		if since := at.Sub(f.start); since >= from && since < until {
			n++
		}
	}
	return n
}

// TestFleetUsesTheCeiling from nearly the beginning, and renews no more often than it must.
func TestFleetUsesTheCeiling(t *testing.T) {
	for _, workers := range []int{1, 2, 4, 8} {
		f := newFleet(t, workers, SourceConfig{Source: "s", Ceiling: 8})
		used := f.play(time.Minute)
		require.GreaterOrEqual(t, used, 97*8*int(time.Minute/fleetStep)/100, "%d workers", workers)
		before := f.renewed
		f.play(time.Minute)
		require.LessOrEqual(t, f.renewed-before, workers*13, "%d workers renew every five seconds", workers)
	}
}

// TestFleetOutage has a source that is down for a minute see few requests, and be in full use again soon after.
func TestFleetOutage(t *testing.T) {
	f := newFleet(t, 4, SourceConfig{Source: "s", Ceiling: 8})
	f.play(20 * time.Second)
	healthy := f.respond
	f.respond = func() (Report, time.Duration) { return Report{Requests: 1, TargetFaults: 1}, 100 * time.Millisecond }
	f.play(time.Minute)
	f.respond = healthy

	// Every worker learns of it with its next renewal, and until then its requests fail quickly.
	require.Zero(t, f.startsBetween(27*time.Second, 34*time.Second), "all have stopped")
	require.LessOrEqual(t, f.startsBetween(30*time.Second, 80*time.Second), 60, "after that, only probes")
	f.play(time.Minute)
	require.GreaterOrEqual(t, f.play(10*time.Second), 97*8*int(10*time.Second/fleetStep)/100, "in full use again")
}

// TestFleetThrottle has a 429 with Retry-After stop all workers, not only the one that saw it.
func TestFleetThrottle(t *testing.T) {
	f := newFleet(t, 4, SourceConfig{Source: "s", Ceiling: 8})
	f.play(20 * time.Second)
	healthy, once := f.respond, true
	f.respond = func() (Report, time.Duration) {
		if !once {
			return healthy()
		}
		once = false
		return Report{Requests: 1, Throttled: 1, LongestRetryAfter: 20_000}, 100 * time.Millisecond
	}
	f.play(40 * time.Second)
	require.Zero(t, f.startsBetween(27*time.Second, 40*time.Second), "all have stopped after one interval")
	require.Positive(t, f.startsBetween(40*time.Second, 43*time.Second), "and go on when the time is over")
	require.Equal(t, BreakerClosed, f.table.View(f.now)[0].Breaker)
}

// TestFleetPace is five requests a second, whatever the number of workers, and never more than two at once.
func TestFleetPace(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		f := newFleet(t, workers, SourceConfig{Source: "s", Ceiling: 8, Rate: PerSecond(5)})
		f.play(2 * time.Minute)
		require.InDelta(t, 300, f.startsBetween(time.Minute, 2*time.Minute), 30, "%d workers", workers)
		for i := 2; i < len(f.starts); i++ {
			require.GreaterOrEqual(t, f.starts[i].Sub(f.starts[i-2]), 200*time.Millisecond, "three at once")
		}
	}
}

// TestFleetHours has the last request start before the hours end, whatever the workers' leases.
func TestFleetHours(t *testing.T) {
	window, err := ParseWindow("11:00-12:01")
	require.NoError(t, err)
	f := newFleet(t, 3, SourceConfig{Source: "s", Ceiling: 8,
		Hours: &Hours{Zone: Zone{Name: "UTC", Offsets: []Offset{{}}}, Windows: []Window{window}}})
	f.play(2 * time.Minute)
	require.Positive(t, f.startsBetween(59*time.Second, time.Minute))
	require.Zero(t, f.startsBetween(time.Minute, 2*time.Minute))
}

// TestFleetPause has no request start later than one interval after a pause, and all go on after it.
func TestFleetPause(t *testing.T) {
	f := newFleet(t, 3, SourceConfig{Source: "s", Ceiling: 8})
	f.play(10 * time.Second)
	require.NoError(t, f.table.Pause(f.now, "s", Note{By: "ops", Reason: "complaint"}))
	f.play(20 * time.Second)
	require.Zero(t, f.startsBetween(15*time.Second+fleetStep, 30*time.Second))
	require.NoError(t, f.table.Resume(f.now, "s", Note{By: "ops"}))
	f.play(10 * time.Second)
	require.GreaterOrEqual(t, f.play(5*time.Second), 97*8*int(5*time.Second/fleetStep)/100)
}
