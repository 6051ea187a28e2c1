package drive

import (
	"context"
	"sync"
	"time"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/probe"
)

const (
	// lookInterval is how often a step is looked at.
	lookInterval = 50 * time.Millisecond
	// longest is how many times its time a step may take until it has brought an answer for every request in flight.
	longest = 3
	// keptWaiting is the wait before another try for a permit that could not be had.
	keptWaiting = 100 * time.Millisecond
)

// targets gives one target after another, round and round, to any number of askers.
type targets struct {
	mu      sync.Mutex
	records []collection.Record
	next    int
}

func (t *targets) take() collection.Record {
	t.mu.Lock()
	defer t.mu.Unlock()
	rec := t.records[t.next%len(t.records)]
	t.next++
	return rec
}

// step is one number of requests in flight.
type step struct {
	Options
	targets     *targets
	concurrency int

	mu sync.Mutex
	// samples are the requests that ended while it was measured, others those before and after.
	samples, others []probe.Sample
	// from is when the measuring began, zero before; until is when it ended. first is when the first request began.
	from, until, first time.Time
	failing            bool
}

func newStep(o Options, t *targets, concurrency int) *step {
	return &step{Options: o, targets: t, concurrency: concurrency}
}

// run asks until the step is over, and answers why the probe is; the empty cause goes on. Requests under way may end: to
// break them off would tell nothing, and the source would have worked for nothing.
func (s *step) run(ctx context.Context) probe.Cause {
	asking, stop := context.WithCancel(ctx)
	var askers sync.WaitGroup
	for range s.concurrency {
		askers.Go(func() { s.ask(ctx, asking, stop) })
	}
	cause := s.settle(asking)
	if cause == "" {
		cause = s.measure(asking)
	}
	stop()
	askers.Wait()
	return cause
}

// settle waits for the step's permits: a worker that asks for more gets them with a renewal.
func (s *step) settle(ctx context.Context) probe.Cause {
	deadline := s.Clock.Now().Add(s.Settle)
	for {
		g := s.Grant()
		if g.Open && g.Permits >= s.concurrency {
			s.begin()
			return ""
		}
		if !s.Clock.Now().Before(deadline) {
			if g.Open {
				return probe.CausePermits
			}
			return probe.CauseClosed
		}
		if !s.pause(ctx) {
			s.begin() // a throttle that came this early counts
			return ""
		}
	}
}

func (s *step) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.from = s.Clock.Now()
}

// measure waits until the step has been measured for long enough, or must end.
func (s *step) measure(ctx context.Context) probe.Cause {
	cause := probe.Cause("")
	for !s.over() && s.pause(ctx) {
		if g := s.Grant(); !g.Open {
			cause = probe.CauseClosed
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until = s.Clock.Now()
	return cause
}

// pause waits a moment; false when the step has ended meanwhile.
func (s *step) pause(ctx context.Context) bool {
	select {
	case <-s.Clock.After(lookInterval):
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

func (s *step) over() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	passed := s.Clock.Now().Sub(s.from)
	return passed >= s.StepTime && (len(s.samples) >= s.concurrency || passed >= longest*s.StepTime)
}

// ask makes one request after another until asking ends.
func (s *step) ask(ctx, asking context.Context, stop func()) {
	for asking.Err() == nil {
		permit, err := s.Permits.Acquire(asking, s.Source)
		if err != nil {
			select {
			case <-s.Clock.After(keptWaiting):
			case <-asking.Done():
			}
			continue
		}
		sample := s.request(ctx, permit)
		permit.Release()
		if s.note(sample) {
			stop()
		}
	}
}

func (s *step) request(ctx context.Context, permit *activities.Permit) probe.Sample {
	ctx, end := permit.Within(ctx)
	defer end()
	began := s.begun()
	answer := s.Fetch(ctx, permit, s.targets.take())
	sample := probe.Sample{Reason: answer.Reason, Took: s.Clock.Now().Sub(began)}
	if ctx.Err() != nil {
		// Whatever came of it: we broke it off.
		sample.Reason = collection.ReasonLeaseLost
		return sample
	}
	s.Permits.Report(s.Source, answer.Reason, answer.RetryAfter)
	return sample
}

// begun notes the beginning of a request.
func (s *step) begun() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Clock.Now()
	if s.first.IsZero() {
		s.first = now
	}
	return now
}

// note keeps a sample, and says whether the source must be left alone.
func (s *step) note(sample probe.Sample) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.from.IsZero() && s.until.IsZero() {
		s.samples = append(s.samples, sample)
	} else {
		s.others = append(s.others, sample)
	}
	s.failing = s.failing || probe.Failing(s.samples) || probe.Failing(s.others)
	return s.failing
}

// sum is what was measured, once every request has ended; false if the step ended before it could be. Of a step that was
// broken off, everything counts: a source that throttles before or after the measuring throttles all the same.
func (s *step) sum() (probe.Step, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.from.IsZero() {
		return probe.Step{}, false
	}
	within, samples := s.until.Sub(s.from), s.samples
	if s.failing {
		within, samples = s.Clock.Now().Sub(s.first), append(s.others, samples...)
	}
	return probe.Measure(s.concurrency, samples, within), s.failing || within >= s.StepTime
}
