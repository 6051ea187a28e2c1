package workers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/telemetry"
)

// errLeaseEnded is why requests in flight are broken off: without a lease there is no request.
var errLeaseEnded = errors.New("the worker's lease has ended")

// Permits are the requests that this process may have in flight, per source as its lease says, and what it may have in hand
// of them, over all sources, as its memory allows. A permit surrounds the request; the room in the process that comes with it
// is held until what the request has brought is stored. Everything is acquired in this order: the source's permit, the
// source's pace, room in the process. Who waits for the pace takes no room from other sources, and who has room never waits
// for another permit, nor for other room: a redirect, and the robots.txt of where it leads, are asked for under the one
// in hand.
type Permits struct {
	holder  *lease.Holder
	process *gate
	now     func() time.Time
	// wake asks for an early renewal.
	wake chan struct{}
	// egresses take part in the renewals; nil where there are none.
	egresses *Egresses
	// tooLong is told of a crawl delay beyond the longest that is obeyed, once for each origin; nil where nobody listens.
	tooLong func(source, origin string, delay time.Duration)

	mu      sync.Mutex
	sources map[string]*sourcePermits
	// leasing says that what is in force came with a lease.
	leasing bool
}

// NewPermits has no permits until a lease brings some. process bounds what is in hand over all sources.
func NewPermits(holder *lease.Holder, sources []collection.Source, process int, now func() time.Time) *Permits {
	p := &Permits{
		holder: holder, process: newGate(process), now: now, wake: make(chan struct{}, 1),
		sources: make(map[string]*sourcePermits, len(sources)),
	}
	for _, s := range sources {
		p.sources[s.Name] = newSourcePermits(s)
	}
	return p
}

// Method is the fetch method that the source is to be asked by now; empty where it has but one, or nothing is known yet.
func (p *Permits) Method(source string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.holder.Grant(p.now(), source).Method
}

// Acquire waits for a permit of a source, until ctx ends. The permit's context ends with the lease.
func (p *Permits) Acquire(ctx context.Context, source string) (*activities.Permit, error) {
	s, ok := p.sources[source]
	if !ok {
		return nil, fmt.Errorf("there are no permits for source %q in this process", source)
	}
	began, paced := p.now(), time.Duration(0)
	for {
		if err := p.enter(ctx, s); err != nil {
			return nil, fmt.Errorf("wait for a permit of source %s: %w", source, err)
		}
		taken, err := p.begin(ctx, s, &paced)
		if taken != nil {
			return p.permit(s, taken, began, paced), nil
		}
		s.gate.leave()
		if err == nil {
			// The lease gives fewer permits than when this one was entered: wait for news of it, and enter again.
			err = p.awaitNews(ctx, s)
		}
		if err != nil {
			return nil, fmt.Errorf("wait to make a request of source %s: %w", source, err)
		}
	}
}

// enter waits for one of the source's permits.
func (p *Permits) enter(ctx context.Context, s *sourcePermits) error {
	if s.gate.tryEnter() {
		return nil
	}
	p.renewEarlyFor(s)
	defer p.countWaiting(s)()
	return s.gate.enter(ctx)
}

// countWaiting counts a collect as waiting until done is called: the owner gives permits to those who can use them.
func (p *Permits) countWaiting(s *sourcePermits) (done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	since := p.now()
	s.waiting[&since] = struct{}{}
	s.mostWaiting = max(s.mostWaiting, len(s.waiting))
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(s.waiting, &since)
	}
}

