package lease

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Note says who gave a command, when and why.
type Note struct {
	By     string    `json:"by,omitempty"`
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
}

// CeilingOverride is a ceiling set by an operator, until a time or for good.
type CeilingOverride struct {
	Ceiling int       `json:"ceiling"`
	Until   time.Time `json:"until,omitzero"`
	Note
}

// PaceOverride is a pace set by an operator, until a time or for good.
type PaceOverride struct {
	Rate  Rate      `json:"rate"`
	Until time.Time `json:"until,omitzero"`
	Note
}

// MethodOverride is a fetch method chosen by an operator.
type MethodOverride struct {
	Method string `json:"method"`
	Note
}

// OperatorCommand is one line of a source's log.
type OperatorCommand struct {
	Command string `json:"command"`
	Detail  string `json:"detail,omitempty"`
	Note
}

// logLength is how many commands a source's log keeps; the workflow's history has them all.
const logLength = 20

func (s *Source) note(command, detail string, n Note) {
	s.Log = append(s.Log, OperatorCommand{Command: command, Detail: detail, Note: n})
	if extra := len(s.Log) - logLength; extra > 0 {
		s.Log = slices.Delete(s.Log, 0, extra)
	}
}

// command finds the source, dates the note and runs do; what do reports as a detail goes into the log.
func (t *Table) command(now time.Time, source, name string, n Note, do func(s *Source, n Note) (string, error)) error {
	now = t.advance(now)
	s, err := t.find(source)
	if err != nil {
		return err
	}
	n.At = now
	detail, err := do(s, n)
	if err != nil {
		return fmt.Errorf("%s %s: %w", name, source, err)
	}
	s.note(name, detail, n)
	return nil
}

// Pause stops all new requests to a source until Resume; workers learn of it with their next renewal.
func (t *Table) Pause(now time.Time, source string, n Note) error {
	return t.command(now, source, "pause", n, func(s *Source, n Note) (string, error) {
		s.Paused = &n
		return "", nil
	})
}

// Resume ends a pause. Without one it does nothing, and says so in the log.
func (t *Table) Resume(now time.Time, source string, n Note) error {
	return t.command(now, source, "resume", n, func(s *Source, _ Note) (string, error) {
		detail := ""
		if s.Paused == nil {
			detail = "was not paused"
		}
		s.Paused = nil
		return detail, nil
	})
}

// SetCeiling overrides a source's ceiling until a time, or for good if that is zero. Zero requests in flight are allowed.
func (t *Table) SetCeiling(now time.Time, source string, ceiling int, until time.Time, n Note) error {
	return t.command(now, source, "set-ceiling", n, func(s *Source, n Note) (string, error) {
		if ceiling < 0 || ceiling > MostCeiling {
			return "", fmt.Errorf("ceiling %d: give between 0 and %d requests in flight", ceiling, MostCeiling)
		}
		if err := future(n.At, until); err != nil {
			return "", err
		}
		s.Ceiling = &CeilingOverride{Ceiling: ceiling, Until: until.UTC(), Note: n}
		return fmt.Sprintf("%d%s", ceiling, untilText(until)), nil
	})
}

// ResetCeiling ends an override of the ceiling.
func (t *Table) ResetCeiling(now time.Time, source string, n Note) error {
	return t.command(now, source, "reset-ceiling", n, func(s *Source, _ Note) (string, error) {
		s.Ceiling = nil
		return fmt.Sprintf("%d", s.Config.Ceiling), nil
	})
}

// SetPace overrides a source's pace until a time, or for good if that is zero; Unlimited lifts it. The least interval
// between requests stays in force.
func (t *Table) SetPace(now time.Time, source string, rate Rate, until time.Time, n Note) error {
	return t.command(now, source, "set-pace", n, func(s *Source, n Note) (string, error) {
		if rate <= 0 || rate > FastestRate && rate != Unlimited {
			return "", fmt.Errorf("pace %d: give more than 0 and at most %s, or pause the source", int64(rate), FastestRate)
		}
		if err := future(n.At, until); err != nil {
			return "", err
		}
		s.Pace = &PaceOverride{Rate: rate, Until: until.UTC(), Note: n}
		return rate.String() + untilText(until), nil
	})
}

// ResetPace ends an override of the pace.
func (t *Table) ResetPace(now time.Time, source string, n Note) error {
	return t.command(now, source, "reset-pace", n, func(s *Source, _ Note) (string, error) {
		s.Pace = nil
		return s.rate().String(), nil
	})
}

// HoldBreaker opens a source's breaker until ReleaseBreaker.
func (t *Table) HoldBreaker(now time.Time, source string, n Note) error {
	return t.command(now, source, "hold-breaker", n, func(s *Source, n Note) (string, error) {
		s.Breaker.Held = &n
		return "", nil
	})
}

// ReleaseBreaker ends a hold, and the wait of a breaker that opened by itself: the source is probed with one permit. What
// workers have been asked to wait by then is over.
func (t *Table) ReleaseBreaker(now time.Time, source string, n Note) error {
	return t.command(now, source, "release-breaker", n, func(s *Source, n Note) (string, error) {
		return s.Breaker.release(n.At), nil
	})
}

// UseMethod makes a source's records be fetched by one of its methods; the empty name gives the choice back to the order
// of the configuration.
func (t *Table) UseMethod(now time.Time, source, method string, n Note) error {
	return t.command(now, source, "use-method", n, func(s *Source, n Note) (string, error) {
		if method == "" {
			s.Method, s.Fallback = nil, nil
			return s.method(), nil
		}
		if len(s.Config.Methods) == 0 {
			return "", fmt.Errorf("method %q: the source has no methods to choose from; list them in its configuration", method)
		}
		if !slices.Contains(s.Config.Methods, method) {
			return "", fmt.Errorf("method %q: choose one of the source's own (%s)", method, strings.Join(s.Config.Methods, ", "))
		}
		s.Method = &MethodOverride{Method: method, Note: n}
		return method, nil
	})
}

// expireOverrides ends overrides whose time is over. A method that the configuration no longer has goes as well.
func (s *Source) expireOverrides(now time.Time) {
	over := func(until time.Time) bool { return !until.IsZero() && !now.Before(until) }
	if s.Ceiling != nil && over(s.Ceiling.Until) {
		s.note("reset-ceiling", fmt.Sprintf("%d, since its time was over", s.Config.Ceiling), Note{At: s.Ceiling.Until})
		s.Ceiling = nil
	}
	if s.Pace != nil && over(s.Pace.Until) {
		at := s.Pace.Until
		s.Pace = nil
		s.note("reset-pace", s.rate().String()+", since its time was over", Note{At: at})
	}
	if s.Method != nil && !s.Removed && !slices.Contains(s.Config.Methods, s.Method.Method) {
		s.note("use-method", fmt.Sprintf("%q is no longer configured", s.Method.Method), Note{At: now})
		s.Method = nil
	}
}

func future(now, until time.Time) error {
	if !until.IsZero() && !until.After(now) {
		return fmt.Errorf("until %s: give a time after now, %s", until.UTC().Format(time.RFC3339), now.Format(time.RFC3339))
	}
	return nil
}

func untilText(until time.Time) string {
	if until.IsZero() {
		return ""
	}
	return " until " + until.UTC().Format(time.RFC3339)
}
