package lease

import (
	"slices"
	"time"
)

// Renew handles one worker's request. A request that is not newer than the last one handled, or that comes from a worker
// that has released everything, changes nothing.
func (t *Table) Renew(now time.Time, req Request) Answer {
	now = t.advance(now)
	w := t.worker(req.Worker)
	if w.Released || req.Sequence <= w.Sequence {
		return Answer{Sequence: req.Sequence, Stale: true, Released: w.Released}
	}
	leased := now.Before(w.LeaseEnds)
	w.renew(now, leased, req.Sequence, t.Settings)
	leaseEnds, waits := w.LeaseEnds, w.waits(leased, req)
	t.doubt(now, req)

	wants := unique(req.Sources)
	if t.believes(req) {
		t.observeEgresses(now, req.Worker, req.Egress)
	} else {
		for i := range wants {
			wants[i].Seen = Report{}
		}
	}
	putOff := !waits && putOffWaits(wants)
	t.dropUnlisted(now, req.Worker, wants)
	answer := Answer{Sequence: req.Sequence, Epoch: t.Epoch, TTL: t.Settings.TTL, RenewIn: Milliseconds(t.Settings.interval())}
	for _, want := range wants {
		grant, soon := t.renewSource(now, req.Worker, leaseEnds, want)
		answer.Grants = append(answer.Grants, grant)
		answer.RenewIn = min(answer.RenewIn, Milliseconds(soon))
	}
	if putOff {
		answer.RenewIn = min(answer.RenewIn, Milliseconds(t.Settings.soon()))
	}
	answer.Egress = t.egressStates(req.Worker)
	return answer
}

// renew notes a request, and makes the lease last longer, or begin anew.
func (w *Worker) renew(now time.Time, leased bool, sequence int64, settings Settings) {
	if !leased {
		w.From = sequence
	}
	if w.FirstSeen.IsZero() {
		w.FirstSeen = now
	}
	w.Sequence = sequence
	w.LeaseEnds = later(w.LeaseEnds, now.Add(settings.ownerTTL()))
}

// putOffWaits leaves out what is told of waits, and says whether there was any.
func putOffWaits(wants []Want) (told bool) {
	for i := range wants {
		told = told || wants[i].Seen.LongestRetryAfter > 0
		wants[i].Seen.LongestRetryAfter = 0
	}
	return told
}

// Release gives back everything that a worker holds, for good: it has ended, and nothing of it is in flight.
func (t *Table) Release(now time.Time, worker string) {
	now = t.advance(now)
	t.dropUnlisted(now, worker, nil)
	w := t.worker(worker)
	w.Released, w.LeaseEnds = true, now
}

// unique drops a source that is listed twice: the second would undo the first.
func unique(wants []Want) []Want {
	seen := make(map[string]bool, len(wants))
	return slices.DeleteFunc(slices.Clone(wants), func(w Want) bool {
		again := seen[w.Source]
		seen[w.Source] = true
		return again
	})
}

// dropUnlisted frees what a worker has held of sources that it no longer names.
func (t *Table) dropUnlisted(now time.Time, worker string, wants []Want) {
	listed := make(map[string]bool, len(wants))
	for _, w := range wants {
		listed[w.Source] = true
	}
	for i := range t.Sources {
		if s := &t.Sources[i]; !listed[s.Config.Source] {
			s.drop(now, worker)
		}
	}
}

// renewSource handles one source of a request, and says when it would like to hear from the worker again.
func (t *Table) renewSource(now time.Time, worker string, leaseEnds time.Time, want Want) (Grant, time.Duration) {
	s := t.source(want.Source)
	if s == nil {
		return Grant{Source: want.Source, Why: WhyUnknown}, t.Settings.interval()
	}
	i := s.holding(worker)
	s.Holdings[i].LeaseEnds = leaseEnds
	acting := s.Holdings[i].Granted > 0 && want.Held > 0
	s.report(i, now, want, t.Settings)
	s.learnCrawlDelay(now)
	seen := want.Seen.plausible()
	if s.Breaker.observe(now, s.Config.Breaker, seen, acting, t.Settings.soon()) {
		s.fallBack(now)
	}
	// After that, so that another method is not tried either before the wait is over.
	s.Breaker.obey(now, seen)
	s.Breaker.settle(s.ceiling())

	l := s.limit(now)
	l.asker = i
	shares := s.plan(now, l, t.Settings)
	s.trim(l, shares)
	settled := t.Settled(now)
	h := &s.Holdings[i]
	permits := s.permits(i, l, shares[i], settled)
	rate, fill := Rate(0), 0
	if permits > 0 {
		rate = s.pace(i, l, l.rateShare(shares, i), settled)
		if rate == 0 {
			permits = 0
		}
		if rate > 0 && rate < Unlimited && h.RateExposed == 0 {
			fill = s.fill(now, rate)
		}
	}
	h.grant(now, permits, l.ceiling > 0, t.Settings)
	h.Rate, h.RateExposed = rate, max(h.RateExposed, rate)
	ceiling := s.ceiling()
	grant := Grant{
		Source: want.Source, Permits: permits, Pace: Pace{Rate: rate, Fill: fill}, Method: s.method(),
		Open: l.ceiling > 0, Why: l.why, OpensAt: l.opensAt, ClosesIn: closesIn(now, l.closesAt),
		Spare: max(0, l.ceiling-s.exposed(-1)), ReleasedAt: s.Breaker.ReleasedAt, Ceiling: &ceiling,
	}
	if rate > 0 && rate < Unlimited {
		grant.Pace.Burst = 1
	}
	return grant, s.renewIn(i, now, l, shares, want, t.Settings)
}

// closesIn rounds down, so that no request starts outside of the hours.
func closesIn(now, closesAt time.Time) Millis {
	if closesAt.IsZero() {
		return 0
	}
	return max(1, Millis(closesAt.Sub(now)/time.Millisecond))
}

// renewIn is when the owner would like to hear from a worker again: soon while somebody waits for what it gives back, or
// while it waits for what others give back, or while the breaker waits for what it sees; else after an interval.
func (s *Source) renewIn(i int, now time.Time, l limit, shares []int, want Want, settings Settings) time.Duration {
	h := &s.Holdings[i]
	owed, coming := false, false
	for j, o := range s.Holdings {
		if j != i {
			owed = owed || shares[j] > o.Granted
			coming = coming || o.Exposed > shares[j] && o.live(now)
		}
	}
	givesBack := max(want.Held, h.InFlight) > h.Granted && owed
	takes := shares[i] > h.Granted && coming
	watched := h.Granted > 0 && (l.probing || s.Breaker.Level > 0)
	wait := settings.interval()
	if givesBack || takes || watched {
		wait = settings.soon()
	}
	if !l.opensAt.IsZero() && h.Need > 0 {
		wait = min(wait, max(settings.soon(), l.opensAt.Sub(now)))
	}
	return wait
}
