package lease

import (
	"fmt"
	"time"
)

// AutomaticMethod is a fetch method that the breaker has switched to.
type AutomaticMethod struct {
	// Index is the method's place in the configured order.
	Index int       `json:"index"`
	Until time.Time `json:"until"`
}

// fallbackTime is how long a method chosen by the breaker stays before the first one is tried again.
const fallbackTime = time.Hour

// fallBack goes on to the next method after the breaker has opened often enough in a row, and has it probed at once. An
// operator's choice of method is left alone.
func (s *Source) fallBack(now time.Time) {
	after := s.Config.FallbackAfter
	if after == 0 || s.Method != nil || s.Breaker.Trips < after {
		return
	}
	next := 1
	if s.Fallback != nil {
		next = s.Fallback.Index + 1
	}
	if next >= len(s.Config.Methods) {
		return
	}
	s.Fallback = &AutomaticMethod{Index: next, Until: now.Add(fallbackTime)}
	s.note("use-method", s.method(), Note{At: now, Reason: fmt.Sprintf("the breaker opened %d times in a row", s.Breaker.Trips)})
	s.Breaker.probe()
	s.Breaker.Trips = 0
}

// endFallback returns to the first method when its time has come, at first with one permit.
func (s *Source) endFallback(now time.Time) {
	if s.Fallback == nil || now.Before(s.Fallback.Until) {
		return
	}
	s.Fallback = nil
	s.note("use-method", s.method(), Note{At: now, Reason: "the first method is tried again"})
	if s.Breaker.State == BreakerClosed {
		s.Breaker.probe()
	}
}
