package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/workflows"
)

func batchInput(records, window int) collection.BatchInput {
	return collection.BatchInput{
		Submission: "s", Customer: "acme", Source: "books", Number: 2, Records: records, AcceptedAt: acceptedAt,
		Policy: policy(window), ProgressStep: 1,
	}
}

// newBatchEngine is an engine whose batch holds n records, and that keeps the ledger it is given.
func newBatchEngine(t testing.TB, n int) (*engine, *collection.WriteLedgerInput) {
	e := newEngine(t).withRecords()
	ledger := &collection.WriteLedgerInput{}
	e.loadBatch = func(in collection.LoadBatchInput) (collection.LoadBatchResult, error) {
		require.Equal(t, collection.LoadBatchInput{Submission: "s", Source: "books", Number: 2}, in)
		return collection.LoadBatchResult{Records: someRecords(n)}, nil
	}
	e.writeLedger = func(in collection.WriteLedgerInput) (collection.WriteLedgerResult, error) {
		*ledger = in
		return collection.WriteLedgerResult{Ledger: "ledger/2"}, nil
	}
	return e, ledger
}

func deliveredRecord(in collection.RecordInput) (collection.RecordResult, error) {
	return collection.RecordResult{Record: in.Record.ID, Outcome: collection.OutcomeDelivered, Attempts: 1}, nil
}

// endings are the ways in which a record's workflow may end, and what the batch makes of each.
var endings = []struct {
	name   string
	end    func(collection.RecordInput) (collection.RecordResult, error)
	result collection.RecordResult
}{
	{"delivered", deliveredRecord, collection.RecordResult{Outcome: collection.OutcomeDelivered, Attempts: 1}},
	{"gone", func(in collection.RecordInput) (collection.RecordResult, error) {
		return collection.RecordResult{Record: in.Record.ID, Outcome: collection.OutcomeGone, Reason: collection.ReasonGone}, nil
	}, collection.RecordResult{Outcome: collection.OutcomeGone, Reason: collection.ReasonGone}},
	{"dead letter", func(in collection.RecordInput) (collection.RecordResult, error) {
		r := collection.RecordResult{
			Record: in.Record.ID, Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonServerError, Detail: "503", Attempts: 5,
		}
		return collection.RecordResult{}, temporal.NewNonRetryableApplicationError("503", string(r.Reason), nil, r)
	}, collection.RecordResult{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonServerError, Detail: "503", Attempts: 5}},
	{"defect", func(collection.RecordInput) (collection.RecordResult, error) {
		return collection.RecordResult{}, temporal.NewNonRetryableApplicationError("no such field", "wrapError", nil)
	}, collection.RecordResult{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonInternal, Detail: "wrapError: no such field"}},
	{"terminated", func(collection.RecordInput) (collection.RecordResult, error) {
		return collection.RecordResult{}, &temporal.TerminatedError{}
	}, collection.RecordResult{Outcome: collection.OutcomeCancelled, Reason: collection.ReasonTerminated, Detail: "the record's workflow was terminated"}},
	{"cancelled by itself", func(collection.RecordInput) (collection.RecordResult, error) {
		return collection.RecordResult{}, temporal.NewCanceledError()
	}, collection.RecordResult{Outcome: collection.OutcomeCancelled, Reason: collection.ReasonCancelled}},
}

func TestBatchWritesHowEveryRecordEnded(t *testing.T) {
	t.Parallel()
	n := 2 * len(endings)
	e, ledger := newBatchEngine(t, n)
	records := someRecords(n)
	e.record = func(ctx workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
		i := in.Record.Line - 2
		require.Equal(t, collection.RecordInput{
			Submission: "s", Customer: "acme", Source: "books", Batch: 2, AcceptedAt: acceptedAt, Record: records[i], Policy: policy(3),
		}, in)
		// The last ends first.
		require.NoError(t, workflow.Sleep(ctx, time.Duration(n-i)*time.Hour))
		return endings[i%len(endings)].end(in)
	}
	e.ExecuteWorkflow(workflows.Batch, batchInput(n, 3))

	var rows []collection.LedgerRow
	var tally collection.Tally
	for i, r := range records {
		want := endings[i%len(endings)].result
		want.Record = r.ID
		rows = append(rows, collection.LedgerRow{Line: r.Line, Key: r.Key, Source: "books", RecordResult: want})
		tally.Add(want.Outcome, want.Reason, 1)
	}
	require.Equal(t, collection.BatchResult{Outcomes: tally, Ledger: "ledger/2"}, result[collection.BatchResult](e))
	require.Equal(t, collection.WriteLedgerInput{Submission: "s", Source: "books", Number: 2, Rows: rows}, *ledger)
	for _, r := range records {
		o := e.children["s/"+r.ID]
		require.Equal(t, collection.QueueWorkflows, o.TaskQueue)
		require.Equal(t, enumspb.PARENT_CLOSE_POLICY_TERMINATE, o.ParentClosePolicy)
		require.Equal(t, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY, o.WorkflowIDReusePolicy)
		require.True(t, o.WaitForCancellation)
		require.Equal(t, r.URL, o.StaticSummary)
		require.Equal(t, attributes("acme", "books"), o.TypedSearchAttributes)
	}
}

func attributes(customer, source string) temporal.SearchAttributes {
	return temporal.NewSearchAttributes(
		temporal.NewSearchAttributeKeyKeyword(collection.AttributeCustomer).ValueSet(customer),
		temporal.NewSearchAttributeKeyKeyword(collection.AttributeSource).ValueSet(source))
}

// TestBatchKeepsToItsWindow lets records of any number take any time and end in any way: never do more run than the window
// allows, the window is used as far as there are records, and they are released in their order.
func TestBatchKeepsToItsWindow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 25).Draw(rt, "records")
		window := rapid.IntRange(1, 8).Draw(rt, "window")
		minutes := rapid.SliceOfN(rapid.IntRange(0, 90), n, n).Draw(rt, "minutes")
		ways := rapid.SliceOfN(rapid.IntRange(0, len(endings)-1), n, n).Draw(rt, "endings")
		e, ledger := newBatchEngine(t, n)
		var running, peak int
		var order []int
		e.record = func(ctx workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
			i := in.Record.Line - 2
			e.mu.Lock()
			running++
			peak = max(peak, running)
			order = append(order, i)
			e.mu.Unlock()
			err := workflow.Sleep(ctx, time.Duration(1+minutes[i])*time.Minute)
			e.mu.Lock()
			running--
			e.mu.Unlock()
			if err != nil {
				return collection.RecordResult{}, err
			}
			return endings[ways[i]].end(in)
		}
		e.ExecuteWorkflow(workflows.Batch, batchInput(n, window))

		got := result[collection.BatchResult](e)
		if peak != min(window, n) {
			rt.Fatalf("at most %d of %d records ran at a time, the window is %d", peak, n, window)
		}
		if got.Outcomes.Total() != n || len(ledger.Rows) != n || len(order) != n {
			rt.Fatalf("%d records: %d ran, %d outcomes, %d ledger rows", n, len(order), got.Outcomes.Total(), len(ledger.Rows))
		}
		for i, row := range ledger.Rows {
			// Records that are released together start in any order.
			if at := order[i]; at >= i+window || i >= at+window {
				rt.Fatalf("record %d was the %d. to start: %v", at, i, order)
			}
			if row.Line != i+2 || row.Outcome != endings[ways[i]].result.Outcome {
				rt.Fatalf("ledger row %d is %+v", i, row)
			}
		}
	})
}