// begin waits for the pace and for room in the process, and starts to use a permit that has been entered. It gives neither a
// permit nor an error when the lease no longer covers it.
//
// paced grows by how long the pace was waited for.
func (p *Permits) begin(ctx context.Context, s *sourcePermits, paced *time.Duration) (*permit, error) {
	room := false
	for {
		p.mu.Lock()
		now := p.now()
		at, known := s.next(now)
		covered := len(s.taken) < p.holder.Grant(now, s.name).Permits
		due := known && !at.After(now)
		if covered && due && (room || p.process.tryEnter()) {
			s.start(now)
			taken := s.take()
			p.mu.Unlock()
			return taken, nil
		}
		changed := s.changed
		p.mu.Unlock()
		if room {
			// Somebody else was quicker, or the lease has shrunk: the room is for others.
			p.process.leave()
			room = false
		}
		var err error
		switch {
		case !covered:
			return nil, nil
		case due:
			err = p.process.enter(ctx)
			room = err == nil
		default:
			err = p.awaitPace(ctx, s, at.Sub(now), known, changed)
			*paced += p.now().Sub(now)
		}
		if err != nil {
			return nil, err
		}
	}
}

func (p *Permits) awaitPace(ctx context.Context, s *sourcePermits, wait time.Duration, known bool, changed <-chan struct{}) error {
	defer p.countWaiting(s)()
	return waitUntil(ctx, wait, known, changed)
}

// newsInterval bounds the wait for news of a lease: a source's hours end by the clock, between two renewals.
const newsInterval = 100 * time.Millisecond

func (p *Permits) awaitNews(ctx context.Context, s *sourcePermits) error {
	p.mu.Lock()
	changed := s.changed
	p.mu.Unlock()
	return waitUntil(ctx, newsInterval, true, changed)
}

// waitUntil waits for a time to pass, if one is known, or for changed to be closed, or for ctx to end.
func waitUntil(ctx context.Context, wait time.Duration, known bool, changed <-chan struct{}) error {
	var due <-chan time.Time
	if known {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-due:
	case <-changed:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// Report tells what a request met. A source that starts to fail, or asks to be left alone, is worth an early renewal: the
// rest of the fleet does not know yet.
func (p *Permits) Report(source string, reason collection.Reason, retryAfter time.Duration) {
	s, ok := p.sources[source]
	if !ok {
		return
	}
	p.mu.Lock()
	urgent := s.report(p.now(), reason, retryAfter)
	p.mu.Unlock()
	if urgent {
		p.renewEarly()
	}
}

// ReadRobots tells what interval the robots.txt of one of the source's origins asks for; zero if none. It holds for this
// process at once, up to robots.LongestDelay, and the owner keeps the fleet to it.
func (p *Permits) ReadRobots(source, origin string, delay time.Duration) {
	s, ok := p.sources[source]
	if !ok {
		return
	}
	p.mu.Lock()
	longer, beyond := s.delays.learn(p.now(), origin, delay)
	p.mu.Unlock()
	if longer {
		// Worth an early renewal: the others do not know yet.
		p.renewEarly()
	}
	if beyond && p.tooLong != nil {
		p.tooLong(source, origin, delay)
	}
}

func (p *Permits) renewEarly() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// renewEarlyFor asks for an early renewal when a collect has come for which the fleet has permits and this process none, but
// room: a full process could not use them, and would ask with every collect.
func (p *Permits) renewEarlyFor(s *sourcePermits) {
	if inside, size := p.process.load(); inside >= size {
		return
	}
	inside, size := s.gate.load()
	p.mu.Lock()
	spare := p.holder.Grant(p.now(), s.name).Spare
	p.mu.Unlock()
	if spare > 0 && inside >= size {
		p.renewEarly()
	}
}

// slots are the places for tasks in hand of a source that this process collects from.
func (p *Permits) slots(source string) *gate { return p.sources[source].slots }

// Loads is every source's load in this process now, in the order of their names.
func (p *Permits) Loads() []telemetry.SourceLoad {
	loads := make([]telemetry.SourceLoad, 0, len(p.sources))
	p.mu.Lock()
	for name, s := range p.sources {
		loads = append(loads, telemetry.SourceLoad{Source: name, InFlight: len(s.taken), Ceiling: s.ceiling})
	}
	p.mu.Unlock()
	slices.SortFunc(loads, func(a, b telemetry.SourceLoad) int { return strings.Compare(a.Source, b.Source) })
	return loads
}
