package activities

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// endedReplays is a part of the search for them.
const endedReplays = `WorkflowType="Replay" AND ExecutionStatus IN ("Failed"`

// stoppedReplay is an engine on which the replay of s1 was terminated after some of its records had ended well.
func stoppedReplay(endedWell int) *tower {
	e := Execution{WorkflowID: "s1/replay", RunID: "r1", Type: "Replay", Started: ago(time.Hour), Ended: ago(time.Minute)}
	return &tower{
		found:  map[string][]Execution{endedReplays: {e}},
		runs:   map[string]Described{"s1/replay": {Execution: e}, "s1": {Execution: Execution{WorkflowID: "s1", Ended: ago(2 * time.Hour)}}},
		counts: map[string]int{`ExecutionStatus="Completed" AND StartTime >= "` + ago(time.Hour).Format(time.RFC3339) + `" AND WorkflowId STARTS_WITH "s1/"`: endedWell},
	}
}

// plannedReplay is a store with the plan of a run of the replay, and a manifest that was written before it.
func plannedReplay(t require.TestingT, run string) *shaky {
	store := newShaky()
	store.set(t, collection.ManifestKey("acme", "s1"), "{}")
	for key, v := range map[string]any{
		collection.ReplayCountKey("s1"):   replayCount{Number: 3, Run: run},
		collection.ReplayPlanKey("s1", 3): collection.ReplayPlan{Number: 3, Submission: "s1", Customer: "acme", Run: run},
	} {
		body, err := json.Marshal(v)
		require.NoError(t, err)
		store.set(t, key, string(body))
	}
	return store
}

// TestSweepOfReplaysThatDidNotSettle: what a replay has delivered before somebody terminated it is in no manifest, and nobody
// waits for it.
func TestSweepOfReplaysThatDidNotSettle(t *testing.T) {
	t.Parallel()
	got := sweepNow(t, stoppedReplay(2), plannedReplay(t, "r1"), collection.CheckEnds)
	require.Equal(t, []string{"SEV2 replay_unsettled s1/replay"}, kinds(got))
	require.Equal(t, 2, got.Findings[0].Records)
	require.Equal(t, ago(time.Minute), got.Findings[0].Since)
	require.Contains(t, got.Findings[0].Detail, "2 records of it ended well")
	require.Contains(t, got.Findings[0].Do, "Run weir replay s1 once more")

	for what, change := range map[string]func(w *tower, store *shaky){
		"it could not ship what it had settled": func(w *tower, _ *shaky) {
			w.failures = map[string]error{"s1/replay": executionFailure{temporal.NewNonRetryableApplicationError("not shipped",
				string(collection.ReasonDestinationRefused), nil, collection.ReplayResult{Settled: &collection.SubmissionResult{}})}}
		},
		"nothing of it ended well": func(w *tower, _ *shaky) { w.counts = nil },
		"another replay was made since": func(w *tower, _ *shaky) {
			w.runs["s1/replay"] = Described{Execution: Execution{WorkflowID: "s1/replay", RunID: "r2"}}
		},
		"the engine has forgotten it": func(w *tower, _ *shaky) { delete(w.runs, "s1/replay") },
		"the submission runs, and settles by itself": func(w *tower, _ *shaky) {
			w.runs["s1"] = describedAs(running("Submission", "s1"), time.Time{})
		},
		"it was settled":          func(_ *tower, store *shaky) { store.set(t, collection.ManifestKey("acme", "s1"), "{}") },
		"nothing can be replayed": func(_ *tower, store *shaky) { store.remove(collection.ManifestKey("acme", "s1")) },
		"it had selected nothing": func(_ *tower, store *shaky) { store.remove(collection.ReplayCountKey("s1")) },
		"it was still selecting":  func(_ *tower, store *shaky) { store.remove(collection.ReplayPlanKey("s1", 3)) },
		"it was refused: another had run before": func(_ *tower, store *shaky) {
			body, err := json.Marshal(replayCount{Number: 3, Run: "before"})
			require.NoError(t, err)
			store.set(t, collection.ReplayCountKey("s1"), string(body))
		},
	} {
		w, store := stoppedReplay(2), plannedReplay(t, "r1")
		change(w, store)
		got := sweepNow(t, w, store, collection.CheckEnds)
		require.Empty(t, got.Findings, what)
		require.Zero(t, got.Unchecked, what)
	}

	// One that failed because it could not settle has not settled.
	w := stoppedReplay(2)
	w.failures = map[string]error{"s1/replay": executionFailure{temporal.NewNonRetryableApplicationError("not settled",
		string(collection.ReasonStoreUnavailable), nil, collection.ReplayResult{})}}
	require.Len(t, sweepNow(t, w, plannedReplay(t, "r1"), collection.CheckEnds).Findings, 1)

	// A submission that the engine has forgotten has ended.
	w = stoppedReplay(2)
	delete(w.runs, "s1")
	require.Len(t, sweepNow(t, w, plannedReplay(t, "r1"), collection.CheckEnds).Findings, 1)

	// Who does not answer has not said that all is well.
	for n := 1; n <= 4; n++ {
		store := plannedReplay(t, "r1")
		store.trouble = func(call int, _, _ string) trouble {
			if call == n {
				return trouble{refuse: errOutage}
			}
			return trouble{}
		}
		require.Equal(t, []string{"SEV3 check_failed s1/replay"}, kinds(sweepNow(t, stoppedReplay(2), store, collection.CheckEnds)), fmt.Sprint("call ", n))
	}
	for _, id := range []string{"s1", "s1/replay"} {
		w := stoppedReplay(2)
		w.broken = map[string]bool{id: true}
		require.Equal(t, []string{"SEV3 check_failed s1/replay"}, kinds(sweepNow(t, w, plannedReplay(t, "r1"), collection.CheckEnds)), id)
	}
}
