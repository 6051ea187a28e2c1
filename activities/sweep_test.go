package activities

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// tower is an engine as a sweep sees it. What is not set is not there.
type tower struct {
	// found are the answers to searches that contain a text, the longest text first.
	found  map[string][]Execution
	counts map[string]int
	more   bool
	// runs are workflows by id, and by id and run.
	runs      map[string]Described
	lastEvent map[string]time.Time
	failures  map[string]error
	polled    map[string]bool
	table     []lease.SourceView
	tableErr  error
	schedules map[string]ScheduleState
	// broken are the ids that cannot be asked for; panics are those that bring the asker down.
	broken, panics map[string]bool

	// onFind and onLast are called before a search and before the question for a last event.
	onFind, onLast func(ctx context.Context, about string)

	mu        sync.Mutex
	cancelled []string
	// onDescribe is called before each answer.
	onDescribe func(id string)
}

var errEngine = errors.New("the engine does not answer")

func match[T any](all map[string]T, query string) (T, bool) {
	var best T
	length, ok := -1, false
	for text, value := range all {
		if strings.Contains(query, text) && len(text) > length {
			best, length, ok = value, len(text), true
		}
	}
	return best, ok
}

func (w *tower) Find(ctx context.Context, query string, limit int) ([]Execution, bool, error) {
	if w.onFind != nil {
		w.onFind(ctx, query)
	}
	if ctx.Err() != nil {
		return nil, false, ctx.Err()
	}
	if w.broken["search"] {
		return nil, false, errEngine
	}
	found, _ := match(w.found, query)
	return found[:min(limit, len(found))], w.more, nil
}

func (w *tower) Count(_ context.Context, query string) (int, error) {
	n, _ := match(w.counts, query)
	return n, nil
}

func (w *tower) Describe(_ context.Context, id, run string) (Described, error) {
	if w.onDescribe != nil {
		w.onDescribe(id)
	}
	if w.panics[id] {
		panic("a row that nobody can read")
	}
	if w.broken[id] {
		return Described{}, errEngine
	}
	for _, name := range []string{id + "@" + run, id} {
		if d, ok := w.runs[name]; ok {
			return d, nil
		}
	}
	return Described{}, ErrUnknownToEngine
}

func (w *tower) LastEvent(ctx context.Context, id, _ string) (time.Time, error) {
	if w.onLast != nil {
		w.onLast(ctx, id)
	}
	if ctx.Err() != nil {
		return time.Time{}, ctx.Err()
	}
	if w.panics[id] {
		panic("a row that nobody can read")
	}
	if w.broken[id] {
		return time.Time{}, errEngine
	}
	at, ok := w.lastEvent[id]
	if !ok {
		return at, ErrUnknownToEngine
	}
	return at, nil
}

func (w *tower) Failure(_ context.Context, id, _ string) error { return w.failures[id] }

func (w *tower) Polled(_ context.Context, queue string, _ bool) (bool, error) {
	if w.broken[queue] {
		return false, errEngine
	}
	return w.polled[queue], nil
}

func (w *tower) Table(context.Context) ([]lease.SourceView, error) { return w.table, w.tableErr }

func (w *tower) ScheduleIDs(context.Context) ([]string, error) {
	var ids []string
	for id := range w.schedules {
		ids = append(ids, id)
	}
	return ids, nil
}

func (w *tower) Schedule(_ context.Context, id string) (ScheduleState, error) {
	if w.broken[id] {
		return ScheduleState{}, errEngine
	}
	s, ok := w.schedules[id]
	if !ok {
		return s, ErrUnknownToEngine
	}
	return s, nil
}

func (w *tower) Cancel(_ context.Context, id, run, _ string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cancelled = append(w.cancelled, id+"@"+run)
	return nil
}

// sweepNow makes one check of a tower.
func sweepNow(t *testing.T, w *tower, store *shaky, check collection.Check) collection.CheckResult {
	t.Helper()
	s := &Sweeper{Watch: w, Store: store, Clock: at(accepted)}
	got, err := run(t, &trial{}, s.SweepCheck, collection.CheckInput{Check: check})
	require.NoError(t, err)
	return got
}

