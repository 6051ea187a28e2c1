package workflows

import (
	"cmp"
	"errors"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

// sourceRun is one source's share of a fan-out. Its batches run one after another, but overlap: the next one starts when the
// one before has released its last record, so that a record in a long backoff holds up nothing.
type sourceRun struct {
	parent  batchParent
	plan    collection.SourcePlan
	batches []batchRun
}

// batchRun is what the parent knows of one batch.
type batchRun struct {
	released int
	ended    bool
	outcomes collection.Tally
}

func (s *sourceRun) run(ctx workflow.Context) {
	all := workflow.NewWaitGroup(ctx)
	for i := range s.plan.Batches {
		all.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer all.Done()
			s.runBatch(ctx, i)
		})
		err := workflow.Await(ctx, func() bool {
			return s.batches[i].ended || s.batches[i].released == s.plan.Batches[i].Records
		})
		// Await looks at the context only while it has to wait.
		if cmp.Or(err, ctx.Err()) != nil {
			break
		}
	}
	all.Wait(ctx)
}

// runBatch runs one batch to its end.
func (s *sourceRun) runBatch(ctx workflow.Context, i int) {
	p, b := s.plan.Batches[i], &s.batches[i]
	result, err := s.execute(ctx, p)
	b.ended = true
	switch {
	case err == nil:
		b.released, b.outcomes = p.Records, result.Outcomes
	case ctx.Err() == nil:
		workflow.GetLogger(ctx).Error("a batch ended without a result", "source", s.plan.Source, "batch", p.Number, "error", err)
		s.parent.lost(b)
	}
	s.parent.details(ctx)
}

func (s *sourceRun) execute(ctx workflow.Context, p collection.BatchPlan) (collection.BatchResult, error) {
	o, in := s.parent.batch(s.plan, p)
	var result collection.BatchResult
	err := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, o), Batch, in).Get(ctx, &result)
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		err = adopt(ctx, finder.FindBatch, o.WorkflowID, &result)
	}
	var cancelled *temporal.CanceledError
	if errors.As(err, &cancelled) && cancelled.HasDetails() {
		err = cancelled.Details(&result)
	}
	return result, err
}

// progress takes in a batch's report. Numbers only grow: a report that arrives after the result is stale.
func (s *sourceRun) progress(p collection.BatchProgress) {
	for i := range s.plan.Batches {
		b := &s.batches[i]
		if s.plan.Batches[i].Number == p.Number && !b.ended && p.Released >= b.released {
			b.released, b.outcomes = p.Released, p.Outcomes
		}
	}
}

func (s *sourceRun) share() collection.SourceProgress {
	p := collection.SourceProgress{Source: s.plan.Source, Records: s.plan.Records, Outcomes: collection.Tally{}}
	for i := range s.batches {
		p.Released += s.batches[i].released
		p.Outcomes.Merge(s.batches[i].outcomes)
	}
	return p
}
