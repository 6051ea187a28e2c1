package workflows

import (
	"cmp"
	"errors"
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/verdict"
)

// Record takes one record from its source to its destination. It returns the record's result, or fails with the reason
// as error type and the result as details when the record is dead-lettered. The result is also the details of a
// cancellation.
func Record(ctx workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
	r := &record{in: in, result: startOf(in)}
	if err := r.setup(ctx); err != nil {
		return collection.RecordResult{}, err
	}
	return r.run(ctx)
}

type record struct {
	in     collection.RecordInput
	stage  string
	ended  bool
	result collection.RecordResult
}

func (r *record) setup(ctx workflow.Context) error {
	return workflow.SetQueryHandler(ctx, collection.QueryStatus, r.status)
}

func (r *record) status() (collection.RecordStatus, error) {
	s := collection.RecordStatus{
		Submission: r.in.Submission, Record: r.in.Record.ID, Source: r.in.Source, Stage: r.stage, Raw: r.result.Raw,
	}
	if r.ended {
		result := r.result
		s.Result = &result
	}
	return s, nil
}

// run is the only place where the workflow ends.
func (r *record) run(ctx workflow.Context) (collection.RecordResult, error) {
	err := r.stages(ctx)
	r.stage, r.ended = "", true
	switch {
	case err == nil:
		return r.result, nil
	case temporal.IsCanceledError(err):
		r.result.Outcome, r.result.Reason = collection.OutcomeCancelled, collection.ReasonCancelled
		return collection.RecordResult{}, temporal.NewCanceledError(r.result)
	}
	return collection.RecordResult{}, r.deadLetter(ctx, err)
}

// stages runs the record's stages until one of them ends it.
func (r *record) stages(ctx workflow.Context) error {
	collected, err := r.collect(ctx)
	if err != nil || collected.Outcome != "" {
		return err
	}
	document, err := r.parse(ctx)
	if err != nil {
		return err
	}
	return r.deliver(ctx, document)
}

func (r *record) collect(ctx workflow.Context) (collection.CollectResult, error) {
	var out collection.CollectResult
	if r.result.Raw != nil {
		// A replay from the kept bytes.
		return out, nil
	}
	r.enter(ctx, "collect")
	ctx = workflow.WithActivityOptions(ctx, collectOptions(r.in))
	err := workflow.ExecuteActivity(ctx, collector.Collect, collection.CollectInput{
		Submission: r.in.Submission, Customer: r.in.Customer, Source: r.in.Source,
		AcceptedAt: r.in.AcceptedAt, Record: r.in.Record, Again: requestedBefore(r.in.Replay),
	}).Get(ctx, &out)
	if err != nil {
		r.takeCancelled(err)
		return out, err
	}
	r.result.Raw, r.result.Attempts = out.Raw, r.result.Attempts+out.Attempts
	r.result.FirstRequestAt = cmp.Or(r.result.FirstRequestAt, out.FirstRequestAt)
	r.result.Outcome, r.result.Reason, r.result.Detail = out.Outcome, out.Reason, out.Detail
	r.result.Trail = out.Trail
	return out, nil
}

// takeCancelled takes over what a collect that was cancelled while it ran tells of itself. One that was waiting in the engine
// tells nothing: what it had done is then not on record.
func (r *record) takeCancelled(err error) {
	var cancelled *temporal.CanceledError
	var told collection.AttemptFailure
	if !errors.As(err, &cancelled) || !cancelled.HasDetails() || cancelled.Details(&told) != nil {
		return
	}
	r.result.Attempts += told.Attempts
	r.result.FirstRequestAt = cmp.Or(r.result.FirstRequestAt, told.FirstRequestAt)
	r.result.Trail = told.Trail
}

// requestedBefore says whether a request was made by the runs before.
func requestedBefore(replay *collection.RecordReplay) bool {
	return replay != nil && (replay.FirstRequestAt != nil || replay.Attempts > 0)
}

func (r *record) parse(ctx workflow.Context) (collection.Document, error) {
	r.enter(ctx, "parse")
	var out collection.ParseResult
	ctx = workflow.WithActivityOptions(ctx, stageOptions(collection.QueueParse, r.in))
	err := workflow.ExecuteActivity(ctx, parser.Parse, collection.ParseInput{
		Submission: r.in.Submission, Customer: r.in.Customer, Source: r.in.Source,
		Record: r.in.Record, Raw: *r.result.Raw,
	}).Get(ctx, &out)
	r.result.Missing = out.Missing
	return out.Document, err
}

func (r *record) deliver(ctx workflow.Context, document collection.Document) error {
	r.enter(ctx, "deliver")
	var out collection.DeliverResult
	ctx = workflow.WithActivityOptions(ctx, stageOptions(collection.QueueDeliver, r.in))
	err := workflow.ExecuteActivity(ctx, deliverer.Deliver, collection.DeliverInput{
		Submission: r.in.Submission, Customer: r.in.Customer, Source: r.in.Source,
		AcceptedAt: r.in.AcceptedAt, RecordID: r.in.Record.ID, Document: document,
	}).Get(ctx, &out)
	if err != nil {
		return err
	}
	r.result.Outcome, r.result.Delivered = collection.OutcomeDelivered, &out.Delivered
	return nil
}

// enter notes the stage for the status query and for Temporal Web.
func (r *record) enter(ctx workflow.Context, stage string) {
	r.stage = stage
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("In **%s** at source `%s`.", stage, r.in.Source))
}

// deadLetter ends the record as a failed workflow: the failed workflows are the dead-letter queue.
func (r *record) deadLetter(ctx workflow.Context, cause error) error {
	f := verdict.OfActivity(cause)
	r.result.Outcome, r.result.Reason, r.result.Detail = collection.OutcomeDeadLettered, f.Reason, f.Detail
	r.result.Attempts = max(r.result.Attempts, startOf(r.in).Attempts+f.Attempts)
	r.result.FirstRequestAt = cmp.Or(r.result.FirstRequestAt, f.FirstRequestAt)
	if f.Trail != nil {
		r.result.Trail = f.Trail
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, reasonAttribute.ValueSet(string(f.Reason))); err != nil {
		return fmt.Errorf("note the reason %s of record %s: %w", f.Reason, r.in.Record.ID, err)
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("Dead-lettered: **%s**. %s", f.Reason, r.result.Detail))
	return temporal.NewApplicationErrorWithOptions(r.result.Detail, string(f.Reason), temporal.ApplicationErrorOptions{
		NonRetryable: true,
		Details:      []any{r.result},
	})
}