func kinds(r collection.CheckResult) []string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, fmt.Sprintf("%s %s %s", f.Severity, f.Kind, f.Subject))
	}
	return all
}

func ago(d time.Duration) time.Time { return accepted.Add(-d) }

// running is a run that runs since an hour.
func running(kind, id string) Execution {
	return Execution{WorkflowID: id, RunID: "r1", Type: kind, Root: strings.Split(id, "/")[0], Source: "books", Running: true, Started: ago(time.Hour)}
}

func describedAs(e Execution, activeAt time.Time, children ...Child) Described {
	return Described{Execution: e, ActiveAt: activeAt, Children: children}
}

// TestSweepFindsNothing: an idle fleet and a busy one, on which nothing is wrong.
func TestSweepFindsNothing(t *testing.T) {
	t.Parallel()
	owner := describedAs(running(collection.WorkflowCeilings, collection.CeilingsID), time.Time{})
	schedules := map[string]ScheduleState{
		collection.SweepScheduleID:   {ID: collection.SweepScheduleID, Next: ago(-time.Minute)},
		collection.JanitorScheduleID: {ID: collection.JanitorScheduleID, Next: ago(-time.Hour)},
	}
	idle := &tower{runs: map[string]Described{collection.CeilingsID: owner}, schedules: schedules}
	s := running(collection.WorkflowSubmission, "s1")
	busy := &tower{
		found:  map[string][]Execution{`"Submission" AND ExecutionStatus="Running"`: {s}, `"Batch"`: {running(collection.WorkflowBatch, "s1/books/1")}},
		counts: map[string]int{"": 1}, lastEvent: map[string]time.Time{"s1": ago(time.Minute)},
		runs:      map[string]Described{collection.CeilingsID: owner, "s1": describedAs(s, time.Time{})},
		polled:    map[string]bool{"weir": true, "weir-plan": true, "parse": true, "deliver": true, "collect.books": true},
		schedules: schedules,
	}
	for _, w := range []*tower{idle, busy} {
		for _, check := range collection.SweepChecks() {
			got := sweepNow(t, w, newShaky(), check)
			require.Empty(t, got.Findings, check)
			require.Zero(t, got.Unchecked, check)
		}
		require.Empty(t, w.cancelled)
	}
}

func TestSweepOfQueues(t *testing.T) {
	t.Parallel()
	w := &tower{
		found:  map[string][]Execution{`"Batch"`: {running(collection.WorkflowBatch, "s1/books/1"), running(collection.WorkflowBatch, "s2/books/1")}},
		counts: map[string]int{`"Submission"`: 2, `WeirSource="books"`: 40},
		polled: map[string]bool{"weir": true, "weir-plan": true, "parse": true},
	}
	got := sweepNow(t, w, newShaky(), collection.CheckQueues)
	require.Equal(t, []string{"SEV2 queue_unpolled deliver", "SEV2 queue_unpolled collect.books"}, kinds(got))
	require.Equal(t, 40, got.Findings[1].Records)
	require.Contains(t, got.Findings[1].Do, "role collect")

	// A worker without permits does not poll, but it renews.
	w.table = []lease.SourceView{{Source: "books", Workers: []lease.WorkerView{{Worker: "w", LeaseEnds: ago(-time.Minute)}}}}
	require.Equal(t, []string{"SEV2 queue_unpolled deliver"}, kinds(sweepNow(t, w, newShaky(), collection.CheckQueues)))
	w.table[0].Workers[0].Lost = true
	require.Len(t, sweepNow(t, w, newShaky(), collection.CheckQueues).Findings, 2)

	// One queue that cannot be looked at hides no other (C7 81).
	w.broken = map[string]bool{"parse": true}
	got = sweepNow(t, w, newShaky(), collection.CheckQueues)
	require.Equal(t, []string{"SEV3 check_failed parse", "SEV2 queue_unpolled deliver", "SEV2 queue_unpolled collect.books"}, kinds(got))
	require.Equal(t, 1, got.Unchecked)
}

