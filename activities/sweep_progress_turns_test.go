package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// TestSweepLeavesWhoWaitsForTheirTurn: a submission behind others at sources that work is not stuck, one at an idle source is.
func TestSweepLeavesWhoWaitsForTheirTurn(t *testing.T) {
	t.Parallel()
	const endedAtBooks = `ExecutionStatus IN ("Completed", "Failed") AND WeirSource="books" AND CloseTime > `
	works := func(flying int, lost bool) []lease.SourceView {
		return []lease.SourceView{{Source: "books", Open: true, InFlight: flying, Workers: []lease.WorkerView{{Worker: "w1", InFlight: flying, Lost: lost}}}}
	}
	check := func(change func(*tower)) []string {
		w := quietSubmission()
		w.table = works(0, false)
		change(w)
		return kinds(sweepNow(t, w, newShaky(), collection.CheckProgress))
	}
	stuck := []string{"SEV2 submission_stuck s1"}
	require.Equal(t, stuck, check(func(*tower) {}))
	require.Empty(t, check(func(w *tower) { w.table = works(1, false) }), "another's request is in flight")
	require.Equal(t, stuck, check(func(w *tower) { w.table = works(1, true) }), "of a worker that is lost")
	require.Empty(t, check(func(w *tower) { w.counts[endedAtBooks] = 2 }), "others' records end there")
	require.Equal(t, stuck, check(func(w *tower) {
		w.table = works(1, false)
		w.counts[`"Record" AND ExecutionStatus="Running" AND WorkflowId STARTS_WITH "s1/"`] = 0
	}), "it has no record that could wait for its turn")
	require.Equal(t, stuck, check(func(w *tower) {
		w.table = append(works(1, false), lease.SourceView{Source: "idle", Open: true})
		batches := `"Batch" AND ExecutionStatus="Running" AND WorkflowId STARTS_WITH "s1/"`
		other := running(collection.WorkflowBatch, "s1/idle/1")
		other.Source = "idle"
		w.found[batches] = append(w.found[batches], other)
		w.runs["s1/idle/1"] = describedAs(other, time.Time{})
	}), "one of its sources does nothing")
}
