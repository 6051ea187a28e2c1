package lease

import (
	"slices"
	"time"
)

// SourceView is a source as a person looks at it.
type SourceView struct {
	Source string `json:"source"`
	// Ceiling is the configured or overridden ceiling; InForce is what the breaker, a pause or the hours leave of it.
	Ceiling int `json:"ceiling"`
	InForce int `json:"in_force"`
	// Granted is what workers were told; Exposed is what they may still use, and counts against the ceiling.
	Granted  int `json:"granted"`
	Exposed  int `json:"exposed"`
	InFlight int `json:"in_flight"`
	Waiting  int `json:"waiting"`
	// OldestWaiting is how long the record has waited that waits longest on any worker.
	OldestWaiting Millis `json:"oldest_waiting_ms,omitempty"`
	// Pace is the rate in force, Unlimited if there is none.
	Pace Rate `json:"pace"`
	// Method is the fetch method in force, and Methods are all of them, the preferred one first; a source without any has one
	// way to be asked. MethodUntil is when the preferred one is tried again, after the breaker has chosen another.
	Method      string    `json:"method,omitempty"`
	Methods     []string  `json:"methods,omitempty"`
	MethodUntil time.Time `json:"method_until,omitzero"`

	Open     bool      `json:"open"`
	Why      Why       `json:"why,omitempty"`
	OpensAt  time.Time `json:"opens_at,omitzero"`
	ClosesAt time.Time `json:"closes_at,omitzero"`

	Breaker      BreakerState `json:"breaker"`
	BreakerLevel int          `json:"breaker_level,omitempty"`
	BreakerTrips int          `json:"breaker_trips,omitempty"`
	BreakerHeld  *Note        `json:"breaker_held,omitempty"`
	// Requests and Faults are those within the breaker's window.
	Requests int `json:"requests,omitempty"`
	Faults   int `json:"faults,omitempty"`

	Paused          *Note             `json:"paused,omitempty"`
	CeilingOverride *CeilingOverride  `json:"ceiling_override,omitempty"`
	PaceOverride    *PaceOverride     `json:"pace_override,omitempty"`
	MethodOverride  *MethodOverride   `json:"method_override,omitempty"`
	Log             []OperatorCommand `json:"log,omitempty"`
	Workers         []WorkerView      `json:"workers,omitempty"`
}

// WorkerView is what one worker holds of a source.
type WorkerView struct {
	Worker   string `json:"worker"`
	Granted  int    `json:"granted"`
	Exposed  int    `json:"exposed"`
	InFlight int    `json:"in_flight"`
	Waiting  int    `json:"waiting"`
	// OldestWaiting is how long the record has waited that waits longest.
	OldestWaiting Millis    `json:"oldest_waiting_ms,omitempty"`
	Pace          Rate      `json:"pace"`
	Full          bool      `json:"full,omitempty"`
	LeaseEnds     time.Time `json:"lease_ends"`
	// Lost says that the lease has ended, and only what may linger at the source is still counted.
	Lost bool `json:"lost,omitempty"`
	// OtherConfig says that the worker has another configuration than the one in force, as far as the owner knows.
	OtherConfig bool `json:"other_config,omitempty"`
}

// View shows every source as it is at a time, in the order of names. It changes nothing, so that a query may call it.
func (t *Table) View(now time.Time) []SourceView {
	c := t.clone()
	now = c.advance(now)
	views := make([]SourceView, 0, len(c.Sources))
	for i := range c.Sources {
		views = append(views, c.Sources[i].view(now))
	}
	return views
}

// ViewOf is the view of one source, if it is among them.
func ViewOf(views []SourceView, source string) (SourceView, bool) {
	i := slices.IndexFunc(views, func(v SourceView) bool { return v.Source == source })
	if i < 0 {
		return SourceView{}, false
	}
	return views[i], true
}

func (s *Source) view(now time.Time) SourceView {
	l := s.limit(now)
	recent := total(s.Breaker.Recent)
	v := SourceView{
		Source: s.Config.Source, Ceiling: s.ceiling(), InForce: l.ceiling, Exposed: s.exposed(-1), Pace: s.rate(),
		Method: s.method(), Methods: s.Config.Methods,
		Open: l.ceiling > 0, Why: l.why, OpensAt: l.opensAt, ClosesAt: l.closesAt,
		Breaker: s.Breaker.State, BreakerLevel: s.Breaker.Level, BreakerTrips: s.Breaker.Trips, BreakerHeld: s.Breaker.Held,
		Requests: recent.Requests, Faults: recent.Faults,
		Paused: s.Paused, CeilingOverride: s.Ceiling, PaceOverride: s.Pace, MethodOverride: s.Method, Log: s.Log,
	}
	if s.Method == nil && s.Fallback != nil {
		v.MethodUntil = s.Fallback.Until
	}
	for _, h := range s.Holdings {
		oldest := h.oldestWaiting(now)
		v.OldestWaiting = max(v.OldestWaiting, oldest)
		v.Granted += h.Granted
		v.InFlight += h.InFlight
		v.Waiting += h.Waiting
		v.Workers = append(v.Workers, WorkerView{
			Worker: h.Worker, Granted: h.Granted, Exposed: h.Exposed, InFlight: h.InFlight, Waiting: h.Waiting,
			OldestWaiting: oldest, Pace: h.Rate, Full: h.Full, LeaseEnds: h.LeaseEnds, Lost: !h.live(now),
		})
	}
	return v
}

// oldestWaiting is how long the worker's longest wait has lasted by now.
func (h Holding) oldestWaiting(now time.Time) Millis {
	if h.OldestSince.IsZero() {
		return 0
	}
	return max(1, Milliseconds(now.Sub(h.OldestSince)))
}

// clone is a table that can be changed without changing this one. What is never changed in place is shared.
func (t *Table) clone() *Table {
	c := *t
	c.Workers, c.Sources, c.Egresses, c.Epochs = slices.Clone(t.Workers), slices.Clone(t.Sources), slices.Clone(t.Egresses), slices.Clone(t.Epochs)
	for i := range c.Sources {
		s := &c.Sources[i]
		s.Log, s.Holdings, s.Breaker.Recent = slices.Clone(s.Log), slices.Clone(s.Holdings), slices.Clone(s.Breaker.Recent)
	}
	for i := range c.Egresses {
		e := &c.Egresses[i]
		e.Recent, e.Tried = slices.Clone(e.Recent), slices.Clone(e.Tried)
	}
	return &c
}
