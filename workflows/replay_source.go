package workflows

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

// rawWindow is how many records of one batch are released at a time, at least, when kept bytes are parsed again: the
// window of a source is made for its ceiling, and the source is not asked.
const rawWindow = 50

// replaySource is one source's share of a replay. As in a submission its batches overlap, so that a record in a long backoff
// holds up nothing; sources run side by side.
type replaySource struct {
	sourceRun
	replay    *replay
	startedAt time.Time
}

func newReplaySource(r *replay, plan collection.SourcePlan, now time.Time) *replaySource {
	if r.in.From == collection.ReplayFromRaw || r.in.From == collection.ReplayFromParse {
		plan.Policy.Window = max(plan.Policy.Window, rawWindow)
	}
	return &replaySource{sourceRun: *newSourceRun(nil, plan), replay: r, startedAt: now}
}

func (s *replaySource) run(ctx workflow.Context) {
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

// runBatch runs one batch to its end. What a batch that fails leaves undone are dead letters as before: the next replay finds
// them.
func (s *replaySource) runBatch(ctx workflow.Context, i int) {
	p := s.plan.Batches[i]
	result, err := s.execute(ctx, p)
	b := &s.batches[i]
	b.ended = true
	switch {
	case err == nil:
		b.released, b.outcomes = p.Records, result.Outcomes
	case ctx.Err() == nil:
		b.outcomes = nil
		workflow.GetLogger(ctx).Error("a batch of the replay ended without a result", "source", s.plan.Source,
			"batch", p.Number, "error", err)
	}
	s.replay.details(ctx)
}

func (s *replaySource) execute(ctx workflow.Context, p collection.BatchPlan) (collection.BatchResult, error) {
	r := s.replay
	o := childOptions(collection.ReplayBatchID(r.in.Submission, r.plan.Number, s.plan.Source, p.Number))
	o.TypedSearchAttributes = attributes(r.plan.Customer, s.plan.Source)
	o.Priority = r.priority()
	o.StaticSummary = fmt.Sprintf("%s: replay of batch %d, %s", s.plan.Source, p.Number, plural(p.Records, "record"))
	var result collection.BatchResult
	err := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, o), Batch, collection.BatchInput{
		Submission: r.in.Submission, Customer: r.plan.Customer, Source: s.plan.Source, Number: p.Number, Records: p.Records,
		// Waits are measured from when somebody asked for the replay, not from the submission's acceptance.
		AcceptedAt: s.startedAt, Policy: s.plan.Policy,
		ProgressStep: progressStep(r.plan.Selected, p.Records), Replay: r.plan.Number,
	}).Get(ctx, &result)
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		err = adopt(ctx, finder.FindBatch, o.WorkflowID, &result)
	}
	var cancelled *temporal.CanceledError
	if errors.As(err, &cancelled) && cancelled.HasDetails() {
		err = cancelled.Details(&result)
	}
	return result, err
}
