package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/workflows"
)

func replayedRecords(n int) []collection.ReplayedRecord {
	records := make([]collection.ReplayedRecord, n)
	for i, r := range someRecords(n) {
		records[i] = collection.ReplayedRecord{Record: r, Replay: collection.RecordReplay{Raw: &raw, Attempts: i}}
	}
	return records
}

// TestReplayBatch: its records come from the replay, and its results are merged into the ledger that stands. One that fails
// again harms no other.
func TestReplayBatch(t *testing.T) {
	t.Parallel()
	e := newReplayEngine(t)
	e.withRecords()
	const n = 6
	e.loadReplay = func(in collection.LoadReplayInput) (collection.LoadReplayResult, error) {
		require.Equal(t, collection.LoadReplayInput{Submission: "s", Replay: 3, Source: "books", Number: 2}, in)
		return collection.LoadReplayResult{Records: replayedRecords(n)}, nil
	}
	e.record = func(_ workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
		i := in.Record.Line - 2
		require.Equal(t, &collection.RecordReplay{Raw: &raw, Attempts: i}, in.Replay)
		return endings[i%len(endings)].end(in)
	}
	var merged collection.MergeLedgerInput
	e.mergeLedger = func(in collection.MergeLedgerInput) (collection.MergeLedgerResult, error) {
		merged = in
		return collection.MergeLedgerResult{Ledger: "ledger/2", Kept: "ledger/2.g1"}, nil
	}
	in := batchInput(n, 3)
	in.Replay = 3
	e.ExecuteWorkflow(workflows.Batch, in)

	got := result[collection.BatchResult](e.engine)
	require.Equal(t, "ledger/2", got.Ledger)
	require.Equal(t, n, got.Outcomes.Total())
	require.Equal(t, "books", merged.Source)
	require.Equal(t, 2, merged.Number)
	require.Len(t, merged.Rows, n)
	for i, row := range merged.Rows {
		require.Equal(t, someRecords(n)[i].ID, row.Record)
		require.Equal(t, endings[i].result.Outcome, row.Outcome)
	}
}

// TestReplayBatchSkipsWhatIsDelivered: a record's workflow that has ended well meanwhile is not run again, and what it has
// done is taken over.
func TestReplayBatchSkipsWhatIsDelivered(t *testing.T) {
	t.Parallel()
	e := newReplayEngine(t)
	e.withRecords()
	e.loadReplay = func(collection.LoadReplayInput) (collection.LoadReplayResult, error) {
		return collection.LoadReplayResult{Records: replayedRecords(1)}, nil
	}
	ran := 0
	e.record = func(_ workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
		ran++
		return deliveredRecord(in)
	}
	e.findRecord = func(collection.FindInput) (collection.RecordResult, error) {
		return collection.RecordResult{Outcome: collection.OutcomeDelivered, Delivered: &delivered}, nil
	}
	var merged collection.MergeLedgerInput
	e.mergeLedger = func(in collection.MergeLedgerInput) (collection.MergeLedgerResult, error) {
		merged = in
		return collection.MergeLedgerResult{Ledger: "l"}, nil
	}
	in := batchInput(1, 3)
	in.Replay = 1
	e.ExecuteWorkflow(batchAfterRecords(someRecords(1), in))
	require.Equal(t, delivers(1), result[collection.BatchResult](e.engine).Outcomes)
	require.Equal(t, &delivered, merged.Rows[0].Delivered)
	require.Equal(t, 1, ran, "once, before the replay")
}

func TestReplayBatchThatCannotGoOn(t *testing.T) {
	t.Parallel()
	in := batchInput(1, 3)
	in.Replay = 1
	e := newReplayEngine(t)
	e.withRecords()
	e.loadReplay = func(collection.LoadReplayInput) (collection.LoadReplayResult, error) {
		return collection.LoadReplayResult{}, reasonError(collection.ReasonInternal, collection.AttemptFailure{Detail: "it is gone"})
	}
	e.ExecuteWorkflow(workflows.Batch, in)
	require.Equal(t, "load batch 2 of source books of replay 1: it is gone", failure(e.engine).Message())

	e = newReplayEngine(t)
	e.withRecords()
	e.loadReplay = func(collection.LoadReplayInput) (collection.LoadReplayResult, error) {
		return collection.LoadReplayResult{Records: replayedRecords(1)}, nil
	}
	e.record = func(_ workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
		return deliveredRecord(in)
	}
	e.mergeLedger = func(collection.MergeLedgerInput) (collection.MergeLedgerResult, error) {
		return collection.MergeLedgerResult{}, reasonError(collection.ReasonInternal, collection.AttemptFailure{Detail: "it is damaged"})
	}
	e.ExecuteWorkflow(workflows.Batch, in)
	require.Equal(t, "merge replay 1 into the ledger of batch 2 of source books: it is damaged", failure(e.engine).Message())
}

// TestReplayedRecord: kept bytes are parsed without asking the source, and what was done before is added up.
func TestReplayedRecord(t *testing.T) {
	t.Parallel()
	before := firstRequest.Add(-time.Hour)
	for name, test := range map[string]struct {
		replay collection.RecordReplay
		want   int
		fails  func(*engine)
	}{
		"from raw":     {collection.RecordReplay{Raw: &raw, Attempts: 4, FirstRequestAt: &before}, 4, func(e *engine) { e.collect = nil }},
		"from collect": {collection.RecordReplay{Attempts: 4, FirstRequestAt: &before}, 7, func(*engine) {}},
		"from raw, dead again": {collection.RecordReplay{Raw: &raw, Attempts: 4, FirstRequestAt: &before}, 4, func(e *engine) {
			e.collect = nil
			e.parse = func(collection.ParseInput) (collection.ParseResult, error) {
				return collection.ParseResult{}, reasonError(collection.ReasonParseEmpty, collection.AttemptFailure{Detail: "still nothing"})
			}
		}},
		"from collect, dead again": {collection.RecordReplay{Attempts: 4, FirstRequestAt: &before}, 9, func(e *engine) {
			e.collect = func(collection.CollectInput) (collection.CollectResult, error) {
				return collection.CollectResult{}, reasonError(collection.ReasonTimeout, collection.AttemptFailure{Detail: "slow", Attempts: 5, FirstRequestAt: &firstRequest})
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			goodStages(e)
			test.fails(e)
			in := recordInput()
			in.Replay = &test.replay
			e.ExecuteWorkflow(workflows.Record, in)
			var got collection.RecordResult
			if e.GetWorkflowError() == nil {
				got = result[collection.RecordResult](e)
				require.Equal(t, collection.OutcomeDelivered, got.Outcome)
			} else {
				require.NoError(t, failure(e).Details(&got))
			}
			require.Equal(t, test.want, got.Attempts)
			require.Equal(t, &before, got.FirstRequestAt)
		})
	}
}
