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
	var out collection.LoadReplayResult
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, shortPlanOptions()), replayer.LoadReplay,
		collection.LoadReplayInput{Submission: b.in.Submission, Replay: b.in.Replay, Source: b.in.Source, Number: b.in.Number},
	).Get(ctx, &out)
	if err != nil {
		return withReason(fmt.Sprintf("load batch %d of source %s of replay %d", b.in.Number, b.in.Source, b.in.Replay), err)
	}
	for _, r := range out.Records {
		b.records = append(b.records, r.Record)
		b.replays = append(b.replays, &r.Replay)
	}
	b.results = make([]collection.RecordResult, len(b.records))
	return nil
}

// mergeLedger writes the next generation of the batch's part of the ledger. What was cancelled is the dead letter that it
// was: the ledger does not take it.
func (b *batch) mergeLedger(ctx workflow.Context, rows []collection.LedgerRow) (collection.BatchResult, error) {
	var out collection.MergeLedgerResult
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, shortPlanOptions()), replayer.MergeLedger,
		collection.MergeLedgerInput{Submission: b.in.Submission, Source: b.in.Source, Number: b.in.Number, Rows: rows},
	).Get(ctx, &out)
	if err != nil {
		return collection.BatchResult{}, withReason(
			fmt.Sprintf("merge replay %d into the ledger of batch %d of source %s", b.in.Replay, b.in.Number, b.in.Source), err)
	}
	return collection.BatchResult{Outcomes: b.outcomes, Ledger: out.Ledger}, nil
}

// startOf is what is known of a record before its workflow has done anything.
func startOf(in collection.RecordInput) collection.RecordResult {
	result := collection.RecordResult{Record: in.Record.ID}
	if in.Replay != nil {
		result.Raw, result.Attempts, result.FirstRequestAt = in.Replay.Raw, in.Replay.Attempts, in.Replay.FirstRequestAt
	}
	return result
}
