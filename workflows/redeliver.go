package workflows

import (
	"errors"
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/verdict"
)

// Redeliver writes the delivery of a submission that has ended again, out of what is in weir's bucket; nothing is
// collected. Where files of the delivery are lost there, it is settled again first.
func Redeliver(ctx workflow.Context, in collection.RedeliverInput) (collection.RedeliverResult, error) {
	r := &redelivery{in: in}
	if err := workflow.SetQueryHandler(ctx, collection.QueryStatus, r.answer); err != nil {
		return collection.RedeliverResult{}, err
	}
	return r.run(ctx)
}

type redelivery struct {
	in     collection.RedeliverInput
	stage  string
	result *collection.RedeliverResult
}

func (r *redelivery) answer() (collection.RedeliverStatus, error) {
	return collection.RedeliverStatus{Submission: r.in.Submission, To: r.in.To, Stage: r.stage, Result: r.result}, nil
}

// run is the only place where the workflow ends.
func (r *redelivery) run(ctx workflow.Context) (collection.RedeliverResult, error) {
	if err := r.in.Check(); err != nil {
		return collection.RedeliverResult{}, temporal.NewNonRetryableApplicationError(
			"the submission cannot be delivered again: "+err.Error(), string(collection.ReasonSubmissionInvalid), nil)
	}
	var result collection.RedeliverResult
	err := r.ship(ctx, &result)
	if err != nil && verdict.OfActivity(err).Reason == collection.ReasonDeliveryLost {
		if err = r.settle(ctx, &result, r.wasCancelled(err)); err == nil {
			err = r.ship(ctx, &result)
		}
	}
	r.enter(ctx, "")
	if err != nil {
		return collection.RedeliverResult{}, withReason(fmt.Sprintf("the delivery of submission %s was not written again", r.in.Submission), err)
	}
	r.result = &result
	return result, nil
}

func (r *redelivery) ship(ctx workflow.Context, into *collection.RedeliverResult) (err error) {
	r.enter(ctx, "ship")
	into.Shipped, err = ship(ctx, r.priority(), r.in.ShipInput)
	return err
}

// wasCancelled says how the submission was settled: by its manifest where that stands, else by who started this.
func (r *redelivery) wasCancelled(err error) bool {
	var app *temporal.ApplicationError
	var failure collection.AttemptFailure
	var loss collection.ShipLoss
	if errors.As(err, &app) && app.Details(&failure, &loss) == nil && loss.Standing {
		return loss.Cancelled
	}
	return r.in.Cancelled
}

// settle makes the files of the delivery again, in weir's bucket.
func (r *redelivery) settle(ctx workflow.Context, into *collection.RedeliverResult, cancelled bool) error {
	r.enter(ctx, "settle")
	result, err := settle(ctx, r.priority(), "make lost files of the delivery again", collection.SettleInput{
		Submission: r.in.Submission, Customer: r.in.Customer, Cancelled: cancelled,
	})
	if err != nil {
		return err
	}
	into.Settled = &result
	return nil
}

func (r *redelivery) priority() temporal.Priority {
	return temporal.Priority{FairnessKey: r.in.Customer}
}

// enter tells the status query, and Temporal Web, what is done now.
func (r *redelivery) enter(ctx workflow.Context, stage string) {
	r.stage = stage
	said := "ended"
	if stage != "" {
		said = "in " + stage
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("Delivery of submission `%s` again: **%s**.\n", r.in.Submission, said))
}
