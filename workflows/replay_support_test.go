package workflows_test

import (
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/workflows"
)

// replayEngine is an engine with stand-ins for what only a replay calls.
type replayEngine struct {
	*engine
	selectDead  func(collection.ReplayInput) (collection.ReplayPlan, error)
	loadReplay  func(collection.LoadReplayInput) (collection.LoadReplayResult, error)
	mergeLedger func(collection.MergeLedgerInput) (collection.MergeLedgerResult, error)
}

func newReplayEngine(t testing.TB) *replayEngine {
	e := &replayEngine{engine: newEngine(t)}
	activityStandIn(e.engine, collection.ActivitySelectDead, &e.selectDead)
	activityStandIn(e.engine, collection.ActivityLoadReplay, &e.loadReplay)
	activityStandIn(e.engine, collection.ActivityMergeLedger, &e.mergeLedger)
	e.SetStartWorkflowOptions(client.StartWorkflowOptions{ID: collection.ReplayWorkflowID("s"), TaskQueue: collection.QueueWorkflows})
	return e
}

// withReplay registers Replay itself and a stand-in for Batch.
func (e *replayEngine) withReplay() *replayEngine {
	e.RegisterWorkflowWithOptions(workflows.Replay, workflow.RegisterOptions{Name: collection.WorkflowReplay})
	e.RegisterWorkflowWithOptions(func(ctx workflow.Context, in collection.BatchInput) (collection.BatchResult, error) {
		return e.batch(ctx, in)
	}, workflow.RegisterOptions{Name: collection.WorkflowBatch})
	return e
}

var replayAll = collection.ReplayInput{Submission: "s", From: collection.ReplayFromRaw, By: "ann"}

// replayPlan is the plan of a replay of books in batches of n records.
func replayPlan(batches ...int) collection.ReplayPlan {
	plan := collection.ReplayPlan{Number: 2, Submission: "s", Customer: "acme", Lane: collection.LaneBulk, Weight: 2}
	source := collection.SourcePlan{Source: "books", Policy: policy(3)}
	for i, n := range batches {
		// Parts of the ledger without dead letters are left out.
		source.Batches = append(source.Batches, collection.BatchPlan{Number: 3 * (i + 1), Records: n})
		source.Records += n
	}
	plan.Dead, plan.Selected, plan.Sources = source.Records+1, source.Records, []collection.SourcePlan{source}
	return plan
}

func (e *replayEngine) selects(plan collection.ReplayPlan) {
	e.selectDead = func(collection.ReplayInput) (collection.ReplayPlan, error) { return plan, nil }
}

// settledAgain is what Settle says after a replay.
var settledAgain = collection.SubmissionResult{State: collection.StateComplete, Expected: 9, Manifest: "m", ManifestSHA256: "ab"}

func (e *replayEngine) settles() *collection.SettleInput {
	var got collection.SettleInput
	e.settle = func(in collection.SettleInput) (collection.SettleResult, error) {
		got = in
		return settledAgain, nil
	}
	return &got
}

func delivers(n int) collection.Tally {
	var t collection.Tally
	t.Add(collection.OutcomeDelivered, "", n)
	return t
}
