package activities

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// quietOnes are running submissions in which nothing happens, the latest first, as an engine lists them.
func quietOnes(n int) *tower {
	w := &tower{found: map[string][]Execution{}, lastEvent: map[string]time.Time{}, runs: map[string]Described{}}
	var all []Execution
	for i := range n {
		s := running(collection.WorkflowSubmission, fmt.Sprintf("s%04d", i))
		s.Started = ago(time.Hour + time.Duration(i)*time.Second)
		all = append(all, s)
		w.lastEvent[s.WorkflowID], w.runs[s.WorkflowID] = ago(time.Hour), describedAs(s, time.Time{})
	}
	w.found[`"Submission" AND ExecutionStatus="Running"`] = all
	return w
}

func sweepFor(t *testing.T, w *tower, check collection.Check, most time.Duration) collection.CheckResult {
	t.Helper()
	s := &Sweeper{Watch: w, Store: newShaky(), Clock: at(accepted), LookFor: most}
	got, err := run(t, &trial{}, s.SweepCheck, collection.CheckInput{Check: check})
	require.NoError(t, err)
	return got
}

// TestSweepKeepsWhatItFoundInTime: a check that cannot look at everything in its time tells what it has found, and counts
// the rest.
func TestSweepKeepsWhatItFoundInTime(t *testing.T) {
	t.Parallel()
	const all, quick = 40, 5
	w := quietOnes(all)
	w.onLast = func(ctx context.Context, id string) {
		if id < fmt.Sprintf("s%04d", all-quick) {
			<-ctx.Done() // all but the oldest
		}
	}
	got := sweepFor(t, w, collection.CheckProgress, 5*time.Second)
	stuck := 0
	for _, f := range got.Findings {
		if f.Kind == collection.FindingSubmissionStuck {
			stuck++
		}
	}
	require.Equal(t, quick, stuck)
	require.Equal(t, all-quick, got.Unchecked)
	require.Equal(t, quick+lookers, got.Looked)
	require.True(t, got.AtLeast)
	last := got.Findings[len(got.Findings)-1]
	require.Equal(t, collection.FindingCheckFailed, last.Kind)
	require.Contains(t, last.Detail, fmt.Sprintf("before %d more could be looked at", all-quick-lookers))
}

// TestSweepOfDeadLettersInTime: of what nobody could ask for in time, none is counted that may have been run again.
func TestSweepOfDeadLettersInTime(t *testing.T) {
	t.Parallel()
	w := &tower{found: map[string][]Execution{}}
	for i := range 150 {
		w.found[`ExecutionStatus="Failed"`] = append(w.found[`ExecutionStatus="Failed"`],
			Execution{WorkflowID: fmt.Sprintf("d/%03d", i), Source: "books", Reason: collection.ReasonTimeout, Started: ago(time.Hour), Ended: ago(time.Minute)})
	}
	w.onFind = func(ctx context.Context, query string) {
		if strings.Contains(query, "d/100") {
			<-ctx.Done()
		}
	}
	got := sweepFor(t, w, collection.CheckDeadLetters, 5*time.Second)
	require.Len(t, got.DeadLetters, 1)
	require.Equal(t, 100, got.DeadLetters[0].Records)
	require.Equal(t, 50, got.Unchecked)
	require.True(t, got.AtLeast)
}

// TestSweepLooksAtTheOldest: of more than one check looks at, those that have run the longest.
func TestSweepLooksAtTheOldest(t *testing.T) {
	t.Parallel()
	const all = maxLooked + 100
	w := quietOnes(all)
	for id := range w.lastEvent {
		w.lastEvent[id] = ago(time.Minute)
	}
	w.lastEvent[fmt.Sprintf("s%04d", all-1)] = ago(time.Hour)
	got := sweepFor(t, w, collection.CheckProgress, 0)
	require.Equal(t, []string{fmt.Sprintf("SEV2 submission_stuck s%04d", all-1)}, kinds(got))
	require.Equal(t, maxLooked, got.Looked)
	require.True(t, got.AtLeast)
}

// TestSweepLooksSideBySide, and at a bounded number of things.
func TestSweepLooksSideBySide(t *testing.T) {
	t.Parallel()
	w := quietOnes(5 * lookers)
	var inside, most atomic.Int64
	w.onLast = func(context.Context, string) {
		now := inside.Add(1)
		defer inside.Add(-1)
		for was := most.Load(); now > was && !most.CompareAndSwap(was, now); was = most.Load() {
		}
		time.Sleep(20 * time.Millisecond)
	}
	got := sweepFor(t, w, collection.CheckProgress, 0)
	require.Equal(t, 5*lookers, got.Looked)
	require.Len(t, got.Findings, 5*lookers)
	require.LessOrEqual(t, most.Load(), int64(lookers))
	require.Greater(t, most.Load(), int64(1))
	require.Equal(t, fmt.Sprintf("s%04d", 5*lookers-1), got.Findings[0].Subject, "in the order of the things, the oldest first")
}

// TestSweepIsStopped: a worker that stops is no time that is over.
func TestSweepIsStopped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	w := quietOnes(20)
	w.onLast = func(context.Context, string) { cancel() }
	s := &Sweeper{Watch: w, Store: newShaky(), Clock: at(accepted)}
	_, err := run(t, &trial{ctx: ctx}, s.SweepCheck, collection.CheckInput{Check: collection.CheckProgress})
	require.Error(t, err)
}
