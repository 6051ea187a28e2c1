package workflows_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/workflows"
)

func TestReplayRunsItsBatches(t *testing.T) {
	t.Parallel()
	e := newReplayEngine(t).withReplay()
	e.selectDead = func(in collection.ReplayInput) (collection.ReplayPlan, error) {
		require.Equal(t, replayAll, in)
		plan := replayPlan(4, 5)
		plan.Cancelled, plan.WithoutRaw = true, 1
		return plan, nil
	}
	settled := e.settles()
	var got []collection.BatchInput
	e.batch = func(ctx workflow.Context, in collection.BatchInput) (collection.BatchResult, error) {
		got = append(got, in)
		return collection.BatchResult{Outcomes: delivers(in.Records)}, nil
	}
	started := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	e.SetStartTime(started)
	e.ExecuteWorkflow(workflows.Replay, replayAll)

	require.Equal(t, collection.ReplayResult{
		Number: 2, Dead: 10, Selected: 9, WithoutRaw: 1, Outcomes: delivers(9), Settled: &settledAgain,
	}, result[collection.ReplayResult](e.engine))
	require.Equal(t, collection.SettleInput{Submission: "s", Customer: "acme", Cancelled: true}, *settled)
	require.Len(t, got, 2)
	wide := policy(50)
	require.Equal(t, collection.BatchInput{
		Submission: "s", Customer: "acme", Source: "books", Number: 3, Records: 4, AcceptedAt: got[0].AcceptedAt, Policy: wide, ProgressStep: 1, Replay: 2,
	}, got[0], "kept bytes are parsed in a window that the source's ceiling does not make")
	require.False(t, got[0].AcceptedAt.Before(started), "waits begin with the replay")
	o := e.children["s/replay/2/books/6"]
	require.Equal(t, temporal.Priority{PriorityKey: 5, FairnessKey: "acme", FairnessWeight: 2}, o.Priority)
	require.Equal(t, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY, o.WorkflowIDReusePolicy)
}

// TestReplayFromCollect keeps the window of the source.
func TestReplayFromCollect(t *testing.T) {
	t.Parallel()
	for _, from := range []collection.ReplayFrom{"", collection.ReplayFromCollect} {
		e := newReplayEngine(t).withReplay()
		e.selects(replayPlan(4))
		e.settles()
		e.batch = func(_ workflow.Context, in collection.BatchInput) (collection.BatchResult, error) {
			require.Equal(t, 3, in.Policy.Window)
			return collection.BatchResult{Outcomes: delivers(4)}, nil
		}
		e.ExecuteWorkflow(workflows.Replay, collection.ReplayInput{Submission: "s", From: from})
		result[collection.ReplayResult](e.engine)
	}
}

// TestReplayOfNothing settles nothing, but for a manifest that an earlier replay has left behind its ledger.
func TestReplayOfNothing(t *testing.T) {
	t.Parallel()
	for _, stale := range []bool{false, true} {
		e := newReplayEngine(t).withReplay()
		e.selects(collection.ReplayPlan{Submission: "s", Customer: "acme", Stale: stale})
		if stale {
			e.settles()
		}
		e.ExecuteWorkflow(workflows.Replay, replayAll)
		got := result[collection.ReplayResult](e.engine)
		require.Equal(t, stale, got.Settled != nil)
		require.Zero(t, got.Selected)
	}
}

func TestReplayIsRefused(t *testing.T) {
	t.Parallel()
	for says, test := range map[string]struct {
		id string
		in collection.ReplayInput
	}{
		"submission id":                 {"s/replay", collection.ReplayInput{Submission: "a/b"}},
		`from "scratch"`:                {"s/replay", collection.ReplayInput{Submission: "s", From: "scratch"}},
		"start it as s/replay, so that": {"elsewhere", collection.ReplayInput{Submission: "s"}},
	} {
		e := newReplayEngine(t).withReplay()
		e.SetStartWorkflowOptions(client.StartWorkflowOptions{ID: test.id, TaskQueue: collection.QueueWorkflows})
		e.ExecuteWorkflow(workflows.Replay, test.in)
		app := failure(e.engine)
		require.Equal(t, string(collection.ReasonCommandRefused), app.Type())
		require.Contains(t, app.Message(), says)
	}
}

