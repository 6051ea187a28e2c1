package activities

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// execution is a workflow's failure as who waits for it gets it.
type executionFailure struct{ error }

func (e executionFailure) Unwrap() error { return e.error }

func (e executionFailure) As(target any) bool {
	into, ok := target.(**temporal.WorkflowExecutionError)
	if ok {
		*into = &temporal.WorkflowExecutionError{}
	}
	return ok
}

// endedSubmissions is a part of the search for them.
const endedSubmissions = `"Submission" AND ExecutionStatus IN ("Failed"`

func TestSweepOfEnds(t *testing.T) {
	t.Parallel()
	ended := func(id string) Execution {
		return Execution{WorkflowID: id, RunID: "r1", Type: "Submission", Customer: "acme", Started: ago(time.Hour), Ended: ago(time.Minute)}
	}
	failed := func(reason collection.Reason) error {
		return executionFailure{temporal.NewNonRetryableApplicationError("why", string(reason), nil)}
	}
	w := &tower{found: map[string][]Execution{endedSubmissions: {ended("input"), ended("ours"), ended("again"), ended("stopped"), ended("settled"), ended("poison")}}, runs: map[string]Described{}, failures: map[string]error{
		"input": failed(collection.ReasonUploadMissing), "ours": failed(collection.ReasonInternal), "again": failed(collection.ReasonInternal),
		"stopped": executionFailure{&temporal.TerminatedError{}},
		"settled": executionFailure{temporal.NewCanceledError(collection.SubmissionResult{State: collection.StateCancelled})},
		"poison":  errEngine,
	}}
	for _, e := range w.found[endedSubmissions] {
		w.runs[e.WorkflowID] = Described{Execution: e}
	}
	later := ended("again")
	later.RunID = "r2"
	w.runs["again"] = Described{Execution: later}
	store := newShaky()
	got := sweepNow(t, w, store, collection.CheckEnds)
	require.Equal(t, []string{"SEV1 submission_failed ours", "SEV3 check_failed poison"}, kinds(got))
	require.Equal(t, 3, got.Mended, "the ends that nobody had kept")
	kept := store.dump(t)
	require.Len(t, kept, 3)
	var status collection.SubmissionStatus
	require.NoError(t, json.Unmarshal([]byte(kept[collection.EndKey("stopped")]), &status))
	require.Equal(t, collection.SubmissionStatus{
		Submission: "stopped", Customer: "acme", State: collection.StateFailed, AcceptedAt: ago(time.Hour), Outcomes: collection.Tally{},
		Reason: collection.ReasonTerminated, Detail: "the submission's workflow was terminated",
	}, status)

	// The next sweep has nothing more to keep; a later run that ends otherwise is kept instead.
	require.Zero(t, sweepNow(t, w, store, collection.CheckEnds).Mended)
	w.failures["ours"] = failed(collection.ReasonStoreUnavailable)
	require.Equal(t, 1, sweepNow(t, w, store, collection.CheckEnds).Mended)
	require.Contains(t, store.dump(t)[collection.EndKey("ours")], "store_unavailable")
}

