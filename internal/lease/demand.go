package lease

import "time"

// report replaces what the owner thought of a worker by what the worker says. Permits that it no longer acts on are free
// from here on; what it will be granted by the same renewal is added afterwards.
func (s *Source) report(i int, now time.Time, want Want, settings Settings) {
	h := &s.Holdings[i]
	h.InFlight = max(0, want.InFlight)
	h.Exposed = max(0, want.Held, h.InFlight)
	h.Full = want.Full
	h.Linger = max(h.Linger, s.Config.Linger, want.linger())
	h.OldestSince = waitingSince(now, want.OldestWaiting)
	if want.CrawlDelay != nil {
		read := max(0, *want.CrawlDelay)
		h.CrawlDelay = &read
	}
	if want.Rate <= 0 {
		s.stopPace(i, now)
	}
	h.RateExposed = max(0, want.Rate)
	h.learnDemand(now, want, settings.interval())
}

// longestWait bounds what a worker says of a wait: no record waits longer, and a mistake must not make a time that cannot be
// written.
const longestWait = Millis(366 * 24 * time.Hour / time.Millisecond)

// waitingSince is when a wait began that lasts for so long already; the zero time for none.
func waitingSince(now time.Time, wait Millis) time.Time {
	if wait <= 0 {
		return time.Time{}
	}
	return now.Add(-min(wait, longestWait).Std())
}

// learnDemand keeps the largest demand of this interval and of the one before, so that neither an early renewal nor a
// short lull makes a busy worker look idle.
func (h *Holding) learnDemand(now time.Time, want Want, interval time.Duration) {
	waiting := max(0, want.Waiting)
	need := max(h.InFlight, want.Peak) + waiting
	if passed := now.Sub(h.DemandAt); passed >= interval {
		h.NeedBefore, h.WaitingBefore = h.Need, h.Waiting
		if passed >= 2*interval {
			h.NeedBefore, h.WaitingBefore = 0, 0
		}
		h.Need, h.Waiting, h.DemandAt = need, waiting, now
	} else {
		h.Need, h.Waiting = max(h.Need, need), max(h.Waiting, waiting)
	}
	switch {
	case h.Need > 0 && h.Granted == 0:
		h.IdleSince = time.Time{}
		if h.HungrySince.IsZero() {
			h.HungrySince = now
		}
	case h.Need == 0 && h.Granted > 0:
		h.HungrySince = time.Time{}
		if h.IdleSince.IsZero() {
			h.IdleSince = now
		}
	default:
		h.HungrySince, h.IdleSince = time.Time{}, time.Time{}
	}
}

// grant notes a new number of permits, and what follows for the worker's turn.
func (h *Holding) grant(now time.Time, permits int, open bool, settings Settings) {
	switch {
	case h.Granted == 0 && permits > 0:
		h.Turn, h.HungrySince, h.ScoutAfter = now, time.Time{}, time.Time{}
		if h.Need == 0 {
			h.IdleSince = now
		}
	case h.Granted > 0 && permits == 0 && open && h.Need == 0:
		// Its trial has found no work while others were short: leave the others in peace for a while.
		h.ScoutAfter = now.Add(scoutPause * settings.TTL.Std())
	}
	if permits == 0 {
		h.Turn, h.IdleSince = time.Time{}, time.Time{}
	}
	h.Granted = permits
	h.Exposed = max(h.Exposed, permits)
}

// demand is what a worker that has work has had work for lately, and how much of it waited.
func (h *Holding) demand() (need, waiting int) {
	return max(h.Need, h.NeedBefore), max(h.Waiting, h.WaitingBefore)
}

// target is how many permits the worker's demand is good for, when the source has ceiling permits.
func (h *Holding) target(ceiling int) int {
	need, waiting := h.demand()
	switch {
	case h.Full:
		return h.Need
	case waiting > 0:
		// More work than permits: how much more is not known, since it waits in the source's queue.
		return ceiling
	case need <= h.Granted && need >= h.Granted-max(1, h.Granted/4):
		// Nearly all in use: small changes of demand should not move permits to and fro.
		return h.Granted
	}
	return need
}

// scoutPause is how many TTLs a worker waits for its next trial after one has found no work.
const scoutPause = 2
