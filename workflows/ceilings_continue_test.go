package workflows_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/workflows"
)

// planned is an update at a time since noon.
type planned struct {
	at   time.Duration
	name string
	in   any
}

// drawUpdates draws what workers and operators do in a while: workers that renew with rising and with stale numbers, that
// see faults, come and leave; configurations; and commands, good and bad.
func drawUpdates(t *rapid.T) []planned {
	var all []planned
	sequence := map[string]int64{}
	at := time.Duration(0)
	for range rapid.IntRange(4, 25).Draw(t, "updates") {
		// No two at one moment: which of them comes first would be open. The environment may let some milliseconds pass before
		// it starts a run, so a run has a second for it.
		at += time.Duration(rapid.IntRange(1_000, 9_000).Draw(t, "after")) * time.Millisecond
		p := planned{at: at}
		switch kind := rapid.IntRange(0, 9).Draw(t, "kind"); {
		case kind < 5:
			p.name, p.in = collection.UpdateLease, drawRenewal(t, sequence)
		case kind < 6:
			in := books(rapid.IntRange(0, 6).Draw(t, "configured"))
			in.Config = rapid.SampledFrom([]string{"one", "two"}).Draw(t, "config")
			in.Sources[0].Methods, in.Sources[0].FallbackAfter = []string{"page", "api"}, rapid.IntRange(0, 1).Draw(t, "fallback")
			in.Since += int64(rapid.IntRange(0, 3).Draw(t, "since"))
			p.name, p.in = collection.UpdateConfigure, in
		default:
			p.name = rapid.SampledFrom([]string{
				collection.UpdatePause, collection.UpdateResume, collection.UpdateSetCeiling, collection.UpdateSetPace,
				collection.UpdateHoldBreaker, collection.UpdateReleaseBreaker, collection.UpdateUseMethod,
			}).Draw(t, "command")
			in := by(collection.SourceCommand{Ceiling: ptr(rapid.IntRange(-1, 6).Draw(t, "ceiling"))})
			in.Source = rapid.SampledFrom([]string{"books", "books", "films"}).Draw(t, "source")
			in.Method = rapid.SampledFrom([]string{"", "page", "api", "mirror"}).Draw(t, "method")
			if rapid.Bool().Draw(t, "for a while") {
				in.Pace, in.Until = ptr(rapid.SampledFrom([]float64{0, 0.5, 5}).Draw(t, "pace")), noon.Add(at+20*time.Second)
			}
			p.in = in
		}
		all = append(all, p)
	}
	return all
}

func drawRenewal(t *rapid.T, sequence map[string]int64) workflows.LeaseInput {
	worker := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "worker")
	sequence[worker] += int64(rapid.IntRange(0, 2).Draw(t, "next"))
	in := wants(worker, sequence[worker], rapid.IntRange(0, 5).Draw(t, "waiting"))
	in.Since += int64(rapid.IntRange(-1, 3).Draw(t, "started"))
	in.Release = rapid.IntRange(0, 9).Draw(t, "leaves") == 0
	want := &in.Request.Sources[0]
	want.OldestWaiting = lease.Millis(rapid.IntRange(0, 60_000).Draw(t, "oldest"))
	want.Held = rapid.IntRange(0, 4).Draw(t, "held")
	want.InFlight = rapid.IntRange(0, want.Held).Draw(t, "in flight")
	want.Seen = lease.Report{Requests: 5, TargetFaults: rapid.IntRange(0, 5).Draw(t, "faults")}
	in.Request.Egress = []lease.EgressReport{{Egress: "proxy", Faults: 2, Trailing: 2}}
	return in
}

// played is what a whole series of runs has answered, and what the last of them hands over.
type played struct {
	replies []string
	state   string
	shown   string
}

// play plays updates in runs, each of which ends before the update of one of these numbers.
func play(t testing.TB, in workflows.CeilingsInput, all []planned, cuts map[int]bool) played {
	var out played
	o := newOwner(t, 0, in)
	var replies []*reply
	end := func() workflows.CeilingsInput {
		shown := o.shown(o.last + 100*time.Microsecond)
		next := o.run()
		for _, r := range replies {
			require.True(t, r.rejected || r.completed, "no answer")
			out.replies = append(out.replies, fmt.Sprintf("%t %v %s", r.accepted, r.err, asJSON(t, r.value)))
		}
		replies, out.shown, out.state = nil, *shown, asJSON(t, next)
		return next
	}
	for i, p := range all {
		if cuts[i] {
			next := end()
			o = newOwner(t, o.last, next)
		}
		replies = append(replies, o.update(p.at, p.name, p.in))
	}
	end()
	return out
}

// TestCeilingsContinueAsIfNothingWere: however a series of updates is cut into runs, its answers, what the table comes to
// and what is shown are those of one long run.
func TestCeilingsContinueAsIfNothingWere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		all := drawUpdates(r)
		in := workflows.CeilingsInput{First: rapid.Bool().Draw(r, "first")}
		cuts := map[int]bool{}
		for i := range all {
			cuts[i] = rapid.IntRange(0, 3).Draw(r, "cut") == 0
		}
		long, cut := play(t, in, all, nil), play(t, in, all, cuts)
		require.Equal(r, long, cut)
	})
}