// TestSweepOfShipments: a submission that failed because its destination refused has its delivery in weir's bucket. It is
// told to redeliver, and nothing more is said once that was done; how its workflow ended is kept until then.
func TestSweepOfShipments(t *testing.T) {
	t.Parallel()
	manifestOf := func(acceptedAt time.Time) string {
		body, err := json.Marshal(collection.Manifest{Submission: "s1", AcceptedAt: acceptedAt})
		require.NoError(t, err)
		return string(body)
	}
	own, earlier := manifestOf(accepted), manifestOf(accepted.Add(-101*24*time.Hour))
	put := func(t *testing.T, store *shaky, plan collection.PlanResult, parts ...string) {
		body, err := json.Marshal(plan)
		require.NoError(t, err)
		store.set(t, collection.PlanKey("s1"), string(body))
		for _, part := range parts {
			if manifest, ok := map[string]string{"manifest": own, "manifest before": earlier, "damaged": "{"}[part]; ok {
				store.set(t, collection.ManifestKey("acme", "s1"), manifest)
				store.set(t, collection.ManifestSumKey("acme", "s1"), manifestSum(collection.Digest([]byte(manifest))))
				continue
			}
			proof := collection.ShipResult{ManifestSHA256: collection.Digest([]byte(map[string]string{"shipped": own, "shipped before": earlier}[part]))}
			body, err := json.Marshal(proof)
			require.NoError(t, err)
			store.set(t, collection.ShipmentKey("s1"), string(body)+"\n")
		}
	}
	const redeliver, again = "run weir redeliver s1", "submit it again under the same id"
	for _, c := range []struct {
		name  string
		ship  bool
		parts []string
		do    string
		kept  bool
	}{
		{"not settled", true, nil, again, true},
		{"refused", true, []string{"manifest"}, redeliver, true},
		{"redelivered", true, []string{"manifest", "shipped"}, "", false},
		{"settled again since it was shipped", true, []string{"manifest", "shipped before"}, redeliver, true},
		{"settled, and nothing to ship", false, []string{"manifest"}, "", false},
		{"an earlier one of that id was settled", false, []string{"manifest before"}, again, true},
		{"an earlier one of that id was shipped", true, []string{"manifest before", "shipped before"}, again, true},
		{"nobody can read it", false, []string{"damaged"}, again, true},
	} {
		for _, customer := range []string{"acme", ""} { // a submission that was started by hand has no such attribute
			t.Run(c.name+" of "+customer, func(t *testing.T) {
				t.Parallel()
				e := Execution{WorkflowID: "s1", RunID: "r1", Type: "Submission", Customer: customer, Started: ago(time.Hour), Ended: ago(time.Minute)}
				w := &tower{found: map[string][]Execution{endedSubmissions: {e}}, runs: map[string]Described{"s1": {Execution: e}}, failures: map[string]error{
					"s1": executionFailure{temporal.NewNonRetryableApplicationError("why", string(collection.ReasonDestinationRefused), nil)},
				}}
				store := newShaky()
				put(t, store, collection.PlanResult{Submission: "s1", Customer: "acme", AcceptedAt: accepted, Ship: c.ship}, c.parts...)
				got := sweepNow(t, w, store, collection.CheckEnds)
				require.Zero(t, got.Unchecked)
				if c.do == "" {
					require.Empty(t, got.Findings)
				} else {
					require.Equal(t, []string{"SEV1 submission_failed s1"}, kinds(got))
					require.Contains(t, got.Findings[0].Do, c.do)
				}
				_, kept := store.dump(t)[collection.EndKey("s1")]
				require.Equal(t, c.kept, kept)
			})
		}
	}

	// A store that does not answer is no leave to say anything.
	e := Execution{WorkflowID: "s1", RunID: "r1", Customer: "acme", Ended: ago(time.Minute)}
	w := &tower{found: map[string][]Execution{endedSubmissions: {e}}, runs: map[string]Described{"s1": {Execution: e}}, failures: map[string]error{
		"s1": executionFailure{temporal.NewNonRetryableApplicationError("why", string(collection.ReasonInternal), nil)},
	}}
	for _, key := range []string{
		collection.ManifestKey("acme", "s1"), collection.PlanKey("s1"), collection.ShipmentKey("s1"), collection.ManifestSumKey("acme", "s1"),
	} {
		store := newShaky()
		put(t, store, collection.PlanResult{Submission: "s1", Customer: "acme", AcceptedAt: accepted, Ship: true}, "manifest", "shipped")
		store.trouble = func(_ int, _, called string) trouble {
			if called == key {
				return trouble{refuse: errOutage}
			}
			return trouble{}
		}
		require.Equal(t, []string{"SEV3 check_failed s1"}, kinds(sweepNow(t, w, store, collection.CheckEnds)), key)
		require.NotContains(t, store.dump(t), collection.EndKey("s1"))
	}
}

func TestSweepOfDeadLetters(t *testing.T) {
	t.Parallel()
	dead := func(id string, reason collection.Reason, started time.Duration) Execution {
		return Execution{WorkflowID: id, RunID: id, Type: "Record", Source: "books", Reason: reason, Started: ago(started), Ended: ago(started - time.Minute)}
	}
	w := &tower{more: false, found: map[string][]Execution{
		`ExecutionStatus="Failed"`: {
			dead("s1/a", collection.ReasonParseEmpty, time.Hour), dead("s1/b", collection.ReasonParseEmpty, 3*time.Hour),
			dead("s1/b", collection.ReasonParseInvalid, 2*time.Hour), dead("s1/c", collection.ReasonTimeout, time.Hour),
			dead("s1/d", collection.ReasonDeliveryConflict, time.Hour),
		},
		`ExecutionStatus!="Failed"`: {
			{WorkflowID: "s1/d", Started: ago(time.Minute)}, // run again, and cancelled: it still waits
		},
		`ExecutionStatus IN ("Running", "Completed")`: {
			{WorkflowID: "s1/c", Started: ago(time.Minute)}, // run again, and it did not fail
			{WorkflowID: "s1/a", Started: ago(5 * time.Hour)},
		},
	}}
	got := sweepNow(t, w, newShaky(), collection.CheckDeadLetters)
	require.Equal(t, []collection.DeadLetterCount{
		{Source: "books", Reason: collection.ReasonDeliveryConflict, Records: 1, Oldest: ago(59 * time.Minute)},
		{Source: "books", Reason: collection.ReasonParseEmpty, Records: 1, Oldest: ago(59 * time.Minute)},
		{Source: "books", Reason: collection.ReasonParseInvalid, Records: 1, Oldest: ago(119 * time.Minute)},
	}, got.DeadLetters)
	require.Equal(t, []string{"SEV1 dead_letters_broken delivery_conflict at books"}, kinds(got))
}

func TestSweepRefuses(t *testing.T) {
	t.Parallel()
	s := &Sweeper{Watch: &tower{}, Store: newShaky(), Clock: at(accepted)}
	_, err := run(t, &trial{}, s.SweepCheck, collection.CheckInput{Check: "tomorrow"})
	require.ErrorContains(t, err, "another version")
	s.Watch = &tower{broken: map[string]bool{"search": true}}
	_, err = run(t, &trial{}, s.SweepCheck, collection.CheckInput{Check: collection.CheckTasks})
	require.ErrorContains(t, err, "search for")
}
