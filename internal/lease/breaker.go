package lease

import "time"

// BreakerState is a stable name for what a breaker does.
type BreakerState string

// The states of a breaker.
const (
	BreakerClosed   BreakerState = "closed"    // requests pass; after a half-open time at first only a few
	BreakerOpen     BreakerState = "open"      // no request passes before a time
	BreakerHalfOpen BreakerState = "half_open" // one permit tries the source
)

// Breaker stops a source that fails.
type Breaker struct {
	State BreakerState `json:"state"`
	// Cause is why it is or was last open: WhyBreakerOpen or WhyThrottled.
	Cause Why `json:"cause,omitempty"`
	// Until is when an open breaker goes half-open.
	Until time.Time `json:"until,omitzero"`
	// Trips is how often it has opened for faults in a row: since it was last fully closed, or told of a success after it had
	// been closed for as long as it is ever open.
	Trips int `json:"trips,omitempty"`
	// Level is the ceiling of a breaker that closes gradually; zero when it is fully closed.
	Level int `json:"level,omitempty"`
	// SteppedAt is when Level last rose.
	SteppedAt time.Time `json:"stepped_at,omitzero"`
	// ReleasedAt is when an operator last released it, and ReleasedUntil until when the source had asked to be left alone
	// then: what workers still report of such a wait is over.
	ReleasedAt    time.Time `json:"released_at,omitzero"`
	ReleasedUntil time.Time `json:"released_until,omitzero"`
	// Held keeps it open, by an operator's command.
	Held   *Note    `json:"held,omitempty"`
	Recent []Bucket `json:"recent,omitempty"`
}

const (
	// longestThrottle bounds a Retry-After: a mistaken one must not stop a source for a year.
	longestThrottle = 24 * time.Hour
	// fewestRampFaults is how many faults reopen a breaker that closes gradually.
	fewestRampFaults = 2
	// firstLevel is the ceiling after a probe has succeeded.
	firstLevel = 2
)

// restrict applies the breaker to what is in force at its source.
func (b *Breaker) restrict(l *limit) {
	switch {
	case b.Held != nil:
		l.close(WhyBreakerHeld, time.Time{})
	case b.State == BreakerOpen:
		l.close(b.Cause, b.Until)
	case b.State == BreakerHalfOpen:
		l.ceiling, l.probing = min(l.ceiling, 1), true
	case b.Level > 0:
		l.ceiling = min(l.ceiling, b.Level)
	}
}

// pass lets time pass: an open breaker goes half-open.
func (b *Breaker) pass(now time.Time) {
	if b.State == BreakerOpen && !now.Before(b.Until) {
		b.probe()
	}
}

func (b *Breaker) probe() {
	b.State, b.Until, b.Level, b.Recent = BreakerHalfOpen, time.Time{}, 0, nil
}

// release ends a hold or a wait, and says what it did. Workers may wait by themselves; they go on as well.
func (b *Breaker) release(now time.Time) string {
	b.ReleasedAt = now
	if b.State == BreakerOpen && b.Cause == WhyThrottled {
		b.ReleasedUntil = later(b.ReleasedUntil, b.Until)
	}
	if b.Held == nil && b.State != BreakerOpen {
		return "was not open"
	}
	b.Held = nil
	b.probe()
	return "half_open"
}

// observe takes in what a worker has seen, and tells whether the breaker has opened for faults. acting says that the worker
// acts on a permit: what another reports of a half-open source had been under way before the breaker opened.
func (b *Breaker) observe(now time.Time, c BreakerConfig, r Report, acting bool, step time.Duration) (tripped bool) {
	faults := r.TargetFaults + r.Throttled
	switch b.State {
	case BreakerClosed:
		b.Recent = record(b.Recent, now, c.Window.Std(), r)
		if b.failing(c) {
			b.trip(now, c)
			tripped = true
		} else if b.Level > 0 && c.tolerates(r.Successes, faults) {
			b.rise(now, c, step)
		}
	case BreakerHalfOpen:
		switch {
		case !acting || r.Successes+faults == 0:
		case c.tolerates(r.Successes, faults):
			b.State, b.Level, b.SteppedAt = BreakerClosed, firstLevel, now
		// A throttle that says how long to wait is obeyed; it is no sign that longer would be better.
		case r.TargetFaults > 0 || r.LongestRetryAfter == 0:
			b.trip(now, c)
			tripped = true
		}
	}
	return tripped
}