// TestSweepOfQueuesForReplaysAndRedeliveries: with no submission and no batch, they need a worker all the same.
func TestSweepOfQueuesForReplaysAndRedeliveries(t *testing.T) {
	t.Parallel()
	w := &tower{
		counts: map[string]int{`WorkflowType IN ("Replay", "Redeliver") AND ExecutionStatus="Running"`: 1},
		polled: map[string]bool{"weir": true, "weir-plan": true},
	}
	got := sweepNow(t, w, newShaky(), collection.CheckQueues)
	require.Equal(t, []string{"SEV2 queue_unpolled deliver"}, kinds(got), "nothing is parsed")
	require.Contains(t, got.Findings[0].Detail, "with replays or redeliveries (1) running")
}

// quietSubmission is one in which nothing has happened for an hour, with one batch and one record.
func quietSubmission() *tower {
	s, b, r := running(collection.WorkflowSubmission, "s1"), running(collection.WorkflowBatch, "s1/books/1"), running(collection.WorkflowRecord, "s1/abc")
	return &tower{
		found: map[string][]Execution{
			`"Submission" AND ExecutionStatus="Running"`:                              {s},
			`"Batch" AND ExecutionStatus="Running" AND WorkflowId STARTS_WITH "s1/"`:  {b},
			`"Record" AND ExecutionStatus="Running" AND WorkflowId STARTS_WITH "s1/"`: {r},
		},
		counts:    map[string]int{`"Record" AND ExecutionStatus="Running" AND WorkflowId STARTS_WITH "s1/"`: 1},
		lastEvent: map[string]time.Time{"s1": ago(time.Hour)},
		runs: map[string]Described{
			"s1":         describedAs(s, time.Time{}, Child{"s1/books/1", "r1"}),
			"s1/books/1": describedAs(b, time.Time{}, Child{"s1/abc", "r1"}),
			"s1/abc":     describedAs(r, ago(50*time.Minute)),
		},
	}
}

func TestSweepOfProgress(t *testing.T) {
	t.Parallel()
	check := func(change func(*tower)) []string {
		w := quietSubmission()
		change(w)
		return kinds(sweepNow(t, w, newShaky(), collection.CheckProgress))
	}
	stuck := []string{"SEV2 submission_stuck s1"}
	require.Equal(t, stuck, check(func(*tower) {}))
	require.Empty(t, check(func(w *tower) { w.lastEvent["s1"] = ago(29 * time.Minute) }), "something has happened")
	require.Empty(t, check(func(w *tower) { w.counts[`AND WorkflowId STARTS_WITH "s1/"`] = 3 }), "its records move")
	require.Empty(t, check(func(w *tower) { w.table = []lease.SourceView{{Source: "books"}} }), "its source is closed")
	require.Equal(t, stuck, check(func(w *tower) { w.table = []lease.SourceView{{Source: "books", Open: true}} }))
	require.Empty(t, check(func(w *tower) { w.runs["s1/abc"] = describedAs(running("Record", "s1/abc"), ago(time.Minute)) }), "a record backs off")
	require.Empty(t, check(func(w *tower) { d := w.runs["s1"]; d.ActiveAt = ago(time.Minute); w.runs["s1"] = d }), "it is being planned or settled")
	require.Empty(t, check(func(w *tower) { d := w.runs["s1"]; d.Running = false; w.runs["s1"] = d }), "it has ended meanwhile")
	require.Empty(t, check(func(w *tower) { delete(w.lastEvent, "s1") }), "it is gone meanwhile")

	gone := []string{"SEV2 children_gone s1/books/1"}
	require.Equal(t, gone, check(func(w *tower) { delete(w.runs, "s1/abc") }))
	require.Equal(t, gone, check(func(w *tower) {
		w.runs["s1/abc"] = Described{Execution: Execution{WorkflowID: "s1/abc", Ended: ago(time.Hour)}}
	}))
	require.Equal(t, []string{"SEV2 children_gone s1"}, check(func(w *tower) { delete(w.runs, "s1/books/1") }))

	got := check(func(w *tower) { w.tableErr = errEngine })
	require.Equal(t, []string{"SEV3 check_failed weir/ceilings", "SEV2 submission_stuck s1"}, got)
}

