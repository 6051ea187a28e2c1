package workflows_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/workflows"
)

// payloadLimit is Temporal's, for one payload.
const payloadLimit = 2 << 20

// largestResult is the largest that a target can make of a record: JSON writes each & as six bytes.
func largestResult(id string) collection.RecordResult {
	at := time.Date(2026, 3, 1, 10, 0, 0, 123456789, time.UTC)
	long := func(n int) string { return strings.Repeat("&", n) }
	name := strings.Repeat("n", 63)
	r := collection.RecordResult{
		Record: id, Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonRobotsUnreachable, Detail: long(collection.MaxDetail),
		Attempts: 1 << 30, FirstRequestAt: &at,
		Raw: &collection.Raw{
			Key: collection.RawKey(strings.Repeat("s", 100), id, strings.Repeat("a", 64)), SHA256: strings.Repeat("a", 64), Size: 1 << 40,
			URL: "https://books.example/?" + long(8<<10), Status: 200, ContentType: long(256), FetchedAt: at, Method: name, Egress: name, NotModifiedAt: &at,
		},
		Trail: &collection.Trail{Robots: &collection.RobotsDecision{Allowed: true, Rule: "Allow: /" + long(500), Line: 1 << 20, FetchedAt: &at}},
	}
	for range collection.MaxTrail + 1 {
		*r.Trail = r.Trail.Add(collection.AttemptLine{
			At: at, Queue: 1 << 40, Backoff: 1 << 40, Permit: 1 << 40, Pace: 1 << 40, Took: 1 << 40, Method: name, Egress: name, Status: 503,
			Reason: collection.ReasonRobotsUnreachable,
		})
	}
	for range collection.MaxMissing {
		r.Missing = append(r.Missing, name)
	}
	return r
}

func sizeOf(t testing.TB, v any) int {
	body, err := json.Marshal(v)
	require.NoError(t, err)
	return len(body)
}

// TestLargestLedger: a batch of the largest rows is written by calls that the engine takes, and every row once.
func TestLargestLedger(t *testing.T) {
	t.Parallel()
	const n = 500
	e, _ := newBatchEngine(t, n)
	e.record = func(_ workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
		return largestResult(in.Record.ID), nil
	}
	var ids []string
	calls := 0
	e.writeLedger = func(in collection.WriteLedgerInput) (collection.WriteLedgerResult, error) {
		calls++
		require.True(t, in.Part)
		require.Less(t, sizeOf(t, in), payloadLimit)
		for _, row := range in.Rows {
			ids = append(ids, row.Record)
		}
		return collection.WriteLedgerResult{Ledger: "ledger/2"}, nil
	}
	e.ExecuteWorkflow(workflows.Batch, batchInput(n, 50))
	require.Equal(t, "ledger/2", result[collection.BatchResult](e).Ledger)
	t.Logf("the largest row has %d bytes; %d calls write %d", sizeOf(t, largestResult(someRecords(1)[0].ID)), calls, n)
	require.Greater(t, calls, 10)
	require.Len(t, ids, n)
	for i, r := range someRecords(n) {
		require.Equal(t, r.ID, ids[i])
	}
}

// TestLargestMerge is the same for a replay, whose records come by several calls as well.
func TestLargestMerge(t *testing.T) {
	t.Parallel()
	const n = 100
	e := newReplayEngine(t)
	e.withRecords()
	e.loadReplay = func(in collection.LoadReplayInput) (collection.LoadReplayResult, error) {
		out := collection.LoadReplayResult{Records: replayedRecords(n)[in.After:]}
		if in.After < n-30 {
			out.Records, out.Next = out.Records[:30], in.After+30
		}
		return out, nil
	}
	e.record = func(_ workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
		return largestResult(in.Record.ID), nil
	}
	calls, rows := 0, 0
	e.mergeLedger = func(in collection.MergeLedgerInput) (collection.MergeLedgerResult, error) {
		calls++
		rows += len(in.Rows)
		require.Less(t, sizeOf(t, in), payloadLimit)
		return collection.MergeLedgerResult{Ledger: "l"}, nil
	}
	in := batchInput(n, 50)
	in.Replay = 1
	e.ExecuteWorkflow(workflows.Batch, in)
	require.Equal(t, n, result[collection.BatchResult](e.engine).Outcomes.Total())
	require.Greater(t, calls, 2)
	require.Equal(t, n, rows)
}

// TestLedgerOfAnOlderBatch: one that has begun to write its ledger by a single call goes on so.
func TestLedgerOfAnOlderBatch(t *testing.T) {
	t.Parallel()
	e, ledger := newBatchEngine(t, 100)
	e.OnGetVersion("ledger-calls", workflow.DefaultVersion, workflow.Version(1)).Return(workflow.DefaultVersion)
	e.record = func(_ workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
		return largestResult(in.Record.ID), nil
	}
	e.ExecuteWorkflow(workflows.Batch, batchInput(100, 50))
	result[collection.BatchResult](e)
	require.Len(t, ledger.Rows, 100)
	require.False(t, ledger.Part)
}

// TestSmallLedgerIsOneCall, and no version is asked for: the histories of such batches stay as they are.
func TestSmallLedgerIsOneCall(t *testing.T) {
	t.Parallel()
	e, ledger := newBatchEngine(t, 3)
	e.record = func(_ workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
		return deliveredRecord(in)
	}
	e.ExecuteWorkflow(workflows.Batch, batchInput(3, 3))
	result[collection.BatchResult](e)
	require.Len(t, ledger.Rows, 3)
	require.False(t, ledger.Part)
}

// TestReplayOfALostDelivery: the record's workflow has ended well, and is started again all the same; no other is.
func TestReplayOfALostDelivery(t *testing.T) {
	t.Parallel()
	e := newReplayEngine(t)
	e.withRecords()
	e.loadReplay = func(collection.LoadReplayInput) (collection.LoadReplayResult, error) {
		records := replayedRecords(2)
		records[0].Replay.Redeliver = true
		return collection.LoadReplayResult{Records: records}, nil
	}
	e.record = func(_ workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
		return deliveredRecord(in)
	}
	e.mergeLedger = func(collection.MergeLedgerInput) (collection.MergeLedgerResult, error) {
		return collection.MergeLedgerResult{Ledger: "l"}, nil
	}
	in := batchInput(2, 3)
	in.Replay = 1
	e.ExecuteWorkflow(workflows.Batch, in)
	require.Equal(t, delivers(2), result[collection.BatchResult](e.engine).Outcomes)
	policy := func(i int) enumspb.WorkflowIdReusePolicy {
		return e.children[collection.RecordWorkflowID("s", someRecords(2)[i].ID)].WorkflowIDReusePolicy
	}
	require.Equal(t, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, policy(0))
	require.Equal(t, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY, policy(1))
}
