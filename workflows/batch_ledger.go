package workflows

import (
	"encoding/json"
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

// writeLedger stores how the batch's records have ended.
func (b *batch) writeLedger(ctx workflow.Context) (collection.BatchResult, error) {
	rows := make([]collection.LedgerRow, len(b.records))
	for i, r := range b.records {
		rows[i] = collection.LedgerRow{Line: r.Line, Key: r.Key, Source: b.in.Source, RecordResult: b.results[i]}
	}
	write, doing := b.storeRows, "write the ledger of"
	if b.in.Replay > 0 {
		write, doing = b.mergeRows, fmt.Sprintf("merge replay %d into the ledger of", b.in.Replay)
	}
	result := collection.BatchResult{Outcomes: b.outcomes}
	calls, err := ledgerCalls(ctx, rows)
	for _, some := range calls {
		if err == nil {
			result.Ledger, err = write(ctx, some, len(calls) > 1)
		}
	}
	if err != nil {
		return collection.BatchResult{}, withReason(fmt.Sprintf("%s batch %d of source %s", doing, b.in.Number, b.in.Source), err)
	}
	return result, nil
}

func (b *batch) storeRows(ctx workflow.Context, rows []collection.LedgerRow, part bool) (string, error) {
	var out collection.WriteLedgerResult
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, shortPlanOptions()), batches.WriteLedger,
		collection.WriteLedgerInput{
			Submission: b.in.Submission, Source: b.in.Source, Number: b.in.Number, Rows: rows, Part: part,
		}).Get(ctx, &out)
	return out.Ledger, err
}

// versionLedgerCalls marks batches that write their ledger by several calls. One that was about to write it by a single one
// must not do otherwise when it is replayed.
const versionLedgerCalls = "ledger-calls"

// ledgerCalls cuts rows into what goes into one call each. A target decides how long its URLs are, and the rows of one batch
// may be more than an activity's input can hold; most often they are a quarter of that.
func ledgerCalls(ctx workflow.Context, rows []collection.LedgerRow) ([][]collection.LedgerRow, error) {
	var calls [][]collection.LedgerRow
	start, size := 0, 0
	for i, row := range rows {
		encoded, err := json.Marshal(row)
		if err != nil {
			return nil, fmt.Errorf("encode the ledger row of record %s: %w", row.Record, err)
		}
		// A comma stands between two.
		one := len(encoded) + 1
		if size+one > collection.MaxCall && i > start {
			calls = append(calls, rows[start:i])
			start, size = i, 0
		}
		size += one
	}
	calls = append(calls, rows[start:])
	if len(calls) > 1 && workflow.GetVersion(ctx, versionLedgerCalls, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return [][]collection.LedgerRow{rows}, nil
	}
	return calls, nil
}