// TestSweepOfReplaysAndRedeliveries: what works on a submission afterwards may be stuck as well.
func TestSweepOfReplaysAndRedeliveries(t *testing.T) {
	t.Parallel()
	replay, redeliver := running(collection.WorkflowReplay, "s1/replay"), running(collection.WorkflowRedeliver, "s1/redeliver")
	b, r := running(collection.WorkflowBatch, "s1/replay/1/books/1"), running(collection.WorkflowRecord, "s1/abc")
	setup := func() *tower {
		return &tower{
			found: map[string][]Execution{
				`WorkflowType IN ("Replay", "Redeliver") AND ExecutionStatus="Running"`:          {replay, redeliver},
				`"Batch" AND ExecutionStatus="Running" AND WorkflowId STARTS_WITH "s1/replay/"`:  {b},
				`"Record" AND ExecutionStatus="Running" AND WorkflowId STARTS_WITH "s1/"`:        {r},
				`"Record" AND ExecutionStatus="Running" AND WorkflowId STARTS_WITH "s1/replay/"`: {},
			},
			lastEvent: map[string]time.Time{"s1/replay": ago(time.Hour), "s1/redeliver": ago(time.Hour)},
			runs: map[string]Described{
				"s1/replay":           describedAs(replay, time.Time{}, Child{"s1/replay/1/books/1", "r1"}),
				"s1/replay/1/books/1": describedAs(b, time.Time{}, Child{"s1/abc", "r1"}),
				"s1/abc":              describedAs(r, ago(50*time.Minute)),
				"s1/redeliver":        describedAs(redeliver, ago(50*time.Minute)),
			},
		}
	}
	got := sweepNow(t, setup(), newShaky(), collection.CheckProgress)
	require.Equal(t, []string{"SEV2 submission_stuck s1/replay", "SEV2 submission_stuck s1/redeliver"}, kinds(got))
	require.Contains(t, got.Findings[0].Do, "run weir replay s1 again")
	require.Contains(t, got.Findings[1].Do, "run weir redeliver s1 again")

	for what, change := range map[string]func(*tower){
		"a record of it backs off": func(w *tower) { w.runs["s1/abc"] = describedAs(r, ago(time.Minute)) },
		"its records move":         func(w *tower) { w.counts = map[string]int{`AND WorkflowId STARTS_WITH "s1/"`: 1} },
		"its source is closed":     func(w *tower) { w.table = []lease.SourceView{{Source: "books"}} },
	} {
		w := setup()
		w.found[`WorkflowType IN ("Replay", "Redeliver") AND ExecutionStatus="Running"`] = []Execution{replay}
		change(w)
		require.Empty(t, sweepNow(t, w, newShaky(), collection.CheckProgress).Findings, what)
	}
	w := setup()
	w.runs["s1/redeliver"] = describedAs(redeliver, ago(time.Minute))
	delete(w.runs, "s1/abc")
	require.Equal(t, []string{"SEV2 children_gone s1/replay/1/books/1"}, kinds(sweepNow(t, w, newShaky(), collection.CheckProgress)), "a destination that is asked again is no standstill")
}

// TestSweepOfAForeignTree: a submission that another's workflow has started has that one as its root. Its records move, and
// that its root has ended long ago concerns nobody.
func TestSweepOfAForeignTree(t *testing.T) {
	t.Parallel()
	foreign := func(e Execution) Execution { e.Root = "their-workflow"; return e }
	w := quietSubmission()
	for query, found := range w.found {
		for i := range found {
			w.found[query][i] = foreign(found[i])
		}
	}
	w.found[`"Batch"`] = []Execution{foreign(running(collection.WorkflowBatch, "s1/books/1"))}
	w.counts[`AND WorkflowId STARTS_WITH "s1/"`] = 1
	w.runs["their-workflow"] = Described{Execution: Execution{WorkflowID: "their-workflow", Ended: ago(24 * time.Hour)}}
	require.Empty(t, sweepNow(t, w, newShaky(), collection.CheckProgress).Findings)
	require.Empty(t, sweepNow(t, w, newShaky(), collection.CheckOrphans).Findings)
	require.Empty(t, w.cancelled)

	w.runs["s1"] = Described{Execution: Execution{WorkflowID: "s1", Ended: ago(time.Hour)}}
	w.runs["their-workflow"] = describedAs(running("Theirs", "their-workflow"), time.Time{})
	require.Equal(t, []string{"SEV3 orphan s1/books/1"}, kinds(sweepNow(t, w, newShaky(), collection.CheckOrphans)), "and that it runs does not help")
}

