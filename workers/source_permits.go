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
	name     string
	ceiling  int
	prefetch int
	// gate has a place for every permit; slots has some more, for tasks in hand.
	gate, slots *gate
	pacer       lease.Pacer
	// blockedUntil is when the source wants to be asked again; known here before the owner knows it. released is when an
	// operator last released its breaker, as far as is known here: what the source wanted before is over.
	blockedUntil, released time.Time
	taken                  map[*permit]struct{}
	// changed is closed when the share changes.
	changed chan struct{}

	// delays are the intervals that the source's robots.txt files ask for.
	delays    *delays
	lastStart time.Time

	// waiting are the collects that wait, by when they began to.
	waiting           map[*time.Time]struct{}
	mostWaiting, peak int
	// failing is how many requests in a row have failed by the source's fault.
	failing int
	seen    lease.Report
}

func newSourcePermits(s collection.Source) *sourcePermits {
	return &sourcePermits{
		name: s.Name, ceiling: s.Ceiling, prefetch: s.Prefetch, gate: newGate(0), slots: newGate(0),
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

// report counts what a request met, and says whether the owner should know at once: after a throttle, and when 2, 4, 8 and
// so on requests in a row have failed. A fault now and then is not worth a renewal of its own.
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
		return s.failing > 1 && s.failing&(s.failing-1) == 0
	case reason == "" || row.Fault == failure.FaultTarget:
		// A target that says what it will not serve is in order.
		s.seen.Successes++
		s.failing = 0
	}
	return false
}

// use is what is done at the source, counted since the last use.
func (s *sourcePermits) use(now time.Time) lease.Use {
	if left := s.blockedUntil.Sub(now); left > 0 {
		heard := s.released
		s.seen.LongestRetryAfter, s.seen.Heard = lease.Milliseconds(left), &heard
	}
	u := lease.Use{
		Source: s.name, InFlight: len(s.taken), Peak: s.peak, Waiting: s.mostWaiting,
		OldestWaiting: s.oldestWaiting(now), CrawlDelay: s.delays.inForce(now), Seen: s.seen,
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