// TestCeilingsLoseNoUpdateWhenTheyContinue sends updates in the very moment in which the run is to end: each of them is
// either carried out and part of what is handed over, or not accepted, so that the engine brings it to the next run.
func TestCeilingsLoseNoUpdateWhenTheyContinue(t *testing.T) {
	t.Parallel()
	o := firstOwner(t)
	configured := o.configure(time.Second, books(4))
	replies := map[string]*reply{}
	o.when(2*time.Second, func() {
		for i := range 5 {
			worker := fmt.Sprintf("worker-%d", i)
			replies[worker] = &reply{}
			// The suggestion comes while the third is handled.
			if i == 2 {
				replies[worker].onAccept = func() { o.SetContinueAsNewSuggested(true) }
			}
			o.send(replies[worker], collection.UpdateLease, wants(worker, 1, 1))
		}
	})
	state := o.handedOver().State
	require.True(t, configured.completed)
	known := map[string]bool{}
	for _, w := range state.Table.Workers {
		known[w.Worker] = true
	}
	require.Contains(t, known, "worker-2")
	for worker, r := range replies {
		require.Equal(t, r.accepted, r.completed, worker)
		require.Equal(t, r.completed, known[worker], worker)
	}
}

// TestCeilingsDoubtAsOfNow: a run that was reset, and ended before any worker renewed, hands over a table whose time is that
// of its past. The run after it gives nothing until what has been forgotten since is over.
func TestCeilingsDoubtAsOfNow(t *testing.T) {
	t.Parallel()
	o := firstOwner(t)
	o.configure(time.Second, books(4))
	state := o.state(o.run())
	state.Table.InDoubt = true
	o = newOwner(t, time.Hour, workflows.CeilingsInput{State: &state})
	early := o.renew(time.Hour+time.Second, wants("a", 1, 9))
	late := o.renew(time.Hour+18*time.Second, wants("a", 2, 9))
	o.run()
	require.Zero(t, early.permits(t))
	require.Equal(t, 4, late.permits(t))
}

// largeFleet plays a fleet in which every worker serves every source.
func largeFleet(t testing.TB, sources, workers int) *owner {
	config := books(4)
	config.Sources = nil
	var all []lease.Want
	for i := range sources {
		name := fmt.Sprintf("source-with-a-name-%03d", i)
		config.Sources = append(config.Sources, lease.SourceConfig{Source: name, Ceiling: 8, Rate: lease.PerSecond(5)})
		all = append(all, lease.Want{Source: name, Held: 1, InFlight: 1, Peak: 1, Waiting: 12, Seen: lease.Report{Requests: 9, Successes: 9}})
	}
	o := firstOwner(t)
	o.configure(time.Second, config)
	for round := range int64(2) {
		for i := range workers {
			in := wants(fmt.Sprintf("weir@weir-worker-7c9d8b6f5d-%05d:1", i), round+1, 0)
			in.Request.Sources = all
			o.renew(time.Duration(2+5*round)*time.Second+time.Duration(i)*time.Millisecond, in)
		}
	}
	return o
}

// TestCeilingsHandALargeStateOver: the engine ends a workflow whose next input is above 2 MB, and takes 256 KB without
// a warning.
func TestCeilingsHandALargeStateOver(t *testing.T) {
	t.Parallel()
	o := largeFleet(t, 100, 30)
	rows := o.table(10 * time.Second)
	shown := o.shown(10 * time.Second)
	next := o.run()
	size, plain := len(asCompactJSON(t, next)), len(asCompactJSON(t, o.state(next)))
	t.Logf("figure: 100 sources and 30 workers: %d bytes of state are handed over as %d", plain, size)
	require.Nil(t, next.State)
	require.Less(t, size, 256<<10)
	require.Greater(t, plain, 512<<10)

	again := newOwner(t, 11*time.Second, next)
	rowsAgain := again.table(12 * time.Second)
	shownAgain := again.shown(12 * time.Second)
	require.Equal(t, o.state(next), again.state(again.run()))
	require.Equal(t, *rows, *rowsAgain)
	require.Equal(t, *shown, *shownAgain)
}

// TestCeilingsDoNotEndOverAStateThatCannotBeRead hands over what is no state.
func TestCeilingsDoNotEndOverAStateThatCannotBeRead(t *testing.T) {
	t.Parallel()
	another := firstOwner(t).run()
	another.State.Table.Version++
	for name, in := range map[string]workflows.CeilingsInput{
		"of another program": another,
		"not packed":         {Packed: []byte("{}")},
		"cut off":            {Packed: largeFleet(t, 100, 30).run().Packed[:1000]},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOwner(t, 0, in)
			o.ExecuteWorkflow(collection.WorkflowCeilings, o.in)
			// A task that panics is tried again; an error would have ended the workflow.
			var panicked *temporal.PanicError
			require.ErrorAs(t, o.GetWorkflowError(), &panicked)
			require.ErrorContains(t, panicked, "start the owner with a matching program")
		})
	}
}
