package workflows

import (
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

// settle accounts for a submission out of its plan, its ledger and what is stored.
func settle(ctx workflow.Context, p temporal.Priority, summary string, in collection.SettleInput) (collection.SubmissionResult, error) {
	o := planOptions(p)
	o.Summary = summary
	var result collection.SubmissionResult
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, o), settler.Settle, in).Get(ctx, &result)
	return result, err
}

// ship brings a settled delivery to a destination.
func ship(ctx workflow.Context, p temporal.Priority, in collection.ShipInput) (collection.ShipResult, error) {
	o := planOptions(p)
	o.ScheduleToCloseTimeout = collection.ShipGiveUp
	o.Summary = "ship the delivery, verify it there"
	var result collection.ShipResult
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, o), shipper.Ship, in).Get(ctx, &result)
	return result, err
}

// versionShip marks submissions whose workflow ships. One whose plan was made while other workers still ran the code before
// has none, and ends without: it must not do otherwise when it is replayed. From version 2 on shipping can be cancelled.
const (
	versionShip       = "ship"
	shipVersion       = 1
	shipVersionCancel = 2
)

// versionReplayShip marks replays whose shipping can be cancelled.
const versionReplayShip = "replay-ship"

// ships says whether a submission's delivery is to be shipped, and whether somebody may cancel that.
func ships(ctx workflow.Context, plan collection.PlanResult) (ships, cancellable bool) {
	if !plan.Ship {
		return false, false
	}
	version := workflow.GetVersion(ctx, versionShip, workflow.DefaultVersion, shipVersionCancel)
	return version >= shipVersion, version >= shipVersionCancel
}

// shippingCancelled is a failure, not a cancellation: the submission is settled, and its promise is not kept.
func shippingCancelled(err error) error {
	if !temporal.IsCanceledError(err) {
		return err
	}
	return temporal.NewNonRetryableApplicationError("somebody has cancelled the shipping", string(collection.ReasonCancelled), nil)
}

// notShipped is how a failed submission begins to say why. Its records are delivered, to weir's own bucket.
func notShipped(submission string) string {
	return fmt.Sprintf("the submission is settled in weir's bucket, but its delivery has not reached the customer's destination; "+
		"once that takes it, run weir redeliver %s", submission)
}
