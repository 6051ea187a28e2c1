package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/faults"
)

// Collector fetches records from their sources, within the sources' permits.
type Collector struct {
	Store     Store
	Directory Directory
	Fetcher   Fetcher
	Permits   Permits
	Robots    Robots
	Egresses  Egresses
	Metrics   Metrics
	Memory    Memory
	Clock     Clock
	// Random gives numbers in [0, 1), for jitter.
	Random func() float64
	// Secrets keeps what sources send along; nil where every use reads it.
	Secrets Secrets
	// Pause waits, until ctx ends; nil means that time passes.
	Pause func(ctx context.Context, d time.Duration) error

	gate storeGate
	ways wayGate
}

// Collect makes one request for a record and keeps the response. What the target says of the record, for instance that
// it does not exist, is a result; what may heal is an error whose delay says when to try again.
func (c *Collector) Collect(ctx context.Context, in collection.CollectInput) (collection.CollectResult, error) {
	a := begin(ctx)
	a.random = c.Random
	src, ok := c.Directory.Source(in.Source)
	if !ok {
		return collection.CollectResult{}, a.end(a.unknownHere(in.Source))
	}
	run := &collectRun{Collector: c, attempt: a, in: in, src: src, started: c.Clock()}
	result, err := safely(ctx, "collector", func() (collection.CollectResult, error) { return run.do(ctx) })
	countDeadLetter(c.Metrics, in.Source, err)
	if err == nil && result.Outcome != "" {
		c.Metrics.RecordEnded(in.Source, result.Outcome, result.Reason)
	}
	run.leaveDelay(err)
	return result, run.story(run.end(err))
}

// collectRun is one attempt of Collect.
type collectRun struct {
	*Collector
	*attempt
	in      collection.CollectInput
	src     collection.Source
	started time.Time
	// line is what the trail will say of this attempt.
	line collection.AttemptLine
	// room is how much of the memory for large bodies the attempt holds, and held the permit of its request: with it comes
	// room for a small one.
	room int64
	held *Permit
	// leaveGate ends a try of whether the store is there again; nil where the attempt is none.
	leaveGate func()
}

// encounter is what an attempt has met of its target, or of a rule.
type encounter struct {
	reason     collection.Reason
	retryAfter time.Duration
	detail     string
	// certain and ofSource are an observation's.
	certain, ofSource bool
}

func (r *collectRun) do(ctx context.Context) (collection.CollectResult, error) {
	defer r.freeRoom()
	r.startLine(ctx)
	if err := r.mayTry(ctx); err != nil {
		return collection.CollectResult{}, err
	}
	faults.Strike("collector", r.in.Record.ID)
	rec, err := wholeRecord(ctx, r.Store, r.in.Record)
	if err != nil {
		return collection.CollectResult{}, r.unstored(ctx, err)
	}
	got, err := r.ask(ctx, rec)
	var refused *collection.Refused
	if errors.As(err, &refused) {
		return r.refuse(ctx, refused)
	}
	if err != nil {
		return collection.CollectResult{}, err
	}
	met := encounter{
		reason: failure.Classify(got.seen), detail: got.seen.Message, certain: got.seen.Certain, ofSource: got.seen.OfSource,
	}
	met.retryAfter, _ = got.seen.RetryAfterHint(r.Clock())
	r.note(met, got.response, got.seen.Status)
	if met.reason != "" {
		r.doubtSecrets(met.reason, got.method)
		return r.judge(ctx, met)
	}
	raw, err := r.keep(ctx, rec, got)
	if err != nil {
		return collection.CollectResult{}, err
	}
	result := r.result()
	result.Raw = &raw
	return result, nil
}

// mayTry ends a record that has taken too many workers along, or has been tried and has waited for too long.
func (r *collectRun) mayTry(ctx context.Context) error {
	decision := failure.Decide(failure.PolicyOf(r.src), r.history(ctx, encounter{}), r.Random())
	if decision.End == "" {
		return nil
	}
	return r.final(decision.Reason, fmt.Sprintf("after %d requests, %d lost workers and %s: %s", r.snapshot().Requests, r.lost,
		r.elapsed(ctx).Round(time.Second), failure.Lookup(decision.Reason).Explain))
}

func (r *collectRun) history(ctx context.Context, met encounter) failure.History {
	p := r.snapshot()
	return failure.History{
		Reason: met.reason, Faults: p.Faults, SameReason: p.InARow, Lost: r.lost, Elapsed: r.elapsed(ctx), RetryAfter: met.retryAfter,
		Certain: met.certain, OfSource: met.ofSource,
	}
}

// elapsed is the time since the first attempt was scheduled, waits included.
func (r *collectRun) elapsed(ctx context.Context) time.Duration {
	return r.Clock().Sub(activity.GetInfo(ctx).ScheduledTime)
}

// refuse ends an attempt to which a rule of ours has allowed no request.
func (r *collectRun) refuse(ctx context.Context, refused *collection.Refused) (collection.CollectResult, error) {
	met := encounter{reason: refused.Reason, detail: refused.Detail, certain: refused.Certain, ofSource: refused.OfSource}
	r.met(met)
	r.line.Reason = refused.Reason
	return r.judge(ctx, met)
}

// judge decides what becomes of a record whose request did not bring a response.
func (r *collectRun) judge(ctx context.Context, met encounter) (collection.CollectResult, error) {
	decision := failure.Decide(failure.PolicyOf(r.src), r.history(ctx, met), r.Random())
	detail := met.detail
	if decision.Reason != met.reason {
		detail = fmt.Sprintf("%s (last met: %s)", detail, met.reason)
	}
	switch {
	case decision.Retry:
		return collection.CollectResult{}, transient(decision.Reason, decision.After, r.failed(detail), nil)
	case decision.End == collection.OutcomeDeadLettered:
		return collection.CollectResult{}, r.final(decision.Reason, detail)
	}
	result := r.result()
	result.Outcome, result.Reason = decision.End, decision.Reason
	result.Detail = collection.Clip(detail, collection.MaxDetail)
	return result, nil
}

func (r *collectRun) result() collection.CollectResult {
	p := r.snapshot()
	return collection.CollectResult{Attempts: p.Requests, FirstRequestAt: p.FirstRequestAt, Trail: r.trail()}
}

func (r *collectRun) failed(detail string) collection.AttemptFailure {
	p := r.snapshot()
	return collection.AttemptFailure{Detail: detail, Attempts: p.Requests, FirstRequestAt: p.FirstRequestAt, Trail: r.trail()}
}

func (r *collectRun) final(reason collection.Reason, detail string) error {
	return final(reason, r.failed(detail), nil)
}
