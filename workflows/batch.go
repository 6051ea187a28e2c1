package workflows

import (
	"cmp"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/verdict"
)

// Batch releases the records of one batch through a window, collects their outcomes and stores its part of the ledger.
// A cancelled batch still stores its part, and returns its result as details of the cancellation.
func Batch(ctx workflow.Context, in collection.BatchInput) (collection.BatchResult, error) {
	b := &batch{in: in}
	if err := b.setup(ctx); err != nil {
		return collection.BatchResult{}, err
	}
	return b.run(ctx)
}

type batch struct {
	in       collection.BatchInput
	records  []collection.Record
	replays  []*collection.RecordReplay
	results  []collection.RecordResult
	released int
	inWindow int
	outcomes collection.Tally
}

func (b *batch) setup(ctx workflow.Context) error {
	return workflow.SetQueryHandler(ctx, collection.QueryStatus, b.status)
}

func (b *batch) status() (collection.BatchStatus, error) {
	return collection.BatchStatus{
		Submission: b.in.Submission, Source: b.in.Source, Number: b.in.Number, Records: b.in.Records,
		Released: b.released, InWindow: b.inWindow, Outcomes: b.outcomes,
	}, nil
}

// run is the only place where the workflow ends.
func (b *batch) run(ctx workflow.Context) (collection.BatchResult, error) {
	// What records there are, and how they ended, are facts whether or not somebody cancels us meanwhile.
	free, _ := workflow.NewDisconnectedContext(ctx)
	if err := b.load(free); err != nil {
		return collection.BatchResult{}, err
	}
	stopReports := b.report(ctx)
	cancelled := b.release(ctx)
	stopReports()
	if err := workflow.Await(free, func() bool { return b.inWindow == 0 }); err != nil {
		return collection.BatchResult{}, err
	}
	b.cancelRest()
	result, err := b.writeLedger(free)
	if err != nil {
		return collection.BatchResult{}, err
	}
	b.details(ctx)
	if cancelled != nil {
		return collection.BatchResult{}, temporal.NewCanceledError(result)
	}
	return result, nil
}

func (b *batch) load(ctx workflow.Context) error {
	if b.in.Replay > 0 {
		return b.loadReplay(ctx)
	}
	var out collection.LoadBatchResult
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, shortPlanOptions()), batches.LoadBatch,
		collection.LoadBatchInput{Submission: b.in.Submission, Source: b.in.Source, Number: b.in.Number},
	).Get(ctx, &out)
	if err != nil {
		return withReason(fmt.Sprintf("load batch %d of source %s", b.in.Number, b.in.Source), err)
	}
	b.records = out.Records
	b.replays = make([]*collection.RecordReplay, len(out.Records))
	b.results = make([]collection.RecordResult, len(out.Records))
	return nil
}

// release starts the records, never more than the window at once. Its error means that the batch was cancelled.
func (b *batch) release(ctx workflow.Context) error {
	for i := range b.records {
		err := workflow.Await(ctx, func() bool { return b.inWindow < max(b.in.Policy.Window, 1) })
		// Await looks at the context only while it has to wait.
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		b.inWindow++
		b.released++
		workflow.Go(ctx, func(ctx workflow.Context) {
			b.results[i] = b.oneRecord(ctx, b.records[i], b.replays[i])
			b.outcomes.Add(b.results[i].Outcome, b.results[i].Reason, 1)
			b.inWindow--
		})
	}
	return workflow.Await(ctx, func() bool { return b.inWindow == 0 })
}

func (b *batch) oneRecord(ctx workflow.Context, r collection.Record, again *collection.RecordReplay) collection.RecordResult {
	o := childOptions(collection.RecordWorkflowID(b.in.Submission, r.ID))
	o.TypedSearchAttributes = attributes(b.in.Customer, b.in.Source)
	o.StaticSummary = r.Shown()
	if again != nil && again.Redeliver {
		// Its last run may have ended well: what that has delivered is lost.
		o.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	}
	var result collection.RecordResult
	err := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, o), Record, collection.RecordInput{
		Submission: b.in.Submission, Customer: b.in.Customer, Source: b.in.Source, Batch: b.in.Number,
		AcceptedAt: b.in.AcceptedAt, Record: r, Policy: b.in.Policy, Replay: again,
	}).Get(ctx, &result)
	if temporal.IsWorkflowExecutionAlreadyStartedError(err) {
		err = adopt(ctx, finder.FindRecord, o.WorkflowID, &result)
	}
	if err != nil {
		result = verdict.OfRecord(r.ID, err)
	}
	// Who finds the result of a workflow that left none knows the workflow, not the record.
	result.Record = r.ID
	return result
}

// cancelRest gives an outcome to the records that were never released.
func (b *batch) cancelRest() {
	for i := range b.results {
		if b.results[i].Outcome != "" {
			continue
		}
		b.results[i] = collection.RecordResult{
			Record: b.records[i].ID, Outcome: collection.OutcomeCancelled, Reason: collection.ReasonCancelled,
			Detail: "cancelled before it was released",
		}
		b.outcomes.Add(collection.OutcomeCancelled, collection.ReasonCancelled, 1)
	}
}
