package activities

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// describing is an engine that knows one submission, or does not answer.
type describing struct {
	running bool
	err     error
	asked   []string
}

func (d *describing) Describe(_ context.Context, id, _ string) (Described, error) {
	d.asked = append(d.asked, id)
	return Described{Execution: Execution{WorkflowID: id, Running: d.running}}, d.err
}

// stateNow makes the standing manifest one of another state.
func (r *replaying) stateNow(t require.TestingT, state collection.State) {
	key := collection.ManifestKey("acme", "s1")
	var m collection.Manifest
	require.NoError(t, json.Unmarshal([]byte(r.store.text(t, key)), &m))
	m.State = state
	body, err := json.Marshal(m)
	require.NoError(t, err)
	r.store.set(t, key, string(body))
}

// TestSelectDeadOfWhatRuns: a submission that was submitted again settles what a replay would settle in its midst. Nothing is
// selected before its end, and what has been run by then waits for it.
func TestSelectDeadOfWhatRuns(t *testing.T) {
	r := newReplaying(t, pages(4), wasEmpty, wasDelivered)
	engine := &describing{running: true}
	r.Engine = engine
	before := r.store.sums(t)
	_, err := run(t, &trial{}, r.SelectDead, collection.ReplayInput{Submission: "s1"})
	requireFinal(t, err, collection.ReasonCommandRefused, "submission s1 runs: wait for its end")
	require.Equal(t, before, r.store.sums(t), "nothing is left behind")
	require.Equal(t, []string{"s1"}, engine.asked)

	engine.running = false
	first := r.selected(t, collection.ReplayInput{})
	engine.running = true
	_, err = run(t, &trial{}, r.SelectDead, collection.ReplayInput{Submission: "s1"})
	waits := requireTransient(t, err, collection.ReasonStoreUnavailable, "its end is waited for")
	require.Equal(t, runningRetry, waits.after)
	engine.running = false
	require.Equal(t, first, r.selected(t, collection.ReplayInput{}))

	// One that the engine has forgotten has ended; an engine that does not answer has not said so.
	engine.err = ErrUnknownToEngine
	require.Equal(t, first, r.selected(t, collection.ReplayInput{}))
	engine.err = errEngine
	_, err = run(t, &trial{}, r.SelectDead, collection.ReplayInput{Submission: "s1"})
	require.ErrorContains(t, err, "ask the engine whether submission s1 has ended")
}

// TestSelectDeadTellsHowItStandsNow: whether the submission counts as cancelled may change between the selection and the
// settlement, and then its manifest is right. Without one, what was known at the selection is all there is.
func TestSelectDeadTellsHowItStandsNow(t *testing.T) {
	for name, ends := range map[string][]end{"something to do": {wasEmpty}, "stale only": {wasDelivered}} {
		t.Run(name, func(t *testing.T) {
			r := newReplaying(t, pages(2), wasEmpty)
			r.stateNow(t, collection.StateCancelled)
			if ends[0] == wasDelivered {
				for _, p := range r.records {
					r.edit(t, p, func(row *collection.LedgerRow) {
						row.RecordResult = r.settling.ended(t, "books", 1, p.Record, wasDelivered).RecordResult
					})
				}
			}
			first := r.selected(t, collection.ReplayInput{})
			require.True(t, first.Cancelled)
			require.Equal(t, first.Selected == 0, first.Stale)
			r.stateNow(t, collection.StateComplete)
			again := r.selected(t, collection.ReplayInput{})
			require.False(t, again.Cancelled)
			again.Cancelled = true
			require.Equal(t, first, again, "and nothing else has changed")
			r.store.remove(collection.ManifestKey("acme", "s1"))
			require.True(t, r.selected(t, collection.ReplayInput{}).Cancelled)
		})
	}
}

// otherRun makes everything that is kept of replays that of another run, as if a later one had begun.
func (r *replaying) otherRun(t require.TestingT) {
	for key, body := range r.store.dump(t) {
		if key == collection.ReplayCountKey("s1") || strings.HasPrefix(key, "replays/") {
			for n := 1; n <= 9; n++ {
				if key == collection.ReplayPlanKey("s1", n) {
					r.another(t, n)
				}
			}
			var count replayCount
			if key == collection.ReplayCountKey("s1") {
				require.NoError(t, json.Unmarshal([]byte(body), &count))
				r.counted(t, count.Number, "another")
			}
		}
	}
}

func (r *replaying) counted(t require.TestingT, n int, run string) {
	body, err := json.Marshal(replayCount{Number: n, Run: run})
	require.NoError(t, err)
	r.store.set(t, collection.ReplayCountKey("s1"), string(body))
}

// forget removes all that is kept of replays but their counter.
func (r *replaying) forget(t require.TestingT) {
	for key := range r.store.dump(t) {
		if strings.HasPrefix(key, "replays/") {
			r.store.remove(key)
		}
	}
}

