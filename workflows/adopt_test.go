package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/workflows"
)

// ranBefore runs a child workflow to its end, as an earlier run of the same workflow would have.
func ranBefore(ctx workflow.Context, name, id string, in any) error {
	o := workflow.ChildWorkflowOptions{WorkflowID: id}
	return workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, o), name, in).Get(ctx, nil)
}

// batchAfterRecords is a batch of which the first records ran before.
func batchAfterRecords(records []collection.Record, batch collection.BatchInput) func(workflow.Context) (collection.BatchResult, error) {
	return func(ctx workflow.Context) (collection.BatchResult, error) {
		for _, r := range records {
			if err := ranBefore(ctx, collection.WorkflowRecord, "s/"+r.ID, collection.RecordInput{Record: r}); err != nil {
				return collection.BatchResult{}, err
			}
		}
		return workflows.Batch(ctx, batch)
	}
}

func TestBatchAdoptsRecordsThatRanBefore(t *testing.T) {
	t.Parallel()
	e, ledger := newBatchEngine(t, 4)
	records := someRecords(4)
	e.record = func(_ workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
		return deliveredRecord(in)
	}
	found := map[string]func() (collection.RecordResult, error){
		"s/" + records[0].ID: func() (collection.RecordResult, error) {
			return collection.RecordResult{Record: records[0].ID, Outcome: collection.OutcomeGone, Reason: collection.ReasonGone}, nil
		},
		"s/" + records[1].ID: func() (collection.RecordResult, error) {
			r := collection.RecordResult{Record: records[1].ID, Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonParseEmpty}
			return collection.RecordResult{}, temporal.NewNonRetryableApplicationError("empty", string(r.Reason), nil, r)
		},
		"s/" + records[2].ID: func() (collection.RecordResult, error) {
			// It was terminated, and left no result that could name its record.
			r := collection.RecordResult{Outcome: collection.OutcomeCancelled, Reason: collection.ReasonTerminated}
			return collection.RecordResult{}, temporal.NewNonRetryableApplicationError("", string(r.Reason), nil, r)
		},
	}
	e.findRecord = func(in collection.FindInput) (collection.RecordResult, error) { return found[in.WorkflowID]() }
	e.ExecuteWorkflow(batchAfterRecords(records[:3], batchInput(4, 4)))
	var want collection.Tally
	want.Add(collection.OutcomeGone, collection.ReasonGone, 1)
	want.Add(collection.OutcomeDeadLettered, collection.ReasonParseEmpty, 1)
	want.Add(collection.OutcomeCancelled, collection.ReasonTerminated, 1)
	want.Add(collection.OutcomeDelivered, "", 1)
	require.Equal(t, want, result[collection.BatchResult](e).Outcomes)
	require.Len(t, ledger.Rows, 4)
	for i, row := range ledger.Rows {
		require.Equal(t, records[i].ID, row.Record)
	}
}

// TestBatchCancelsWhatItAdopted: a workflow that is not our child does not hear of our cancellation by itself.
func TestBatchCancelsWhatItAdopted(t *testing.T) {
	t.Parallel()
	for name, asked := range map[string]error{"it runs": nil, "it has just ended": temporal.NewNonRetryableApplicationError("ended", "", nil)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, ledger := newBatchEngine(t, 1)
			records := someRecords(1)
			e.record = func(_ workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
				return deliveredRecord(in)
			}
			e.findRecord = func(collection.FindInput) (collection.RecordResult, error) {
				return collection.RecordResult{Record: records[0].ID, Outcome: collection.OutcomeDelivered, Attempts: 1}, nil
			}
			takes(e, collection.ActivityFindRecord, time.Hour, &e.findRecord)
			e.OnRequestCancelExternalWorkflow(mock.Anything, "s/"+records[0].ID, "").Return(asked).Once()
			e.cancelAt(time.Minute)
			e.ExecuteWorkflow(batchAfterRecords(records, batchInput(1, 1)))
			got := cancelled[collection.BatchResult](e)
			require.Equal(t, 1, got.Outcomes.Of(collection.OutcomeDelivered), "what it has come to is a fact")
			require.Len(t, ledger.Rows, 1)
			e.AssertExpectations(t)
		})
	}
}

func TestSubmissionAdoptsABatchThatRanBefore(t *testing.T) {
	t.Parallel()
	e := newSubmissionEngine(t, planOf(map[string]int{"books": 2}))
	e.findBatch = func(in collection.FindInput) (collection.BatchResult, error) {
		require.Equal(t, collection.FindInput{WorkflowID: "s/books/1"}, in)
		return collection.BatchResult{Outcomes: collection.Tally{{Outcome: collection.OutcomeGone, Reason: collection.ReasonGone, Records: 10}}}, nil
	}
	e.ExecuteWorkflow(func(ctx workflow.Context, in collection.SubmissionInput) (collection.SubmissionResult, error) {
		if err := ranBefore(ctx, collection.WorkflowBatch, "s/books/1", collection.BatchInput{}); err != nil {
			return collection.SubmissionResult{}, err
		}
		return workflows.Submission(ctx, in)
	}, submissionInput())
	require.Equal(t, settled, result[collection.SubmissionResult](e))
	require.Equal(t, []collection.SourceProgress{{Source: "books", Records: 20, Released: 20, Outcomes: collection.Tally{
		{Outcome: collection.OutcomeDelivered, Records: 10},
		{Outcome: collection.OutcomeGone, Reason: collection.ReasonGone, Records: 10},
	}}}, status[collection.SubmissionStatus](e).Sources)
}
