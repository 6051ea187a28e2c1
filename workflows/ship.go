package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

// shipGiveUp is how long a destination may fail to answer. The delivery stands in weir's bucket meanwhile.
const shipGiveUp = 7 * 24 * time.Hour

// ship brings a settled delivery to a destination.
func ship(ctx workflow.Context, p temporal.Priority, in collection.ShipInput) (collection.ShipResult, error) {
	o := planOptions(p)
	o.ScheduleToCloseTimeout = shipGiveUp
	o.Summary = "ship the delivery, verify it there"
	var result collection.ShipResult
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, o), shipper.Ship, in).Get(ctx, &result)
	return result, err
}

// versionShip marks submissions whose workflow ships. One whose plan was made while other workers still ran the code before
// has none, and ends without: it must not do otherwise when it is replayed.
const versionShip = "ship"

// ships says whether a submission's delivery is to be shipped.
func ships(ctx workflow.Context, plan collection.PlanResult) bool {
	return plan.Ship && workflow.GetVersion(ctx, versionShip, workflow.DefaultVersion, 1) == 1
}

// notShipped is how a failed submission begins to say why. Its records are delivered, to weir's own bucket.
func notShipped(submission string) string {
	return fmt.Sprintf("the submission is settled in weir's bucket, but its delivery has not reached the customer's destination; "+
		"once that takes it, run weir redeliver %s", submission)
}