func TestReplayThatCannotBeSelectedOrSettled(t *testing.T) {
	t.Parallel()
	e := newReplayEngine(t).withReplay()
	e.selectDead = func(collection.ReplayInput) (collection.ReplayPlan, error) {
		return collection.ReplayPlan{}, reasonError(collection.ReasonCommandRefused, collection.AttemptFailure{Detail: "it is not settled"})
	}
	e.ExecuteWorkflow(workflows.Replay, replayAll)
	app := failure(e.engine)
	require.Equal(t, string(collection.ReasonCommandRefused), app.Type())
	require.Contains(t, app.Message(), "it is not settled")

	e = newReplayEngine(t).withReplay()
	e.selects(replayPlan(1))
	e.batch = func(workflow.Context, collection.BatchInput) (collection.BatchResult, error) {
		return collection.BatchResult{Outcomes: delivers(1)}, nil
	}
	e.settle = func(collection.SettleInput) (collection.SettleResult, error) {
		return collection.SettleResult{}, reasonError(collection.ReasonInternal, collection.AttemptFailure{Detail: "the books do not balance"})
	}
	e.ExecuteWorkflow(workflows.Replay, replayAll)
	app = failure(e.engine)
	require.Contains(t, app.Message(), "settled again: the books do not balance")
	var got collection.ReplayResult
	require.NoError(t, app.Details(&got))
	require.Equal(t, collection.ReplayResult{Number: 2, Dead: 2, Selected: 1, Outcomes: delivers(1)}, got, "what has become of the records is told")
}

// TestReplaySettlesAsTheSubmissionStandsThen: between the selection and the settlement anybody may have submitted it again, and
// it is no cancelled one any more. A replay of before knew nothing but its selection.
func TestReplaySettlesAsTheSubmissionStandsThen(t *testing.T) {
	t.Parallel()
	for _, version := range []workflow.Version{workflow.DefaultVersion, 1} {
		e := newReplayEngine(t).withReplay()
		e.OnGetVersion("replay-standing", workflow.DefaultVersion, workflow.Version(1)).Return(version)
		looked, waited := 0, 0
		e.selectDead = func(in collection.ReplayInput) (collection.ReplayPlan, error) {
			require.Equal(t, replayAll, in)
			looked++
			plan := replayPlan(1)
			plan.Cancelled = looked == 1
			if looked > 1 && waited < 3 {
				waited++
				return plan, temporal.NewApplicationErrorWithOptions("it runs", string(collection.ReasonStoreUnavailable), temporal.ApplicationErrorOptions{NextRetryDelay: time.Hour})
			}
			return plan, nil
		}
		settled := e.settles()
		e.batch = func(workflow.Context, collection.BatchInput) (collection.BatchResult, error) {
			return collection.BatchResult{Outcomes: delivers(1)}, nil
		}
		e.ExecuteWorkflow(workflows.Replay, replayAll)
		require.Equal(t, &settledAgain, result[collection.ReplayResult](e.engine).Settled)
		require.Equal(t, version == workflow.DefaultVersion, settled.Cancelled)
		require.Equal(t, map[workflow.Version]int{workflow.DefaultVersion: 0, 1: 3}[version], waited, "the end of one that runs is waited for")
	}
}

// TestReplayOutlivesABatch: the records of the other batches are replayed and settled all the same, and somebody is told.
func TestReplayOutlivesABatch(t *testing.T) {
	t.Parallel()
	e := newReplayEngine(t).withReplay()
	e.selects(replayPlan(4, 5))
	settled := e.settles()
	e.batch = func(_ workflow.Context, in collection.BatchInput) (collection.BatchResult, error) {
		if in.Number == 3 {
			return collection.BatchResult{}, temporal.NewNonRetryableApplicationError("gone", string(collection.ReasonInternal), errors.New("x"))
		}
		return collection.BatchResult{Outcomes: delivers(in.Records)}, nil
	}
	e.ExecuteWorkflow(workflows.Replay, replayAll)
	app := failure(e.engine)
	require.Contains(t, app.Message(), "4 records of 9 ended without a result: replay the submission again")
	var got collection.ReplayResult
	require.NoError(t, app.Details(&got))
	require.Equal(t, delivers(5), got.Outcomes)
	require.Equal(t, "s", settled.Submission)
}

// TestReplayShips: the next generation goes to where the first one went.
func TestReplayShips(t *testing.T) {
	t.Parallel()
	for _, fails := range []bool{false, true} {
		e := newReplayEngine(t).withReplay()
		plan := replayPlan(1)
		plan.Ship = true
		e.selects(plan)
		e.settles()
		e.batch = func(workflow.Context, collection.BatchInput) (collection.BatchResult, error) {
			return collection.BatchResult{Outcomes: delivers(1)}, nil
		}
		var shipped collection.ShipInput
		e.ship = func(in collection.ShipInput) (collection.ShipResult, error) {
			if shipped = in; fails {
				return collection.ShipResult{}, reasonError(collection.ReasonStoreUnavailable, collection.AttemptFailure{Detail: "no bucket"})
			}
			return collection.ShipResult{}, nil
		}
		e.ExecuteWorkflow(workflows.Replay, replayAll)
		require.Equal(t, collection.ShipInput{Submission: "s", Customer: "acme", To: "acme"}, shipped)
		if fails {
			app := failure(e.engine)
			require.Contains(t, app.Message(), "no bucket")
			toldAllTheSame(t, app)
		} else {
			require.Equal(t, &settledAgain, result[collection.ReplayResult](e.engine).Settled)
		}
	}
}

