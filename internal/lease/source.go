package lease

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Source is the state of one source: what is configured, what operators have overridden, what has been learnt, and who
// holds what.
type Source struct {
	Config SourceConfig `json:"config"`
	// Removed says that the configuration no longer has the source.
	Removed bool `json:"removed,omitempty"`

	Paused   *Note             `json:"paused,omitempty"`
	Ceiling  *CeilingOverride  `json:"ceiling,omitempty"`
	Pace     *PaceOverride     `json:"pace,omitempty"`
	Method   *MethodOverride   `json:"method,omitempty"`
	Breaker  Breaker           `json:"breaker"`
	Fallback *AutomaticMethod  `json:"fallback,omitempty"`
	Log      []OperatorCommand `json:"log,omitempty"`

	// CrawlDelay is the least interval that workers have read in robots.txt.
	CrawlDelay Millis `json:"crawl_delay_ms,omitempty"`
	// PaceFreedAt is when a worker last stopped acting on a share of the pace: until then it may have started requests.
	PaceFreedAt time.Time `json:"pace_freed_at,omitzero"`
	// Holdings are what workers hold, in the order of their names.
	Holdings []Holding `json:"holdings"`
}

// Holding is what one worker holds of one source.
//
// Exposed is the promise: the worker can have no more requests in flight than that. Granted is what it will come down to:
// what it has been told last, or what it will at most be told next. Granted is never above Exposed; all Granted together
// are never above the ceiling, and all Exposed rise only while they stay within it.
type Holding struct {
	Worker    string    `json:"worker"`
	LeaseEnds time.Time `json:"lease_ends"`
	Granted   int       `json:"granted"`
	Exposed   int       `json:"exposed"`
	// Rate and RateExposed are the same two figures for the share of the pace.
	Rate        Rate `json:"rate,omitempty"`
	RateExposed Rate `json:"rate_exposed,omitempty"`

	// Linger is how long what was in flight may go on once the lease has ended: the longest that was in force, or that the
	// worker itself told of, at any of its renewals. A configuration of later does not shorten what is under way. A state from
	// before this was kept has none.
	Linger Millis `json:"linger_ms,omitempty"`

	InFlight int  `json:"in_flight,omitempty"`
	Full     bool `json:"full,omitempty"`
	// Need and Waiting are the worker's demand since DemandAt, the other two in the interval before.
	Need          int       `json:"need,omitempty"`
	Waiting       int       `json:"waiting,omitempty"`
	NeedBefore    int       `json:"need_before,omitempty"`
	WaitingBefore int       `json:"waiting_before,omitempty"`
	DemandAt      time.Time `json:"demand_at,omitzero"`
	// OldestSince is since when the collect waits that waits longest.
	OldestSince time.Time `json:"oldest_since,omitzero"`
	// Turn is when the worker came to hold permits, HungrySince since when it has work but no permit, IdleSince since when
	// it has permits but no work, ScoutAfter when it may next be given one on trial while others are short.
	Turn        time.Time `json:"turn,omitzero"`
	HungrySince time.Time `json:"hungry_since,omitzero"`
	IdleSince   time.Time `json:"idle_since,omitzero"`
	ScoutAfter  time.Time `json:"scout_after,omitzero"`

	CrawlDelay *Millis `json:"crawl_delay_ms,omitempty"`
}

// live says whether the worker's lease still runs.
func (h Holding) live(now time.Time) bool { return now.Before(h.LeaseEnds) }

func (s *Source) configure(c SourceConfig) {
	s.keepFallback(c.Methods)
	s.Config, s.Removed = c, false
	if s.Holdings == nil {
		s.Holdings = []Holding{}
	}
	if s.Breaker.State == "" {
		s.Breaker.State = BreakerClosed
	}
}

// holding is the row of that worker, made if it is new.
func (s *Source) holding(worker string) int {
	i, ok := s.search(worker)
	if !ok {
		s.Holdings = slices.Insert(s.Holdings, i, Holding{Worker: worker})
	}
	return i
}

func (s *Source) search(worker string) (int, bool) {
	return slices.BinarySearchFunc(s.Holdings, worker, func(h Holding, w string) int { return strings.Compare(h.Worker, w) })
}

// drop gives back everything that a worker holds.
func (s *Source) drop(now time.Time, worker string) {
	if i, ok := s.search(worker); ok {
		s.stopPace(i, now)
		s.Holdings = slices.Delete(s.Holdings, i, i+1)
	}
}

// stopPace notes that a worker has stopped acting on its share of the pace, at that time or before.
func (s *Source) stopPace(i int, at time.Time) {
	if h := &s.Holdings[i]; h.RateExposed > 0 {
		s.PaceFreedAt = later(s.PaceFreedAt, at)
		h.RateExposed = 0
	}
}

// expire ends leases, overrides and stops that have run out.
func (s *Source) expire(now time.Time, settings Settings) {
	for i := range s.Holdings {
		h := &s.Holdings[i]
		if h.live(now) {
			continue
		}
		s.stopPace(i, h.LeaseEnds)
		// What was in flight counts as long as it may go on at the source.
		h.Granted, h.Rate = 0, 0
		h.Need, h.Waiting, h.NeedBefore, h.WaitingBefore, h.OldestSince = 0, 0, 0, 0, time.Time{}
	}
	s.Holdings = slices.DeleteFunc(s.Holdings, func(h Holding) bool { return !now.Before(h.LeaseEnds.Add(s.linger(h))) })
	s.expireOverrides(now)
	s.Breaker.pass(now)
	s.endFallback(now)
}

// linger is how long what a worker had in flight counts after its lease.
func (s *Source) linger(h Holding) time.Duration { return cmp.Or(h.Linger, s.Config.Linger).Std() }

// longestLinger is how long any request that is known of may go on after its worker's lease.
func (s *Source) longestLinger() time.Duration {
	longest := s.Config.Linger.Std()
	for _, h := range s.Holdings {
		longest = max(longest, h.Linger.Std())
	}
	return longest
}

// forgettable says whether the row of a removed source can go: nobody holds anything, neither an operator nor the source
// itself has said anything that must hold when it comes back, and it is not known to fail.
func (s Source) forgettable() bool {
	return s.Removed && len(s.Holdings) == 0 && s.Breaker.State != BreakerOpen &&
		s.Paused == nil && s.Ceiling == nil && s.Pace == nil && s.Method == nil && s.Breaker.Held == nil
}

// exposed is what all workers but one can have in flight.
func (s *Source) exposed(but int) int {
	sum := 0
	for i, h := range s.Holdings {
		if i != but {
			sum += h.Exposed
		}
	}
	return sum
}

// learnCrawlDelay takes the largest interval that live workers have read; when none of them has read robots.txt, the last
// known one stays.
func (s *Source) learnCrawlDelay(now time.Time) {
	known, largest := false, Millis(0)
	for _, h := range s.Holdings {
		if h.live(now) && h.CrawlDelay != nil {
			known, largest = true, max(largest, *h.CrawlDelay)
		}
	}
	if known {
		s.CrawlDelay = largest
	}
}