// obey leaves the source alone for as long as it has asked a worker to, unless an operator has ended that.
func (b *Breaker) obey(now time.Time, r Report) {
	asked := min(r.LongestRetryAfter.Std(), longestThrottle)
	if until := now.Add(asked); asked > 0 && !b.hasReleased(until, r) {
		b.throttle(until)
	}
}

// tolerates says whether there are successes, and besides them no larger a share of faults than leaves a breaker closed: a
// source of which a few requests always fail is as well then as it ever is.
func (c BreakerConfig) tolerates(successes, faults int) bool {
	return successes > 0 && faults*100 < c.Percent*(successes+faults)
}

// rise raises the level of a breaker that closes gradually, a step at a time. Where reports are so rare that the ceiling is
// long in coming back, one that comes after the longest wait is enough for the next outage to begin with the shortest.
func (b *Breaker) rise(now time.Time, c BreakerConfig, step time.Duration) {
	since := now.Sub(b.SteppedAt)
	if since < step {
		return
	}
	if since >= c.MaxOpen.Std() {
		b.Trips = 0
	}
	b.Level, b.SteppedAt = 2*b.Level, now
}

// remainderSlack is by how much two reports of one wait can differ, since a report takes a while to come.
const remainderSlack = 10 * time.Second

// hasReleased says whether an operator has ended the wait that a worker reports. A worker that knows of releases says which
// was the last that it had heard of when the source asked it to wait. Of one that does not, what is left of a wait that was
// reported before, and was to be over by then, is ended: a new throttle is not.
func (b *Breaker) hasReleased(until time.Time, r Report) bool {
	if r.Heard != nil {
		return r.Heard.Before(b.ReleasedAt)
	}
	return r.Throttled == 0 && !until.After(b.ReleasedUntil.Add(remainderSlack))
}

// failing says whether the recent requests are enough to open the breaker.
func (b *Breaker) failing(c BreakerConfig) bool {
	sum := total(b.Recent)
	fewest := c.Faults
	if b.Level > 0 {
		fewest = min(fewest, fewestRampFaults)
	}
	return sum.Faults >= fewest && sum.Faults*100 >= c.Percent*sum.Answered
}

// trip opens the breaker for faults: each time in a row for twice as long.
func (b *Breaker) trip(now time.Time, c BreakerConfig) {
	wait := doubled(c.Open.Std(), b.Trips, c.MaxOpen.Std())
	b.Trips++
	b.State, b.Cause, b.Until, b.Level, b.Recent = BreakerOpen, WhyBreakerOpen, now.Add(wait), 0, nil
}

// throttle opens the breaker until the time that the source has asked for, or leaves it open if that is earlier.
func (b *Breaker) throttle(until time.Time) {
	if b.State == BreakerOpen && !until.After(b.Until) {
		return
	}
	b.State, b.Cause, b.Until, b.Level, b.Recent = BreakerOpen, WhyThrottled, until, 0, nil
}

// settle ends a gradual closing once its level no longer restricts the ceiling.
func (b *Breaker) settle(ceiling int) {
	if b.State == BreakerClosed && b.Level > 0 && b.Level >= ceiling {
		b.Level, b.Trips = 0, 0
	}
}

// doubled is a wait, doubled so many times, within a bound.
func doubled(wait time.Duration, times int, bound time.Duration) time.Duration {
	for ; times > 0 && wait < bound; times-- {
		wait *= 2
	}
	return min(wait, bound)
}
