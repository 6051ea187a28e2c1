package lease

import (
	"math"
	"time"
)

// limit is what is in force at a source at one moment.
type limit struct {
	ceiling int
	rate    Rate
	// holders is how many workers can share the source.
	holders int
	// probing allows the one permit only to a worker that has nothing else in flight, so that what it sees is the probe.
	probing bool
	// asker is the holding whose renewal is handled; the first that asks with work in hand may probe.
	asker    int
	why      Why
	opensAt  time.Time
	closesAt time.Time
}

func (l limit) paced() bool { return l.rate < Unlimited }

// close makes the limit zero; the first reason given stays.
func (l *limit) close(why Why, opensAt time.Time) {
	if l.why == "" {
		l.why, l.opensAt = why, opensAt
	}
	l.ceiling = 0
}

// limit is what is in force at the source now. Every limit applies; the strictest wins.
func (s *Source) limit(now time.Time) limit {
	l := limit{ceiling: s.ceiling(), rate: s.rate(), holders: math.MaxInt, asker: -1}
	if l.paced() {
		l.holders = max(1, s.Config.Burst)
		if s.minInterval() > 0 {
			l.holders = 1
		}
	}
	if s.Removed {
		l.close(WhyRemoved, time.Time{})
	}
	if s.Paused != nil {
		l.close(WhyPaused, time.Time{})
	}
	if l.ceiling == 0 {
		l.close(WhyCeiling, time.Time{})
	}
	s.Breaker.restrict(&l)
	if s.Config.Hours != nil {
		open, change := s.Config.Hours.At(now)
		if open {
			l.closesAt = change
		} else {
			l.close(WhyHours, change)
		}
	}
	return l
}

// ceiling is the configured or overridden ceiling, whatever else restricts the source. A state from before MostCeiling was
// kept to may have more.
func (s *Source) ceiling() int {
	ceiling := s.Config.Ceiling
	if s.Ceiling != nil {
		ceiling = s.Ceiling.Ceiling
	}
	return min(ceiling, MostCeiling)
}

// minInterval is the least time between two starts: the configuration's floor, or what robots.txt asks for if that is more.
func (s *Source) minInterval() time.Duration { return max(s.Config.MinInterval, s.CrawlDelay).Std() }

// rate is the pace in force. An operator can change the pace, but not below the least interval between two starts.
func (s *Source) rate() Rate {
	rate := s.Config.Rate
	if s.Pace != nil {
		rate = s.Pace.Rate
	}
	if rate == 0 {
		rate = Unlimited
	}
	return min(rate, Every(s.minInterval()))
}

// method is the fetch method in force.
func (s *Source) method() string {
	switch {
	case s.Method != nil:
		return s.Method.Method
	case s.Fallback != nil:
		return s.Config.Methods[s.Fallback.Index]
	case len(s.Config.Methods) > 0:
		return s.Config.Methods[0]
	}
	return ""
}
