package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

// What a batch of a replay does otherwise than one of the submission: where its records come from, and that its part of the
// ledger stands already.

// loadReplay reads the records that are run again, and where each starts.
func (b *batch) loadReplay(ctx workflow.Context) error {
	in := collection.LoadReplayInput{Submission: b.in.Submission, Replay: b.in.Replay, Source: b.in.Source, Number: b.in.Number}
	for {
		var out collection.LoadReplayResult
		err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, shortPlanOptions()), replayer.LoadReplay, in).Get(ctx, &out)
		if err != nil {
			return withReason(fmt.Sprintf("load batch %d of source %s of replay %d", b.in.Number, b.in.Source, b.in.Replay), err)
		}
		for _, r := range out.Records {
			b.records = append(b.records, r.Record)
			b.replays = append(b.replays, &r.Replay)
		}
		if out.Next <= in.After {
			break
		}
		in.After = out.Next
	}
	b.results = make([]collection.RecordResult, len(b.records))
	return nil
}

// mergeRows writes the next generation of the batch's part of the ledger. What was cancelled is the dead letter that it
// was: the ledger does not take it. A part of the rows is merged like all of them.
func (b *batch) mergeRows(ctx workflow.Context, rows []collection.LedgerRow, _ bool) (string, error) {
	var out collection.MergeLedgerResult
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, shortPlanOptions()), replayer.MergeLedger,
		collection.MergeLedgerInput{Submission: b.in.Submission, Source: b.in.Source, Number: b.in.Number, Rows: rows},
	).Get(ctx, &out)
	return out.Ledger, err
}

// startOf is what is known of a record before its workflow has done anything.
func startOf(in collection.RecordInput) collection.RecordResult {
	result := collection.RecordResult{Record: in.Record.ID}
	if in.Replay != nil {
		result.Raw, result.Attempts, result.FirstRequestAt = in.Replay.Raw, in.Replay.Attempts, in.Replay.FirstRequestAt
	}
	return result
}
