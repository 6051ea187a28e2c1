package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
)

// Sweeper looks at the fleet from outside.
type Sweeper struct {
	Watch Watch
	Store EndStore
	Clock Clock
	// LookFor is how long one check may look; zero means 90 s. What it has not looked at by then is counted.
	LookFor time.Duration
}

const (
	// quietAfter is how long nothing may happen in a running submission whose source is open.
	quietAfter = 30 * time.Minute
	// maxFindings bounds what one check reports; the rest is counted.
	maxFindings = 50
	// lookFor bounds one check, and lookTimeout the look at one thing.
	lookFor     = 90 * time.Second
	lookTimeout = 30 * time.Second
	// lookReserve is what remains of an attempt's time for its answer.
	lookReserve = 5 * time.Second
	// lookers is how many things are looked at side by side.
	lookers = 8
	// maxLooked bounds how many things one check looks at, and maxListed out of how many they are taken.
	maxLooked = 2000
	maxListed = 20_000
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
	looking, cancel := context.WithTimeoutCause(ctx, s.lookFor(ctx), errOutOfTime)
	defer cancel()
	err := check(looking)
	if ctx.Err() != nil {
		return c.result, ctx.Err()
	}
	return c.result, err
}

// errOutOfTime ends a check, but not its attempt.
var errOutOfTime = errors.New("the time of the check is over")

// lookFor leaves time for the answer: what an attempt has found is lost with it.
func (s *Sweeper) lookFor(ctx context.Context) time.Duration {
	most := s.LookFor
	if most <= 0 {
		most = lookFor
	}
	if ends, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(ends)-lookReserve)
	}
	return max(most, 0)
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

// each looks at things, several at a time. One that cannot be looked at, or that brings down who looks at it, is counted and
// reported, and the others are looked at all the same. What is found stands in the order of the things. When the time of the
// check is over, the rest is counted, and what was found by then counts.
func each[T any](ctx context.Context, c *sweepCheck, things []T, name func(T) string, look func(*sweepCheck, context.Context, T) error) error {
	found := make([]*sweepCheck, len(things))
	var next, done atomic.Int64
	var all sync.WaitGroup
	for range min(lookers, len(things)) {
		all.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(things) {
					return
				}
				mine := &sweepCheck{Sweeper: c.Sweeper, quiet: c.quiet, now: c.now, result: collection.CheckResult{Check: c.result.Check, Looked: 1}}
				if err := guarded(ctx, mine, things[i], look); err != nil {
					mine.unchecked(name(things[i]), err)
				}
				found[i] = mine
				activity.RecordHeartbeat(ctx, done.Add(1))
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil && !outOfTime(ctx) {
		return ctx.Err()
	}
	left := 0
	for _, f := range found {
		if f == nil {
			left++
			continue
		}
		c.merge(f.result)
	}
	c.leave(left)
	return nil
}

func outOfTime(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errOutOfTime) }

// merge takes in what one look has found.
func (c *sweepCheck) merge(r collection.CheckResult) {
	c.result.Looked += r.Looked
	c.result.Unchecked += r.Unchecked
	c.result.Mended += r.Mended
	c.result.Omitted += r.Omitted
	c.result.AtLeast = c.result.AtLeast || r.AtLeast
	for _, f := range r.Findings {
		c.report(f)
	}
}

// leave counts what nobody had the time to look at.
func (c *sweepCheck) leave(things int) {
	if things == 0 {
		return
	}
	c.result.Unchecked += things
	c.result.AtLeast = true
	f := c.checkFailed(string(c.result.Check), fmt.Sprintf("the time of check %s was over before %d more could be looked at", c.result.Check, things))
	f.Do = "Look whether Temporal and the store answer slowly; the oldest are looked at first, and the next sweep begins anew."
	c.report(f)
}

func guarded[T any](ctx context.Context, c *sweepCheck, thing T, look func(*sweepCheck, context.Context, T) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a defect: %v", p)
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	return look(c, ctx, thing)
}

func (c *sweepCheck) unchecked(subject string, err error) {
	c.result.Unchecked++
	c.report(c.checkFailed(subject, fmt.Sprintf("check %s could not look at it: %v", c.result.Check, err)))
}

func (c *sweepCheck) checkFailed(subject, detail string) collection.Finding {
	return collection.Finding{
		Kind: collection.FindingCheckFailed, Severity: collection.SEV3, Subject: subject, Detail: detail,
		Do: "Look at it by hand, and report a defect if the next sweeps say the same.",
	}
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

// oldest lists runs for a check, the oldest first, and as many as one check looks at: the engine lists the latest first, and
// orders by nothing else.
func (c *sweepCheck) oldest(ctx context.Context, query string, args ...any) ([]Execution, error) {
	found, err := c.find(ctx, maxListed, query, args...)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(found, func(a, b Execution) int { return a.Started.Compare(b.Started) })
	if len(found) > maxLooked {
		c.result.AtLeast = true
		found = found[:maxLooked]
	}
	return found, nil
}

func workflowOf(e Execution) string { return e.WorkflowID }

// ago is a time as visibility queries write it.
func (c *sweepCheck) ago(d time.Duration) string { return c.now.Add(-d).UTC().Format(time.RFC3339) }
