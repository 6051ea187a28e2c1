package workflows

import (
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

const (
	// giveUpSlack is how much later than the activity's own decision Temporal's timeout strikes: the activity decides,
	// with a reason; the timeout is the net below it.
	giveUpSlack = 10 * time.Minute
	// longActivity bounds plans and settlements of the largest submissions; heartbeats find a lost worker long before.
	longActivity = 24 * time.Hour
	// shortActivity bounds activities that move one object or one document.
	shortActivity = 2 * time.Minute
	// quietHeartbeat is the silence after which the worker of an activity other than Collect counts as lost.
	quietHeartbeat = 30 * time.Second
)

// nonRetryable are the error types that no retry heals: the reasons that the table of failures says so of.
var nonRetryable = func() []string {
	reasons := failure.NonRetryable()
	types := make([]string, len(reasons))
	for i, r := range reasons {
		types[i] = string(r)
	}
	return types
}()

// retry is the policy of every activity: transient failures are retried until the schedule-to-close timeout, since a
// count of attempts would turn an outage into dead letters; the activity itself knows which failures are final.
func retry() *temporal.RetryPolicy {
	return &temporal.RetryPolicy{
		InitialInterval:        time.Second,
		BackoffCoefficient:     2,
		MaximumInterval:        time.Minute,
		NonRetryableErrorTypes: nonRetryable,
	}
}

func planOptions(p temporal.Priority) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:           collection.QueuePlan,
		StartToCloseTimeout: longActivity,
		HeartbeatTimeout:    quietHeartbeat,
		WaitForCancellation: true,
		RetryPolicy:         retry(),
		Priority:            p,
	}
}

func shortPlanOptions() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:           collection.QueuePlan,
		StartToCloseTimeout: shortActivity,
		HeartbeatTimeout:    quietHeartbeat,
		RetryPolicy:         retry(),
	}
}

func findOptions() workflow.ActivityOptions {
	o := shortPlanOptions()
	// It waits for another workflow to end.
	o.StartToCloseTimeout = longActivity
	o.WaitForCancellation = true
	return o
}

func collectOptions(in collection.RecordInput) workflow.ActivityOptions {
	giveUp := in.Policy.GiveUpAfter.Std() + giveUpSlack
	return workflow.ActivityOptions{
		TaskQueue: collection.QueueCollect(in.Source),
		// A collect that waits for a permit must not run out of time while it waits: the request has a deadline of its
		// own, and heartbeats find a lost worker.
		StartToCloseTimeout:    giveUp,
		ScheduleToCloseTimeout: giveUp,
		HeartbeatTimeout:       in.Policy.HeartbeatTimeout.Std(),
		WaitForCancellation:    true,
		RetryPolicy:            retry(),
		Summary:                in.Record.Shown(),
	}
}

func stageOptions(queue string, in collection.RecordInput) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:              queue,
		StartToCloseTimeout:    shortActivity,
		ScheduleToCloseTimeout: in.Policy.GiveUpAfter.Std() + giveUpSlack,
		HeartbeatTimeout:       quietHeartbeat,
		WaitForCancellation:    true,
		RetryPolicy:            retry(),
		Summary:                in.Record.Shown(),
	}
}

// childOptions are those of every child. A child that ended well is not started again under its name: what it did is
// found instead, so that a submission that is run again, or reset, does no second work.
func childOptions(id string) workflow.ChildWorkflowOptions {
	return workflow.ChildWorkflowOptions{
		WorkflowID:            id,
		TaskQueue:             collection.QueueWorkflows,
		ParentClosePolicy:     enumspb.PARENT_CLOSE_POLICY_TERMINATE,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY,
		WaitForCancellation:   true,
	}
}

var (
	customerAttribute = temporal.NewSearchAttributeKeyKeyword(collection.AttributeCustomer)
	sourceAttribute   = temporal.NewSearchAttributeKeyKeyword(collection.AttributeSource)
	reasonAttribute   = temporal.NewSearchAttributeKeyKeyword(collection.AttributeReason)
)

func attributes(customer, source string) temporal.SearchAttributes {
	return temporal.NewSearchAttributes(customerAttribute.ValueSet(customer), sourceAttribute.ValueSet(source))
}