// TestReplayNumbersOutliveTheirPlans: the engine may remember the batches of a replay longer than its plan is kept, so that no
// number is taken twice.
func TestReplayNumbersOutliveTheirPlans(t *testing.T) {
	r := newReplaying(t, pages(4), wasEmpty)
	for want := 1; want <= 3; want++ {
		require.Equal(t, want, r.selected(t, collection.ReplayInput{}).Number)
		require.Equal(t, want, r.selected(t, collection.ReplayInput{}).Number, "an attempt of the same run")
		r.otherRun(t)
		r.forget(t)
	}
}

// TestReplayNumbers: whatever is known of earlier replays counts.
func TestReplayNumbers(t *testing.T) {
	kept := func(n int, run string) func(*replaying) {
		return func(r *replaying) {
			body, err := json.Marshal(collection.ReplayPlan{Number: n, Submission: "s1", Run: run, Selected: 7})
			require.NoError(t, err)
			r.store.set(t, collection.ReplayPlanKey("s1", n), string(body))
		}
	}
	counted := func(n int, run string) func(*replaying) { return func(r *replaying) { r.counted(t, n, run) } }
	for name, c := range map[string]struct {
		stands []func(*replaying)
		want   int
	}{
		"nothing":                                      {nil, 1},
		"a counter":                                    {[]func(*replaying){counted(4, "another")}, 5},
		"plans from before there was a counter":        {[]func(*replaying){kept(1, "a"), kept(3, "b")}, 4},
		"records of a plan that was never made":        {[]func(*replaying){func(r *replaying) { r.store.set(t, collection.ReplayBatchKey("s1", 2, "books", 1), "{}\n") }}, 3},
		"what is no replay's":                          {[]func(*replaying){func(r *replaying) { r.store.set(t, "replays/s1/notes.txt", "") }}, 1},
		"a plan by a worker that counted nothing":      {[]func(*replaying){counted(1, "another"), kept(2, "b")}, 3},
		"a counter that nobody can read":               {[]func(*replaying){func(r *replaying) { r.store.set(t, collection.ReplayCountKey("s1"), "x") }, kept(2, "b")}, 3},
		"a number that another has taken all the same": {[]func(*replaying){counted(2, "default-test-run-id"), kept(2, "b")}, 3},
		"a manifest that was settled three times": {[]func(*replaying){func(r *replaying) {
			key := collection.ManifestKey("acme", "s1")
			r.store.set(t, key, strings.Replace(r.store.text(t, key), `"version"`, `"generation": 3, "version"`, 1))
		}}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReplaying(t, pages(2), wasEmpty)
			for _, stand := range c.stands {
				stand(r)
			}
			plan := r.selected(t, collection.ReplayInput{})
			require.Equal(t, c.want, plan.Number)
			require.Equal(t, 2, plan.Selected)
			var count replayCount
			require.NoError(t, json.Unmarshal([]byte(r.store.text(t, collection.ReplayCountKey("s1"))), &count))
			require.Equal(t, c.want, count.Number)
		})
	}
}

// TestReplayNumberOfAPlanWithoutACounter: a run whose plan was made by an older worker goes on with it.
func TestReplayNumberOfAPlanWithoutACounter(t *testing.T) {
	r := newReplaying(t, pages(2), wasEmpty)
	first := r.selected(t, collection.ReplayInput{})
	r.store.remove(collection.ReplayCountKey("s1"))
	require.Equal(t, first, r.selected(t, collection.ReplayInput{}))
}

// TestReplayNumberIsTakenByOne: of two runs that begin at the same time one is too late, and looks again.
func TestReplayNumberIsTakenByOne(t *testing.T) {
	for _, standing := range []bool{false, true} {
		r := newReplaying(t, pages(2), wasEmpty)
		if standing {
			r.counted(t, 1, "before")
		}
		r.store.trouble = func(_ int, op, key string) trouble {
			if key == collection.ReplayCountKey("s1") && (op == "Create" || op == "Replace") {
				r.store.trouble = nil
				r.counted(t, 6, "faster")
			}
			return trouble{}
		}
		_, err := run(t, &trial{}, r.SelectDead, collection.ReplayInput{Submission: "s1"})
		requireTransient(t, err, collection.ReasonStoreUnavailable, "another attempt was faster")
		require.NotContains(t, r.store.dump(t), collection.ReplayBatchKey("s1", 1, "books", 1), "nothing is written under a number that is not ours")
		require.Equal(t, 7, r.selected(t, collection.ReplayInput{}).Number)
	}
}

// TestReplayCountLivesAsLongAsThePlan: without the plan nothing is replayed.
func TestReplayCountLivesAsLongAsThePlan(t *testing.T) {
	plan, _, _ := collection.SubmissionOfKey(collection.PlanKey("s1"))
	class, submission, ok := collection.SubmissionOfKey(collection.ReplayCountKey("s1"))
	require.True(t, ok)
	require.Equal(t, "s1", submission)
	require.Equal(t, plan, class)
}
