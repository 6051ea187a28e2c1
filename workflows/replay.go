package workflows

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

// Replay runs a settled submission's dead letters again, each under its own id and only if it has failed, writes the next
// generation of their parts of the ledger, and settles the submission again. Its workflow id is ReplayWorkflowID: a second
// one at the same time joins it.
func Replay(ctx workflow.Context, in collection.ReplayInput) (collection.ReplayResult, error) {
	r := &replay{in: in}
	if err := r.setup(ctx); err != nil {
		return collection.ReplayResult{}, err
	}
	return r.run(ctx)
}

type replay struct {
	in      collection.ReplayInput
	stage   string
	plan    collection.ReplayPlan
	batches fanOut
	// startedAt is when the batches were started.
	startedAt time.Time
	result    *collection.ReplayResult
}

func (r *replay) setup(ctx workflow.Context) error {
	return workflow.SetQueryHandler(ctx, collection.QueryStatus, r.answer)
}

// run is the only place where the workflow ends.
func (r *replay) run(ctx workflow.Context) (collection.ReplayResult, error) {
	if err := r.check(ctx); err != nil {
		return collection.ReplayResult{}, r.fail(ctx, "the replay cannot be made",
			temporal.NewNonRetryableApplicationError(err.Error(), string(collection.ReasonCommandRefused), nil))
	}
	if err := r.selectDead(ctx); err != nil {
		return collection.ReplayResult{}, r.fail(ctx, "the dead letters could not be selected", err)
	}
	r.runBatches(ctx)

	// What was delivered is settled, and shipped, even when somebody has cancelled the replay. A cancellation that comes later
	// finds only the shipping left to stop.
	free, _ := workflow.NewDisconnectedContext(ctx)
	cancelled := ctx.Err() != nil
	settled, err := r.settle(free)
	if err != nil {
		return collection.ReplayResult{}, r.failAfter(free, nil, "the submission could not be settled again", err)
	}
	if cancelled {
		ctx = free
	}
	if err := r.ship(ctx, free, settled); err != nil {
		return collection.ReplayResult{}, r.failAfter(free, settled, notShipped(r.in.Submission), err)
	}
	result := r.end(free, settled)
	if cancelled {
		return result, temporal.NewCanceledError(result)
	}
	if left := result.Selected - result.Outcomes.Total(); left > 0 {
		return result, temporal.NewNonRetryableApplicationError(
			fmt.Sprintf("%s of %d ended without a result: replay the submission again", collection.Plural(left, "record"), result.Selected),
			string(collection.ReasonInternal), nil, result)
	}
	return result, nil
}

// check also makes sure that the id is the one that lets a second replay join.
func (r *replay) check(ctx workflow.Context) error {
	if err := r.in.Check(); err != nil {
		return err
	}
	want := collection.ReplayWorkflowID(r.in.Submission)
	if id := workflow.GetInfo(ctx).WorkflowExecution.ID; id != want {
		return fmt.Errorf("the workflow's id is %s: start it as %s, so that there is one replay of a submission at a time", id, want)
	}
	return nil
}

func (r *replay) selectDead(ctx workflow.Context) error {
	r.enter(ctx, "select")
	o := planOptions(temporal.Priority{})
	o.Summary = selectShown(r.in.Select)
	return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, o), replayer.SelectDead, r.in).Get(ctx, &r.plan)
}

// rawWindow is how many records of one batch are released at a time, at least, when kept bytes are parsed again: the
// window of a source is made for its ceiling, and the source is not asked.
const rawWindow = 50

func (r *replay) runBatches(ctx workflow.Context) {
	plans := slices.Clone(r.plan.Sources)
	if r.in.From == collection.ReplayFromRaw || r.in.From == collection.ReplayFromParse {
		for i := range plans {
			plans[i].Policy.Window = max(plans[i].Policy.Window, rawWindow)
		}
	}
	r.startedAt, r.batches = workflow.Now(ctx), newFanOut(r, plans)
	r.enter(ctx, "replay")
	r.batches.run(ctx)
}

