package activities

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

const (
	failedRuns  = `ExecutionStatus="Failed"`
	stoppedRuns = `ExecutionStatus IN ("Canceled", "Terminated", "TimedOut")`
)

// stoppedAgain is an engine that has every record of a submission as failed once, and some of them as stopped when they were run
// again.
func stoppedAgain(s *settling, again ...int) *tower {
	w := &tower{found: map[string][]Execution{}, counts: map[string]int{stoppedRuns: len(again)}}
	for _, p := range s.records {
		w.found[failedRuns] = append(w.found[failedRuns], Execution{
			WorkflowID: collection.RecordWorkflowID("s1", p.ID), Source: p.source, Reason: collection.ReasonTimeout, Started: ago(2 * time.Hour), Ended: ago(time.Hour),
		})
	}
	for _, i := range again {
		w.found[stoppedRuns] = append(w.found[stoppedRuns], Execution{WorkflowID: collection.RecordWorkflowID("s1", s.records[i].ID), Started: ago(time.Minute)})
	}
	return w
}

func deadCounted(r collection.CheckResult) int {
	n := 0
	for _, d := range r.DeadLetters {
		n += d.Records
	}
	return n
}

// TestSweepOfRecordsThatWereStopped: one that had failed, was run again, and was terminated once it was delivered is no dead letter
// when the ledger says so, though its workflow does not. One that brought nothing still waits.
func TestSweepOfRecordsThatWereStopped(t *testing.T) {
	t.Parallel()
	setup := func() (*settling, *tower) {
		s := newSettling(t, pages(5), wasDelivered, wasTimeout, wasDelivered, wasGone, wasDelivered)
		return s, stoppedAgain(s, 0, 1, 3)
	}
	s, w := setup()
	got := sweepNow(t, w, s.store, collection.CheckDeadLetters)
	require.Equal(t, 3, deadCounted(got), "one that was delivered and one that is gone are none; what nobody has stopped is as the engine has it")
	require.Equal(t, 5, got.Looked)
	require.Empty(t, got.Findings)
	require.False(t, got.AtLeast)

	for what, c := range map[string]struct {
		change func(s *settling, w *tower)
		dead   int
	}{
		"none was stopped":          {func(_ *settling, w *tower) { w.counts = nil }, 5},
		"it was stopped before":     {func(_ *settling, w *tower) { w.found[stoppedRuns][0].Started = ago(3 * time.Hour) }, 4},
		"a part of the ledger lost": {func(s *settling, _ *tower) { s.store.remove(s.records[0].ledgerKey()) }, 4},
		"no index":                  {func(s *settling, _ *tower) { s.store.remove(collection.IndexKey("s1")) }, 5},
		"no plan":                   {func(s *settling, _ *tower) { s.store.remove(collection.PlanKey("s1")) }, 3},
		"a part of a life before":   {func(s *settling, _ *tower) { s.datedAll(t, lifeBefore, s.records[0]) }, 4},
		"a part of this life":       {func(s *settling, _ *tower) { s.datedAll(t, accepted, s.records[0]) }, 3},
		"nobody knows its source":   {func(_ *settling, w *tower) { w.found[failedRuns][0].Source = "" }, 4},
		"started by hand": {func(_ *settling, w *tower) {
			for _, runs := range w.found {
				runs[0].WorkflowID = "by-hand"
			}
		}, 4},
	} {
		s, w := setup()
		c.change(s, w)
		got := sweepNow(t, w, s.store, collection.CheckDeadLetters)
		require.Equal(t, c.dead, deadCounted(got), what)
		require.Empty(t, got.Findings, what)
	}

	// A ledger that cannot be asked leaves what the engine says, and is told of.
	for _, key := range []string{collection.IndexKey("s1"), collection.PlanKey("s1"), s.records[0].ledgerKey()} {
		s, w := setup()
		s.store.trouble = func(_ int, _, called string) trouble {
			if called == key {
				return trouble{refuse: errOutage}
			}
			return trouble{}
		}
		got := sweepNow(t, w, s.store, collection.CheckDeadLetters)
		require.Equal(t, []string{"SEV3 check_failed s1"}, kinds(got), key)
		require.Equal(t, 5, deadCounted(got), key)
	}
	s, w = setup()
	s.store.set(t, s.records[0].ledgerKey(), "{\n")
	got = sweepNow(t, w, s.store, collection.CheckDeadLetters)
	require.Contains(t, got.Findings[0].Detail, s.records[0].ledgerKey()+" is damaged in line 1")
}

// TestSweepReadsALedgerPartOnce, however many of its records were stopped.
func TestSweepReadsALedgerPartOnce(t *testing.T) {
	t.Parallel()
	s := newSettling(t, pages(20), wasDelivered)
	all := make([]int, 20)
	for i := range all {
		all[i] = i
	}
	require.Zero(t, deadCounted(sweepNow(t, stoppedAgain(s, all...), s.store, collection.CheckDeadLetters)))
	require.Len(t, s.store.calls, 2+10, fmt.Sprint("the index, the plan and ten parts: ", strings.Join(s.store.calls, ", ")))
}