// TestOwnerOf: a batch's own id tells whose it is.
func TestOwnerOf(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		collection.BatchWorkflowID("s1", "books", 7):   "s1",
		collection.BatchWorkflowID("s1", "replay", 7):  "s1",
		collection.ReplayBatchID("s1", 2, "books", 7):  "s1/replay",
		collection.ReplayBatchID("s1", 2, "replay", 7): "s1/replay",
		"by-hand": "", "s1/books": "", "s1/books/7/8": "", "s1/other/1/books/7": "",
	} {
		owner, ok := ownerOf(id)
		require.Equal(t, want != "", ok, id)
		if ok {
			require.Equal(t, want, owner, id)
		}
	}
}

// TestOnePoisonedSubmission: of 500 quiet submissions one brings down who looks at it, and one cannot be asked for. All
// others are looked at (C7 81).
func TestOnePoisonedSubmission(t *testing.T) {
	t.Parallel()
	w := &tower{found: map[string][]Execution{}, lastEvent: map[string]time.Time{}, runs: map[string]Described{}, panics: map[string]bool{"s007": true}, broken: map[string]bool{"s008": true}}
	var all []Execution
	for i := range 500 {
		s := running(collection.WorkflowSubmission, fmt.Sprintf("s%03d", i))
		all = append(all, s)
		w.lastEvent[s.WorkflowID], w.runs[s.WorkflowID] = ago(time.Hour), describedAs(s, time.Time{})
	}
	w.found[`"Submission" AND ExecutionStatus="Running"`] = all
	got := sweepNow(t, w, newShaky(), collection.CheckProgress)
	require.Equal(t, 500, got.Looked)
	require.Equal(t, 2, got.Unchecked)
	require.Len(t, got.Findings, maxFindings)
	require.Equal(t, 500-maxFindings, got.Omitted, "each is a finding, or counted as one")
	require.Contains(t, kinds(got), "SEV3 check_failed s007")
	require.Contains(t, kinds(got), "SEV3 check_failed s008")
}

func TestSweepOfOrphans(t *testing.T) {
	t.Parallel()
	batch := running(collection.WorkflowBatch, "s1/books/1")
	setup := func() *tower {
		return &tower{
			found: map[string][]Execution{`"Batch"`: {batch}},
			runs:  map[string]Described{"s1/books/1": describedAs(batch, time.Time{}), "s1": {Execution: Execution{WorkflowID: "s1", Ended: ago(time.Hour)}}},
		}
	}
	w := setup()
	got := sweepNow(t, w, newShaky(), collection.CheckOrphans)
	require.Equal(t, []string{"SEV3 orphan s1/books/1"}, kinds(got))
	require.True(t, got.Findings[0].Mended)
	require.Equal(t, 1, got.Mended)
	require.Equal(t, []string{"s1/books/1@r1"}, w.cancelled)

	w = setup()
	delete(w.runs, "s1")
	require.Len(t, sweepNow(t, w, newShaky(), collection.CheckOrphans).Findings, 1, "its submission is not there at all")

	for what, change := range map[string]func(*tower){
		"its submission runs":                func(w *tower) { w.runs["s1"] = describedAs(running("Submission", "s1"), time.Time{}) },
		"its submission has only just ended": func(w *tower) { w.runs["s1"] = Described{Execution: Execution{Ended: ago(time.Minute)}} },
		"somebody started it by hand":        func(w *tower) { w.found[`"Batch"`][0].Root = "s1/books/1" },
	} {
		w := setup()
		w.found[`"Batch"`] = []Execution{batch}
		change(w)
		require.Empty(t, sweepNow(t, w, newShaky(), collection.CheckOrphans).Findings, what)
		require.Empty(t, w.cancelled, what)
	}
}