// batch is how a batch of the replay is started.
func (r *replay) batch(source collection.SourcePlan, p collection.BatchPlan) (workflow.ChildWorkflowOptions, collection.BatchInput) {
	o := childOptions(collection.ReplayBatchID(r.in.Submission, r.plan.Number, source.Source, p.Number))
	o.TypedSearchAttributes = attributes(r.plan.Customer, source.Source)
	o.Priority = r.priority()
	o.StaticSummary = fmt.Sprintf("%s: replay of batch %d, %s", source.Source, p.Number, collection.Plural(p.Records, "record"))
	return o, collection.BatchInput{
		Submission: r.in.Submission, Customer: r.plan.Customer, Source: source.Source, Number: p.Number, Records: p.Records,
		// Waits are measured from when somebody asked for the replay, not from the submission's acceptance.
		AcceptedAt: r.startedAt, Policy: source.Policy,
		ProgressStep: progressStep(r.plan.Selected, p.Records), Replay: r.plan.Number,
	}
}

// lost takes back what a batch has reported: it has written nothing into the ledger, so that its records are dead letters as
// before, and the next replay finds them.
func (r *replay) lost(b *batchRun) { b.outcomes = nil }

// settle accounts for the submission again, if the ledger may have changed since its manifest was written.
func (r *replay) settle(ctx workflow.Context) (*collection.SubmissionResult, error) {
	if r.plan.Selected == 0 && !r.plan.Stale {
		return nil, nil
	}
	r.enter(ctx, "settle")
	if err := r.lookAgain(ctx); err != nil {
		return nil, err
	}
	result, err := settle(ctx, r.priority(), "account for the submission again, write the manifest's next generation", collection.SettleInput{
		Submission: r.in.Submission, Customer: r.plan.Customer, Cancelled: r.plan.Cancelled,
	})
	return &result, err
}

// versionReplayStanding marks replays that look at the submission again before they settle it.
const versionReplayStanding = "replay-standing"

// lookAgain finds out how the submission stands once the records have run: any client may have submitted it again since they
// were selected. Its end is waited for, and whether it counts as cancelled is what its manifest says then.
func (r *replay) lookAgain(ctx workflow.Context) error {
	if workflow.GetVersion(ctx, versionReplayStanding, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return nil
	}
	o := planOptions(r.priority())
	o.Summary = "look how the submission stands now"
	var now collection.ReplayPlan
	if err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, o), replayer.SelectDead, r.in).Get(ctx, &now); err != nil {
		return err
	}
	r.plan.Cancelled = now.Cancelled
	return nil
}

// ship brings the new generation of the delivery to where the first one went. free is a context that no cancellation ends.
func (r *replay) ship(ctx, free workflow.Context, settled *collection.SubmissionResult) error {
	if settled == nil || !r.plan.Ship {
		return nil
	}
	if workflow.GetVersion(free, versionReplayShip, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		ctx = free
	}
	r.enter(free, "ship")
	_, err := ship(ctx, r.priority(), collection.ShipInput{Submission: r.in.Submission, Customer: r.plan.Customer, To: r.plan.Customer})
	return shippingCancelled(err)
}

func (r *replay) end(ctx workflow.Context, settled *collection.SubmissionResult) collection.ReplayResult {
	r.result = &collection.ReplayResult{
		Number: r.plan.Number, Dead: r.plan.Dead, Selected: r.plan.Selected, WithoutRaw: r.plan.WithoutRaw,
		LostParts: r.plan.LostParts, Outcomes: r.outcomes(), Settled: settled,
	}
	r.enter(ctx, "")
	return *r.result
}

func (r *replay) fail(ctx workflow.Context, what string, err error) error {
	r.enter(ctx, "")
	return withReason(what, err)
}

// failAfter ends a replay that has run its records: what has become of them is told with the failure, in its details.
func (r *replay) failAfter(ctx workflow.Context, settled *collection.SubmissionResult, what string, err error) error {
	var app *temporal.ApplicationError
	if err = withReason(what, err); !errors.As(err, &app) {
		r.enter(ctx, "")
		return err
	}
	return temporal.NewNonRetryableApplicationError(app.Message(), app.Type(), nil, r.end(ctx, settled))
}

// priority is that of the submission: a replay takes nobody's turn.
func (r *replay) priority() temporal.Priority {
	return temporal.Priority{
		PriorityKey: r.plan.Lane.PriorityKey(), FairnessKey: r.plan.Customer, FairnessWeight: r.plan.Weight,
	}
}

func (r *replay) outcomes() collection.Tally {
	total := collection.Tally{}
	for _, share := range r.batches.shares() {
		total.Merge(share.Outcomes)
	}
	return total
}

func (r *replay) enter(ctx workflow.Context, stage string) {
	r.stage = stage
	r.details(ctx)
}
