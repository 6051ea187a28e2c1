package fetch

import (
	"context"
	"time"
)

// allowance is the time that a target has for an exchange. It can stand still.
type allowance struct {
	timer *time.Timer
	ends  time.Time
}

// allow returns a context that ends with ctx, or when the allowance is used up.
func allow(ctx context.Context, d time.Duration) (context.Context, *allowance, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	a := &allowance{timer: time.AfterFunc(d, cancel), ends: time.Now().Add(d)}
	return ctx, a, func() {
		a.timer.Stop()
		cancel()
	}
}

// pause stops the time until goOn is called. Time that is used up already stays so.
func (a *allowance) pause() (goOn func()) {
	if !a.timer.Stop() {
		return func() {}
	}
	left := time.Until(a.ends)
	return func() {
		a.ends = time.Now().Add(left)
		a.timer.Reset(left)
	}
}
