package workflows

import (
	"errors"
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/verdict"
)

// Submission plans a customer's submission, runs its batches per source side by side, and settles it. Its workflow id is
// the submission's id. It fails when it cannot be planned, or not be shipped to the customer's destination; records that fail
// do not make it fail: they are in its result.
func Submission(ctx workflow.Context, in collection.SubmissionInput) (collection.SubmissionResult, error) {
	s := &submission{in: in}
	if err := s.setup(ctx); err != nil {
		return collection.SubmissionResult{}, err
	}
	return s.run(ctx)
}

type submission struct {
	id      string
	in      collection.SubmissionInput
	stage   string
	state   collection.State
	plan    collection.PlanResult
	batches fanOut
	result  *collection.SubmissionResult
}

func (s *submission) setup(ctx workflow.Context) error {
	info := workflow.GetInfo(ctx)
	s.id, s.state = info.WorkflowExecution.ID, collection.StateAccepted
	s.plan.AcceptedAt = info.WorkflowStartTime
	return workflow.SetQueryHandler(ctx, collection.QueryStatus, s.answer)
}

// run is the only place where the workflow ends.
func (s *submission) run(ctx workflow.Context) (collection.SubmissionResult, error) {
	if err := errors.Join(collection.CheckSubmissionID(s.id), s.in.Check()); err != nil {
		return collection.SubmissionResult{}, s.fail(ctx, "the submission cannot be accepted",
			temporal.NewNonRetryableApplicationError(err.Error(), string(collection.ReasonSubmissionInvalid), nil))
	}
	if err := s.markCustomer(ctx); err != nil {
		return collection.SubmissionResult{}, err
	}
	if err := s.makePlan(ctx); err != nil {
		return collection.SubmissionResult{}, s.fail(ctx, "the submission could not be planned", err)
	}
	s.runBatches(ctx)

	// What was collected is settled, and shipped, even when somebody has cancelled the submission. A cancellation that comes
	// later finds only the shipping left to stop.
	free, _ := workflow.NewDisconnectedContext(ctx)
	cancelled := ctx.Err() != nil
	if err := s.settle(free, cancelled); err != nil {
		return collection.SubmissionResult{}, s.fail(free, "the submission could not be settled", err)
	}
	if cancelled {
		ctx = free
	}
	if err := s.ship(ctx, free); err != nil {
		return collection.SubmissionResult{}, s.fail(free, notShipped(s.id), err)
	}
	s.enter(free, "", s.result.State)
	if cancelled {
		return collection.SubmissionResult{}, temporal.NewCanceledError(*s.result)
	}
	return *s.result, nil
}

// markCustomer makes a submission that was started by another client findable by its customer.
func (s *submission) markCustomer(ctx workflow.Context) error {
	if _, there := workflow.GetTypedSearchAttributes(ctx).GetKeyword(customerAttribute); there {
		return nil
	}
	return workflow.UpsertTypedSearchAttributes(ctx, customerAttribute.ValueSet(s.in.Customer))
}

func (s *submission) makePlan(ctx workflow.Context) error {
	s.enter(ctx, "plan", collection.StateAccepted)
	o := planOptions(temporal.Priority{FairnessKey: s.in.Customer})
	o.Summary = rowsShown(s.in)
	return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, o), planner.Plan, collection.PlanInput{
		Submission: s.id, Request: s.in, AcceptedAt: s.plan.AcceptedAt,
	}).Get(ctx, &s.plan)
}

// fail ends a submission that has no result, with the reason as error type and where failed workflows are searched.
func (s *submission) fail(ctx workflow.Context, what string, err error) error {
	if temporal.IsCanceledError(err) {
		s.enter(ctx, "", collection.StateCancelled)
		return err
	}
	s.enter(ctx, "", collection.StateFailed)
	f := verdict.OfActivity(err)
	if err := workflow.UpsertTypedSearchAttributes(ctx, reasonAttribute.ValueSet(string(f.Reason))); err != nil {
		return fmt.Errorf("note the reason %s of submission %s: %w", f.Reason, s.id, err)
	}
	return withReason(what, err)
}

func (s *submission) runBatches(ctx workflow.Context) {
	s.batches = newFanOut(s, s.plan.Sources)
	s.enter(ctx, "collect", collection.StateProcessing)
	s.batches.run(ctx)
}

// batch is how a batch of the submission is started.
func (s *submission) batch(source collection.SourcePlan, p collection.BatchPlan) (workflow.ChildWorkflowOptions, collection.BatchInput) {
	o := childOptions(collection.BatchWorkflowID(s.id, source.Source, p.Number))
	o.TypedSearchAttributes = attributes(s.in.Customer, source.Source)
	o.Priority = s.priority()
	o.StaticSummary = fmt.Sprintf("%s: batch %d of %d, %s", source.Source, p.Number, len(source.Batches), collection.Plural(p.Records, "record"))
	return o, collection.BatchInput{
		Submission: s.id, Customer: s.in.Customer, Source: source.Source, Number: p.Number, Records: p.Records,
		AcceptedAt: s.plan.AcceptedAt, Policy: source.Policy,
		ProgressStep: progressStep(s.plan.Accepted, p.Records),
	}
}

// lost leaves standing what a batch has reported: a batch that fails is no failure of the submission. Settle finds records
// without a ledger row and accounts for each of them.
func (s *submission) lost(*batchRun) {}

func (s *submission) settle(ctx workflow.Context, cancelled bool) error {
	s.enter(ctx, "settle", collection.StateProcessing)
	summary := fmt.Sprintf("account for %s, write the manifest", collection.Plural(s.plan.Expected, "row"))
	result, err := settle(ctx, s.priority(), summary, collection.SettleInput{
		Submission: s.id, Customer: s.in.Customer, Cancelled: cancelled,
	})
	if err != nil {
		return err
	}
	s.result = &result
	return nil
}

// ship brings the delivery to the customer's own destination, if there is one. Until it is there the submission has not
// ended, whatever its records did. free is a context that no cancellation ends.
func (s *submission) ship(ctx, free workflow.Context) error {
	ships, cancellable := ships(free, s.plan)
	if !ships {
		return nil
	}
	if !cancellable {
		ctx = free
	}
	s.enter(free, "ship", collection.StateProcessing)
	_, err := ship(ctx, s.priority(), collection.ShipInput{Submission: s.id, Customer: s.in.Customer, To: s.in.Customer})
	return shippingCancelled(err)
}

// priority is what everything below the submission inherits.
func (s *submission) priority() temporal.Priority {
	return temporal.Priority{
		PriorityKey:    s.plan.Lane.PriorityKey(),
		FairnessKey:    s.in.Customer,
		FairnessWeight: s.plan.Weight,
	}
}

func (s *submission) enter(ctx workflow.Context, stage string, state collection.State) {
	s.stage, s.state = stage, state
	s.details(ctx)
}
