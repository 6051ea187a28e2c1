package activities

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
)

// Sweeper looks at the fleet from outside.
type Sweeper struct {
	Watch Watch
	Store EndStore
	Clock Clock
}

const (
	// quietAfter is how long nothing may happen in a running submission whose source is open.
	quietAfter = 30 * time.Minute
	// maxFindings bounds what one check reports; the rest is counted.
	maxFindings = 50
	// lookTimeout bounds the look at one thing.
	lookTimeout = 30 * time.Second
	// maxLooked bounds how many things one check looks at.
	maxLooked = 2000
)

// SweepCheck makes one check. What cannot be looked at is a finding of its own, and hides nothing else.
func (s *Sweeper) SweepCheck(ctx context.Context, in collection.CheckInput) (collection.CheckResult, error) {
	c := &sweepCheck{Sweeper: s, quiet: in.QuietAfter.Std(), now: s.Clock(), result: collection.CheckResult{Check: in.Check}}
	if c.quiet <= 0 {
		c.quiet = quietAfter
	}
	check, ok := map[collection.Check]func(context.Context) error{
		collection.CheckTasks: c.tasks, collection.CheckQueues: c.queues, collection.CheckProgress: c.progress,
		collection.CheckOrphans: c.orphans, collection.CheckLeases: c.leases, collection.CheckSchedules: c.schedules,
		collection.CheckEnds: c.ends, collection.CheckDeadLetters: c.deadLetters,
	}[in.Check]
	if !ok {
		return c.result, finalf(collection.ReasonInternal, "this worker knows no check %q: another version started the sweep", in.Check)
	}
	err := check(ctx)
	return c.result, err
}

// sweepCheck is one check under way.
type sweepCheck struct {
	*Sweeper
	quiet  time.Duration
	now    time.Time
	result collection.CheckResult
}

// report takes down a finding.
func (c *sweepCheck) report(f collection.Finding) {
	f.Detail = collection.Clip(f.Detail, collection.MaxDetail)
	if len(c.result.Findings) == maxFindings {
		c.result.Omitted++
		return
	}
	c.result.Findings = append(c.result.Findings, f)
}

// each looks at one thing after another. One that cannot be looked at, or that brings down who looks at it, is counted and
// reported, and the others are looked at all the same.
func each[T any](ctx context.Context, c *sweepCheck, things []T, name func(T) string, look func(context.Context, T) error) error {
	for _, thing := range things {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.result.Looked++
		activity.RecordHeartbeat(ctx, c.result.Looked)
		if err := guarded(ctx, thing, look); err != nil {
			c.unchecked(name(thing), err)
		}
	}
	return nil
}

func guarded[T any](ctx context.Context, thing T, look func(context.Context, T) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a defect: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	return look(ctx, thing)
}

func (c *sweepCheck) unchecked(subject string, err error) {
	c.result.Unchecked++
	c.report(collection.Finding{
		Kind: collection.FindingCheckFailed, Severity: collection.SEV3, Subject: subject,
		Detail: fmt.Sprintf("check %s could not look at it: %v", c.result.Check, err),
		Do:     "Look at it by hand, and report a defect if the next sweeps say the same.",
	})
}

// find lists runs for a check.
func (c *sweepCheck) find(ctx context.Context, limit int, query string, args ...any) ([]Execution, error) {
	found, more, err := c.Watch.Find(ctx, fmt.Sprintf(query, args...), limit)
	if err != nil {
		return nil, fmt.Errorf("search for %s: %w", fmt.Sprintf(query, args...), err)
	}
	c.result.AtLeast = c.result.AtLeast || more
	return found, nil
}

func workflowOf(e Execution) string { return e.WorkflowID }

// ago is a time as visibility queries write it.
func (c *sweepCheck) ago(d time.Duration) string { return c.now.Add(-d).UTC().Format(time.RFC3339) }
