package workflows_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

// report is one signal of a batch to its submission.
type report struct {
	At time.Duration
	collection.BatchProgress
}

// reportsOf runs a batch below a parent and collects what it reports. Each record takes an hour, or what pace says.
func reportsOf(t *testing.T, in collection.BatchInput, pace func(record int) time.Duration) []report {
	t.Helper()
	e, _ := newBatchEngine(t, in.Records)
	e.record = func(ctx workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
		if err := workflow.Sleep(ctx, pace(in.Record.Line-2)); err != nil {
			return collection.RecordResult{}, err
		}
		return deliveredRecord(in)
	}
	start := e.Now()
	var reports []report
	e.signalled = func(ctx workflow.Context, s signal) error {
		require.Equal(t, collection.SignalBatchProgress, s.Name)
		require.Equal(t, "default-test-workflow-id", s.To)
		require.Empty(t, s.Run, "whatever run of the submission is current")
		r := report{At: workflow.Now(ctx).Sub(start), BatchProgress: s.Arg.(collection.BatchProgress)}
		r.Outcomes = slices.Clone(r.Outcomes) // the workflow goes on counting
		reports = append(reports, r)
		return nil
	}
	e.ExecuteWorkflow(func(ctx workflow.Context) (collection.BatchResult, error) {
		var out collection.BatchResult
		o := workflow.ChildWorkflowOptions{WorkflowID: "s/books/2"}
		err := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, o), collection.WorkflowBatch, in).Get(ctx, &out)
		return out, err
	})
	require.Equal(t, in.Records, result[collection.BatchResult](e).Outcomes.Total())
	for i, r := range reports {
		require.Equal(t, "books", r.Source)
		require.Equal(t, 2, r.Number)
		if i > 0 {
			require.GreaterOrEqual(t, r.Released, reports[i-1].Released)
			require.GreaterOrEqual(t, r.Outcomes.Total(), reports[i-1].Outcomes.Total())
		}
	}
	return reports
}

func TestBatchReportsInSteps(t *testing.T) {
	t.Parallel()
	in := batchInput(20, 1)
	in.ProgressStep = 10
	reports := reportsOf(t, in, func(int) time.Duration { return time.Hour })
	var moves []int
	for _, r := range reports {
		moves = append(moves, r.Released+r.Outcomes.Total())
	}
	// The last record is released at the 39th move, which is told at once; the 40th is in the result.
	require.Equal(t, []int{11, 21, 31, 39}, moves)
	require.Equal(t, 20, reports[3].Released)
}

func TestBatchReportsNotTooOften(t *testing.T) {
	t.Parallel()
	reports := reportsOf(t, batchInput(60, 1), func(int) time.Duration { return 500 * time.Millisecond })
	require.NotEmpty(t, reports)
	for i, r := range reports[1:] {
		if r.Released < 60 {
			require.GreaterOrEqual(t, r.At-reports[i].At, 3*time.Second)
		}
	}
	require.LessOrEqual(t, len(reports), 12, "thirty seconds, one report every three, and the last release")
}

// TestBatchReportsItsLastReleaseAtOnce releases the last record between two reports, however long the step.
func TestBatchReportsItsLastReleaseAtOnce(t *testing.T) {
	t.Parallel()
	in := batchInput(3, 2)
	in.ProgressStep = 1000
	reports := reportsOf(t, in, func(i int) time.Duration { return []time.Duration{time.Second, 48 * time.Hour, 48 * time.Hour}[i] })
	require.Equal(t, []report{{At: time.Second, BatchProgress: collection.BatchProgress{
		Source: "books", Number: 2, Released: 3, Outcomes: collection.Tally{{Outcome: collection.OutcomeDelivered, Records: 1}},
	}}}, reports)
}

// TestBatchGoesOnWhenItCannotReport has a submission that is gone.
func TestBatchGoesOnWhenItCannotReport(t *testing.T) {
	t.Parallel()
	e, ledger := newBatchEngine(t, 5)
	e.record = func(ctx workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
		_ = workflow.Sleep(ctx, time.Minute)
		return deliveredRecord(in)
	}
	signals := 0
	e.signalled = func(workflow.Context, signal) error {
		signals++
		return errors.New("it has ended")
	}
	e.ExecuteWorkflow(func(ctx workflow.Context) error {
		return workflow.ExecuteChildWorkflow(ctx, collection.WorkflowBatch, batchInput(5, 2)).Get(ctx, nil)
	})
	require.NoError(t, e.GetWorkflowError())
	require.Len(t, ledger.Rows, 5)
	require.NotZero(t, signals)
}
