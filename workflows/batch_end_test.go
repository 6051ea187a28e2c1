package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/workflows"
)

func TestBatchIsCancelledInTheMiddle(t *testing.T) {
	t.Parallel()
	const n, window = 10, 3
	e, ledger := newBatchEngine(t, n)
	started := 0
	e.record = func(ctx workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
		e.mu.Lock()
		started++
		e.mu.Unlock()
		if err := workflow.Sleep(ctx, time.Hour); err != nil {
			return collection.RecordResult{}, err
		}
		return deliveredRecord(in)
	}
	e.at(80*time.Minute, func() {
		require.Equal(t, collection.BatchStatus{
			Submission: "s", Source: "books", Number: 2, Records: n, Released: 6, InWindow: 3,
			Outcomes: collection.Tally{{Outcome: collection.OutcomeDelivered, Records: 3}},
		}, status[collection.BatchStatus](e))
	})
	e.cancelAt(90 * time.Minute)
	e.ExecuteWorkflow(workflows.Batch, batchInput(n, window))

	want := collection.Tally{
		{Outcome: collection.OutcomeCancelled, Reason: collection.ReasonCancelled, Records: 7},
		{Outcome: collection.OutcomeDelivered, Records: 3},
	}
	require.Equal(t, collection.BatchResult{Outcomes: want, Ledger: "ledger/2"}, cancelled[collection.BatchResult](e))
	require.Equal(t, 6, started)
	require.Len(t, ledger.Rows, n)
	for i, row := range ledger.Rows {
		require.Equal(t, someRecords(n)[i].ID, row.Record)
		switch {
		case i < 3:
			require.Equal(t, collection.OutcomeDelivered, row.Outcome)
		case i < 6:
			require.Equal(t, collection.OutcomeCancelled, row.Outcome)
			require.Empty(t, row.Detail)
		default:
			require.Equal(t, collection.OutcomeCancelled, row.Outcome)
			require.Equal(t, "cancelled before it was released", row.Detail)
		}
	}
}

// TestBatchIsCancelledBeforeItReleases lets the cancellation come while the records are being loaded: they are accounted
// for all the same.
func TestBatchIsCancelledBeforeItReleases(t *testing.T) {
	t.Parallel()
	e, ledger := newBatchEngine(t, 4)
	takes(e, collection.ActivityLoadBatch, time.Hour, &e.loadBatch)
	e.cancelAt(time.Minute)
	e.ExecuteWorkflow(workflows.Batch, batchInput(4, 2))
	require.Equal(t, 4, cancelled[collection.BatchResult](e).Outcomes.Of(collection.OutcomeCancelled))
	require.Len(t, ledger.Rows, 4)
	require.Empty(t, e.children)
}

// TestBatchCannotBeCancelledOnceItsRecordsHaveEnded lets the cancellation come while the ledger is written.
func TestBatchCannotBeCancelledOnceItsRecordsHaveEnded(t *testing.T) {
	t.Parallel()
	e, _ := newBatchEngine(t, 2)
	e.record = func(_ workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
		return deliveredRecord(in)
	}
	takes(e, collection.ActivityWriteLedger, time.Hour, &e.writeLedger)
	e.cancelAt(time.Minute)
	e.ExecuteWorkflow(workflows.Batch, batchInput(2, 2))
	require.Equal(t, 2, result[collection.BatchResult](e).Outcomes.Of(collection.OutcomeDelivered))
}

func TestBatchFailsWithTheReasonOfItsActivity(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		set  func(*engine)
		text string
	}{
		"load": {func(e *engine) {
			e.loadBatch = func(collection.LoadBatchInput) (collection.LoadBatchResult, error) {
				return collection.LoadBatchResult{}, reasonError(collection.ReasonInternal, collection.AttemptFailure{Detail: "it is gone"})
			}
		}, "load batch 2 of source books: it is gone"},
		"write": {func(e *engine) {
			e.writeLedger = func(collection.WriteLedgerInput) (collection.WriteLedgerResult, error) {
				return collection.WriteLedgerResult{}, reasonError(collection.ReasonInternal, collection.AttemptFailure{Detail: "too large"})
			}
		}, "write the ledger of batch 2 of source books: too large"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, _ := newBatchEngine(t, 1)
			e.record = func(_ workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
				return deliveredRecord(in)
			}
			test.set(e)
			e.ExecuteWorkflow(workflows.Batch, batchInput(1, 1))
			app := failure(e)
			require.Equal(t, string(collection.ReasonInternal), app.Type())
			require.Equal(t, test.text, app.Message())
		})
	}
}