// TestReplayIsCancelledWhileItShips: the waiting for a destination can be ended, and then its delivery is not there. To a
// replay of before no cancellation comes through.
func TestReplayIsCancelledWhileItShips(t *testing.T) {
	t.Parallel()
	for _, version := range []workflow.Version{workflow.DefaultVersion, 1} {
		e := newReplayEngine(t).withReplay()
		e.OnGetVersion("replay-ship", workflow.DefaultVersion, workflow.Version(1)).Return(version)
		e.OnGetVersion("replay-standing", workflow.DefaultVersion, workflow.Version(1)).Return(workflow.Version(1))
		plan := replayPlan(1)
		plan.Ship = true
		e.selects(plan)
		e.settles()
		e.batch = func(workflow.Context, collection.BatchInput) (collection.BatchResult, error) {
			return collection.BatchResult{Outcomes: delivers(1)}, nil
		}
		e.ship = func(collection.ShipInput) (collection.ShipResult, error) { return collection.ShipResult{}, nil }
		takes(e.engine, collection.ActivityShip, 24*time.Hour, &e.ship)
		e.cancelAt(time.Hour)
		e.ExecuteWorkflow(workflows.Replay, replayAll)
		if version == workflow.DefaultVersion {
			require.Equal(t, &settledAgain, result[collection.ReplayResult](e.engine).Settled)
			continue
		}
		app := failure(e.engine)
		require.Equal(t, string(collection.ReasonCancelled), app.Type())
		require.Contains(t, app.Message(), "its delivery has not reached the customer's destination")
		toldAllTheSame(t, app)
	}
}

// toldAllTheSame checks that the failure of a replay whose delivery was not shipped tells what it has done.
func toldAllTheSame(t *testing.T, app *temporal.ApplicationError) {
	var got collection.ReplayResult
	require.NoError(t, app.Details(&got))
	require.Equal(t, collection.ReplayResult{Number: 2, Dead: 2, Selected: 1, Outcomes: delivers(1), Settled: &settledAgain}, got)
}

// TestReplayIsCancelled: what was done is settled, and told.
func TestReplayIsCancelled(t *testing.T) {
	t.Parallel()
	e := newReplayEngine(t).withReplay()
	e.selects(replayPlan(4, 5))
	settled := e.settles()
	var stopped collection.Tally
	stopped.Add(collection.OutcomeDelivered, "", 1)
	stopped.Add(collection.OutcomeCancelled, collection.ReasonCancelled, 3)
	e.batch = func(ctx workflow.Context, in collection.BatchInput) (collection.BatchResult, error) {
		_ = workflow.Sleep(ctx, time.Hour)
		return collection.BatchResult{}, temporal.NewCanceledError(collection.BatchResult{Outcomes: stopped})
	}
	e.cancelAt(time.Minute)
	e.ExecuteWorkflow(workflows.Replay, replayAll)
	got := cancelled[collection.ReplayResult](e.engine)
	require.Equal(t, stopped, got.Outcomes)
	require.Equal(t, "s", settled.Submission)
	require.NotContains(t, e.children, "s/replay/2/books/6", "no batch is started any more")
}

// TestReplayTellsItsProgress: batches report, and the next one starts when all of a batch is released.
func TestReplayTellsItsProgress(t *testing.T) {
	t.Parallel()
	e := newReplayEngine(t).withReplay()
	e.selects(replayPlan(4, 5))
	e.settles()
	e.batch = func(ctx workflow.Context, in collection.BatchInput) (collection.BatchResult, error) {
		parent := workflow.GetInfo(ctx).ParentWorkflowExecution
		require.NoError(t, workflow.SignalExternalWorkflow(ctx, parent.ID, "", collection.SignalBatchProgress, collection.BatchProgress{
			Source: "books", Number: in.Number, Released: in.Records, Outcomes: delivers(1),
		}).Get(ctx, nil))
		require.NoError(t, workflow.Sleep(ctx, time.Hour))
		return collection.BatchResult{Outcomes: delivers(in.Records)}, nil
	}
	e.at(30*time.Minute, func() {
		got := status[collection.ReplayStatus](e.engine)
		require.Equal(t, collection.ReplayStatus{
			Submission: "s", Number: 2, From: collection.ReplayFromRaw, By: "ann", Stage: "replay", Dead: 10, Selected: 9, Outcomes: delivers(2),
			Sources: []collection.SourceProgress{{Source: "books", Records: 9, Released: 9, Outcomes: delivers(2)}},
		}, got)
	})
	e.ExecuteWorkflow(workflows.Replay, replayAll)
	result[collection.ReplayResult](e.engine)
	got := status[collection.ReplayStatus](e.engine)
	require.Empty(t, got.Stage)
	require.Equal(t, delivers(9), got.Result.Outcomes)
}
