package workers

import (
	"context"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/lease"
)

// sourcePermits are one source's permits in this process. Everything but the gates is guarded by the lock of Permits.
type sourcePermits struct {
	name string
	// ceiling is the fleet's: what the owner has told last, else what this process's configuration says.
	ceiling  int
	prefetch int
	// linger is how long a request may go on at the source when this process is lost.
	linger lease.Millis
	// gate has a place for every permit; slots has some more, for tasks in hand.
	gate, slots *gate
	pacer       lease.Pacer
	// blockedUntil is when the source wants to be asked again, by its Retry-After; this process keeps to it before the owner has
	// heard of it. released is when an operator last released the source's breaker, which ends what the source wanted before.
	blockedUntil, released time.Time
	taken                  map[*permit]struct{}
	// changed is closed when the share changes.
	changed chan struct{}

	// delays are the intervals that the source's robots.txt files ask for.
	delays    *delays
	lastStart time.Time

	// waiting are the collects that wait for a permit or for the pace, each a pointer to when it began to.
	waiting map[*time.Time]struct{}
	// mostWaiting and peak are the most collects that waited, and the most requests in flight, since the last renewal.
	mostWaiting, peak int
	// failing is how many requests in a row have failed by the source's fault.
	failing int
	// seen is what the next renewal tells the owner.
	seen lease.Report
}

func newSourcePermits(s collection.Source) *sourcePermits {
	return &sourcePermits{
		name: s.Name, ceiling: s.Ceiling, prefetch: s.Prefetch, linger: lease.Milliseconds(s.Timeout), gate: newGate(0), slots: newGate(0),
		taken: map[*permit]struct{}{}, changed: make(chan struct{}), waiting: map[*time.Time]struct{}{}, delays: newDelays(mostDelays),
	}
}

// next is when the next request may start, and whether that is known.
func (s *sourcePermits) next(now time.Time) (time.Time, bool) {
	at, ok := s.pacer.Next(now)
	if ok && s.blockedUntil.After(at) {
		at = s.blockedUntil
	}
	return s.afterDelay(at), ok
}

// afterDelay moves a start to where the crawl delay that this process has read allows it; the owner keeps the others to it.
func (s *sourcePermits) afterDelay(at time.Time) time.Time {
	if s.lastStart.IsZero() {
		return at
	}
	if earliest := s.lastStart.Add(s.delays.longest.Std()); earliest.After(at) {
		return earliest
	}
	return at
}

// start notes that a request starts.
func (s *sourcePermits) start(now time.Time) {
	s.pacer.Start(now)
	s.lastStart = now
}

// take notes a request in flight.
func (s *sourcePermits) take() *permit {
	p := &permit{}
	p.ctx, p.cancel = context.WithCancelCause(context.Background())
	s.taken[p] = struct{}{}
	s.peak = max(s.peak, len(s.taken))
	return p
}

// breakOff ends every request in flight; who made it gives the permit back.
func (s *sourcePermits) breakOff(cause error) {
	for p := range s.taken {
		p.cancel(cause)
	}
}

// apply puts a grant into force. Without permits the queue is not polled, so that tasks go to workers that have some.
func (s *sourcePermits) apply(now time.Time, g lease.Grant) {
	if g.ReleasedAt.After(s.released) {
		s.released, s.blockedUntil = g.ReleasedAt, time.Time{}
	}
	if g.Ceiling != nil {
		s.ceiling = *g.Ceiling
	}
	s.pacer.Set(now, g.Pace)
	s.gate.resize(g.Permits)
	slots := 0
	if g.Permits > 0 {
		slots = g.Permits + s.prefetch
	}
	s.slots.resize(slots)
	close(s.changed)
	s.changed = make(chan struct{})
}

// longestBlock bounds a Retry-After: a mistaken one must not stop a source for a year.
const longestBlock = 24 * time.Hour

// urgentInRow says whether so many faults in a row are worth a renewal of their own: 2, 4, 8 and so on, ever more rarely. A fault
// now and then is not.
func urgentInRow(faults int) bool { return faults > 1 && faults&(faults-1) == 0 }

// report counts what a request met, and says whether the owner should know at once.
func (s *sourcePermits) report(now time.Time, reason collection.Reason, retryAfter time.Duration) (urgent bool) {
	row := failure.Lookup(reason)
	s.seen.Requests++
	switch {
	case reason == collection.ReasonThrottled:
		s.seen.Throttled++
		if until := now.Add(min(retryAfter, longestBlock)); until.After(s.blockedUntil) {
			s.blockedUntil = until
		}
		return true
	case row.Fault == failure.FaultTarget && row.Retry:
		s.seen.TargetFaults++
		s.failing++
		return urgentInRow(s.failing)
	case reason == "" || row.Fault == failure.FaultTarget:
		// A target that says what it will not serve is in order.
		s.seen.Successes++
		s.failing = 0
	}
	return false
}

// use is what a renewal tells the owner of the source: what is in flight now, and what was counted since the last call.
// Who has a permit and stands in line for room does not count as waiting: more permits would bring no more room, and where others
// are short, theirs serves the source better.
func (s *sourcePermits) use(now time.Time) lease.Use {
	if left := s.blockedUntil.Sub(now); left > 0 {
		heard := s.released
		s.seen.LongestRetryAfter, s.seen.Heard = lease.Milliseconds(left), &heard
	}
	u := lease.Use{
		Source: s.name, InFlight: len(s.taken), Peak: s.peak, Waiting: s.mostWaiting,
		OldestWaiting: s.oldestWaiting(now), Linger: s.linger, CrawlDelay: s.delays.inForce(now), Seen: s.seen,
	}
	s.seen, s.peak, s.mostWaiting = lease.Report{}, len(s.taken), len(s.waiting)
	return u
}

// oldestWaiting is how long the collect has waited that waits longest.
func (s *sourcePermits) oldestWaiting(now time.Time) lease.Millis {
	longest := time.Duration(0)
	for since := range s.waiting {
		longest = max(longest, now.Sub(*since))
	}
	return lease.Milliseconds(longest)
}
