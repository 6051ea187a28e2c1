package workflows

import (
	"cmp"
	"errors"
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

// Reports cost events in two histories: ten in the batch's, four in the submission's, where each brings a workflow task
// of its own. A record costs its batch nine at most, so that these bounds keep a batch of 500 records below 5,000 events.
const (
	// batchReports is how many reports a batch makes at most, besides the one of its last release.
	batchReports = 40
	// submissionReports is about how many of these a submission takes in over its life, however many records it has.
	submissionReports = 200
)

// progressStep is how many moves a batch makes between two reports. Each record moves twice: released, ended.
func progressStep(submission, batch int) int {
	return max(1, (2*batch+batchReports-1)/batchReports, (2*submission+submissionReports-1)/submissionReports)
}

// sourceRun is one source's share of a running submission. Its batches run one after another, but overlap: the next one
// starts when the one before has released its last record, so that a record in a long backoff holds up nothing.
type sourceRun struct {
	parent  *submission
	plan    collection.SourcePlan
	batches []batchRun
}

// batchRun is what the submission knows of one batch.
type batchRun struct {
	released int
	ended    bool
	outcomes collection.Tally
}

func newSourceRun(parent *submission, plan collection.SourcePlan) *sourceRun {
	return &sourceRun{parent: parent, plan: plan, batches: make([]batchRun, len(plan.Batches))}
}

func (r *sourceRun) run(ctx workflow.Context) {
	all := workflow.NewWaitGroup(ctx)
	for i := range r.plan.Batches {
		all.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer all.Done()
			r.runBatch(ctx, i)
		})
		err := workflow.Await(ctx, func() bool {
			return r.batches[i].ended || r.batches[i].released == r.plan.Batches[i].Records
		})
		// Await looks at the context only while it has to wait.
		if cmp.Or(err, ctx.Err()) != nil {
			break
		}
	}
	all.Wait(ctx)
}

// runBatch runs one batch to its end. A batch that fails is no failure of the submission: Settle finds records without a
// ledger row and accounts for each of them.
func (r *sourceRun) runBatch(ctx workflow.Context, i int) {
	result, err := r.execute(ctx, r.plan.Batches[i])
	b := &r.batches[i]
	b.ended = true
	switch {
	case err == nil:
		b.released, b.outcomes = r.plan.Batches[i].Records, result.Outcomes
	case ctx.Err() == nil:
		workflow.GetLogger(ctx).Error("a batch ended without a result", "source", r.plan.Source,
			"batch", r.plan.Batches[i].Number, "error", err)
	}
	r.parent.details(ctx)
}

func (r *sourceRun) execute(ctx workflow.Context, p collection.BatchPlan) (collection.BatchResult, error) {
	s := r.parent
	o := childOptions(collection.BatchWorkflowID(s.id, r.plan.Source, p.Number))
	o.TypedSearchAttributes = attributes(s.in.Customer, r.plan.Source)
	o.Priority = s.priority()
	o.StaticSummary = fmt.Sprintf("%s: batch %d of %d, %s", r.plan.Source, p.Number, len(r.plan.Batches), plural(p.Records, "record"))
	var result collection.BatchResult
	err := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, o), Batch, collection.BatchInput{
		Submission: s.id, Customer: s.in.Customer, Source: r.plan.Source, Number: p.Number, Records: p.Records,
		AcceptedAt: s.plan.AcceptedAt, Policy: r.plan.Policy,
		ProgressStep: progressStep(s.plan.Accepted, p.Records),
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

// progress takes in a batch's report. Numbers only grow: a report that arrives after the result is stale.
func (r *sourceRun) progress(p collection.BatchProgress) {
	for i := range r.plan.Batches {
		b := &r.batches[i]
		if r.plan.Batches[i].Number == p.Number && !b.ended && p.Released >= b.released {
			b.released, b.outcomes = p.Released, p.Outcomes
		}
	}
}

func (r *sourceRun) share() collection.SourceProgress {
	p := collection.SourceProgress{Source: r.plan.Source, Records: r.plan.Records, Outcomes: collection.Tally{}}
	for i := range r.batches {
		p.Released += r.batches[i].released
		p.Outcomes.Merge(r.batches[i].outcomes)
	}
	return p
}
