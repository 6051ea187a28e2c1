package lease

import (
	"fmt"
	"slices"
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

// keepFallback finds the method that the breaker has chosen in a new order. Where it is the first now, or gone, the choice is
// over. The configuration is still the one before.
func (s *Source) keepFallback(methods []string) {
	if s.Fallback == nil {
		return
	}
	i := slices.Index(methods, s.Config.Methods[s.Fallback.Index])
	if i <= 0 {
		s.Fallback = nil
		return
	}
	s.Fallback.Index = i
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
