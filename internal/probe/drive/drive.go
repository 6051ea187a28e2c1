package drive

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/probe"
)

// Permits hands out the right to have one request in flight against a source; workers.Permits does.
type Permits interface {
	Acquire(ctx context.Context, source string) (*activities.Permit, error)
	// Report tells what a request met, so that the fleet learns of it.
	Report(source string, reason collection.Reason, retryAfter time.Duration)
}

// Answer is what came of one request.
type Answer struct {
	Reason collection.Reason
	// RetryAfter is how long the source asked to be left alone; zero if it did not.
	RetryAfter time.Duration
}

// Clock tells the time, and waits.
type Clock interface {
	Now() time.Time
	After(d time.Duration) <-chan time.Time
}

// Options are what a probe needs.
type Options struct {
	Source  string
	Targets []collection.Record
	// Steps are the numbers of requests in flight to try, rising.
	Steps []int
	// StepTime is how long a step is measured; one that brings too few answers takes up to three times as long.
	StepTime time.Duration
	// Settle bounds the wait for the permits of a step.
	Settle time.Duration
	// Pace is the source's pace in requests per second, zero for none.
	Pace float64

	Permits Permits
	// Grant is what the lease gives now.
	Grant func() lease.Grant
	// Fetch makes one request under a permit, by the permit's method. It need not watch the permit's end.
	Fetch func(ctx context.Context, permit *activities.Permit, rec collection.Record) Answer
	// Allow is asked about every target before the first request; a *collection.Refused leaves the target out, any other
	// error ends the probe. It may wait for a permit.
	Allow func(ctx context.Context, rec collection.Record) error
	Clock Clock
	// Began is told of every step that begins, Ended of every one that was measured. Both are optional.
	Began func(concurrency int)
	Ended func(probe.Step)
}

// Result is how a probe went.
type Result struct {
	Steps []probe.Step
	// Cause is why it ended.
	Cause probe.Cause
	// Refused is how many targets Allow left out, and Refusal the first of its errors.
	Refused int
	Refusal *collection.Refused
}

// ErrNoTargets says that there is nothing to ask for.
var ErrNoTargets = errors.New("there is no target to probe with")

// Run probes. It returns what it has measured also with an error, which is ErrNoTargets, that of ctx or one of Allow.
func Run(ctx context.Context, o Options) (Result, error) {
	var r Result
	targets, err := o.allowed(ctx, &r)
	if err != nil {
		return r, err
	}
	for _, concurrency := range o.Steps {
		if o.Began != nil {
			o.Began(concurrency)
		}
		s := newStep(o, targets, concurrency)
		cause := s.run(ctx)
		if err := ctx.Err(); err != nil {
			return r, err
		}
		measured, complete := s.sum()
		if complete {
			r.Steps = append(r.Steps, measured)
			if o.Ended != nil {
				o.Ended(measured)
			}
			// What the figures say goes before what broke the step off: the breaker opens because the source fails.
			if judged := probe.Judge(r.Steps, o.Pace); judged != "" {
				cause = judged
			}
		}
		if cause != "" {
			r.Cause = cause
			return r, nil
		}
	}
	r.Cause = probe.CauseTop
	return r, nil
}

// patience is how long a target's Allow may take beyond the wait for a permit: it may make a request.
const patience = time.Minute

// allowed are the targets that may be asked for.
func (o Options) allowed(ctx context.Context, r *Result) (*targets, error) {
	var kept []collection.Record
	for _, rec := range o.Targets {
		err := o.allow(ctx, rec)
		var refused *collection.Refused
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.As(err, &refused):
			r.Refused++
			if r.Refusal == nil {
				r.Refusal = refused
			}
		case err != nil:
			return nil, err
		default:
			kept = append(kept, rec)
		}
	}
	switch {
	case len(kept) > 0:
		return &targets{records: kept}, nil
	case r.Refusal != nil:
		return nil, fmt.Errorf("%w: %w", ErrNoTargets, r.Refusal)
	}
	return nil, ErrNoTargets
}

func (o Options) allow(ctx context.Context, rec collection.Record) error {
	ctx, cancel := context.WithTimeout(ctx, o.Settle+patience)
	defer cancel()
	return o.Allow(ctx, rec)
}
