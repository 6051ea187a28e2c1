package extract

import (
	"context"
	"fmt"
	"time"
)

// maxSteps is how many steps of the jq interpreter one expression may take: some seconds of work at most.
const maxSteps = 10_000_000

// errSteps ends an expression that does not come to an end by itself.
var errSteps = fmt.Errorf("takes more than %d steps; simplify it", maxSteps)

// stepBound is a context that ends after so many looks at it, or when the document may cost no more work. The interpreter
// looks once per step, which makes a bound that depends on the document and not on the machine's speed.
type stepBound struct {
	left int
	rd   *reader
}

var ended = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// Done is closed when the steps are used up.
func (s *stepBound) Done() <-chan struct{} {
	s.left--
	if s.left < 0 || s.rd.strive(stepEffort) != nil {
		return ended
	}
	return nil
}

// Err says that the steps are used up.
func (s *stepBound) Err() error {
	if s.rd.halt != nil {
		return s.rd.halt
	}
	if s.left < 0 {
		return errSteps
	}
	return nil
}

// Deadline is never set.
func (s *stepBound) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value is never set.
func (s *stepBound) Value(any) any { return nil }

var _ context.Context = (*stepBound)(nil)