// TestOrphansAreGuarded: what changes between the look and the deed is left as it is (C7 80).
func TestOrphansAreGuarded(t *testing.T) {
	t.Parallel()
	batch := running(collection.WorkflowBatch, "s1/books/1")
	closed := Described{Execution: Execution{WorkflowID: "s1", Ended: ago(time.Hour)}}
	for what, change := range map[string]func(w *tower, asked int){
		"the submission is started again": func(w *tower, asked int) {
			if asked == 2 {
				w.runs["s1"] = describedAs(running("Submission", "s1"), time.Time{})
			}
		},
		"the batch completes": func(w *tower, asked int) {
			if asked == 3 {
				w.runs["s1/books/1"] = Described{Execution: Execution{WorkflowID: "s1/books/1", RunID: "r1", Ended: accepted}}
			}
		},
		"the batch is run again": func(w *tower, asked int) {
			if asked == 3 {
				again := batch
				again.RunID = "r2"
				w.runs["s1/books/1"] = describedAs(again, time.Time{})
			}
		},
	} {
		w := &tower{found: map[string][]Execution{`"Batch"`: {batch}}, runs: map[string]Described{"s1/books/1": describedAs(batch, time.Time{}), "s1": closed}}
		asked := 0
		w.onDescribe = func(string) { asked++; change(w, asked) }
		got := sweepNow(t, w, newShaky(), collection.CheckOrphans)
		require.Empty(t, w.cancelled, what)
		require.Empty(t, got.Findings, what)
		require.Zero(t, got.Mended, what)
	}
}

func TestSweepOfTasksAndLeases(t *testing.T) {
	t.Parallel()
	ceilings := running(collection.WorkflowCeilings, collection.CeilingsID)
	w := &tower{found: map[string][]Execution{"TemporalReportedProblems": {
		running("Record", "s1/a"), running("Record", "s1/b"), running("Submission", "s2"), ceilings,
	}}}
	got := sweepNow(t, w, newShaky(), collection.CheckTasks)
	require.Equal(t, []string{"SEV2 task_failing s1/a", "SEV2 task_failing s2", "SEV1 task_failing weir/ceilings"}, kinds(got))
	require.Equal(t, 2, got.Findings[0].Records)

	w = &tower{counts: map[string]int{`"Record"`: 3}}
	require.Equal(t, []string{"SEV2 owner_missing weir/ceilings"}, kinds(sweepNow(t, w, newShaky(), collection.CheckLeases)))
	w = &tower{runs: map[string]Described{collection.CeilingsID: describedAs(ceilings, time.Time{})}, table: []lease.SourceView{{Source: "books", Workers: []lease.WorkerView{
		{Worker: "w1", Exposed: 2, LeaseEnds: ago(time.Hour), Lost: true}, {Worker: "w2", Exposed: 2, LeaseEnds: ago(-time.Second)},
		{Worker: "w3", Exposed: 2, LeaseEnds: ago(time.Second), Lost: true}, {Worker: "w4", LeaseEnds: ago(time.Hour), Lost: true},
	}}}}
	require.Equal(t, []string{"SEV3 lease_not_returned w1"}, kinds(sweepNow(t, w, newShaky(), collection.CheckLeases)))
}

func TestSweepOfSchedules(t *testing.T) {
	t.Parallel()
	w := &tower{schedules: map[string]ScheduleState{
		collection.SweepScheduleID: {Next: ago(time.Hour)},
		"weir/paused":              {Paused: true, Note: "an audit"}, "weir/never": {}, "weir/fine": {Next: ago(time.Minute)},
	}}
	got := sweepNow(t, w, newShaky(), collection.CheckSchedules)
	require.Equal(t, []string{
		"SEV3 schedule_missing weir/janitor", "SEV3 schedule_late weir/never", "SEV3 schedule_off weir/paused", "SEV2 schedule_late weir/sweep",
	}, kinds(got))
	require.Contains(t, got.Findings[2].Detail, "an audit")
}
