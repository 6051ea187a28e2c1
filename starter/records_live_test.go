package starter_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// ofBatch2 is the question for the records of the batch that runs, which is the second of the books.
const ofBatch2 = `WorkflowType = "Record" AND ParentWorkflowId = "acme-1/books/2" AND StartTime >= "2026-03-01T10:00:00Z"`

// runOf is a run of a record's workflow that began some time after the submission.
func runOf(record string, status enumspb.WorkflowExecutionStatus, reason collection.Reason, after time.Duration) *workflowpb.WorkflowExecutionInfo {
	info := failedRun(collection.RecordWorkflowID(submission, record), "books", reason, accepted.Add(after))
	info.Status, info.StartTime = status, timestamppb.New(accepted.Add(after))
	return info
}

// TestRecordsOfARunningBatch: a batch writes its ledger when it has ended; a record of it that has failed for good is a dead letter
// before, and one that has ended otherwise is told apart from one that has not.
func TestRecordsOfARunningBatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		runs    []*workflowpb.WorkflowExecutionInfo
		err     error
		outcome collection.Outcome
		reason  collection.Reason
		detail  string
		pending int
		ended   int
	}{
		"it has not begun":    {nil, nil, starter.OutcomePending, "", "", 1, 0},
		"it runs":             {[]*workflowpb.WorkflowExecutionInfo{runOf(bookID(3), running, "", 1)}, nil, starter.OutcomePending, "", "", 1, 0},
		"it has failed":       {[]*workflowpb.WorkflowExecutionInfo{runOf(bookID(3), failed, "parse_empty", 1)}, nil, collection.OutcomeDeadLettered, "parse_empty", "", 0, 0},
		"it has ended":        {[]*workflowpb.WorkflowExecutionInfo{runOf(bookID(3), completed, "", 1)}, nil, starter.OutcomePending, "", "it has ended, its batch has not", 1, 1},
		"it was stopped":      {[]*workflowpb.WorkflowExecutionInfo{runOf(bookID(3), terminated, "", 1)}, nil, starter.OutcomePending, "", "it has ended", 1, 1},
		"it failed, and runs": {[]*workflowpb.WorkflowExecutionInfo{runOf(bookID(3), running, "", 2), runOf(bookID(3), failed, "timeout", 1)}, nil, starter.OutcomePending, "", "", 1, 0},
		"it ran, and failed":  {[]*workflowpb.WorkflowExecutionInfo{runOf(bookID(3), completed, "", 1), runOf(bookID(3), failed, "timeout", 2)}, nil, collection.OutcomeDeadLettered, "timeout", "", 0, 0},
		"nobody can tell":     {nil, errDown, starter.OutcomePending, "", "", 1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := setup(t)
			if c.err != nil {
				tr.engine.On("ListWorkflow", mock.Anything, mock.Anything).Return(nil, c.err)
			} else {
				tr.lists(ofBatch2, c.runs)
			}
			tr.underway()
			all, err := pages(t, tr, starter.Filter{}, starter.Cursor{Source: "books", Part: 2})
			require.NoError(t, err)
			row := all[0].Rows[0]
			require.Equal(t, bookID(3), row.Record)
			require.Equal(t, bookURL(3), row.Key)
			require.Equal(t, c.outcome, row.Outcome)
			require.Equal(t, c.reason, row.Reason)
			require.Contains(t, row.Detail, c.detail)
			require.Equal(t, c.detail == "", row.Detail == "")
			require.Equal(t, [2]int{c.pending, c.ended}, [2]int{all[0].Pending, all[0].Ended})
			require.Zero(t, all[1].Pending, "the other's batch has ended")
		})
	}
}

// TestPendingWhateverIsAskedFor: who asks for dead letters is told as well that some may not be known yet.
func TestPendingWhateverIsAskedFor(t *testing.T) {
	t.Parallel()
	all, err := pages(t, setup(t).underway(), starter.Filter{Outcome: collection.OutcomeDeadLettered}, starter.Cursor{})
	require.NoError(t, err)
	pending := 0
	for _, page := range all {
		pending += page.Pending
	}
	require.Equal(t, 1, pending)
	s, err := setup(t).underway().client.Sample(t.Context(), submission, starter.Filter{Outcome: collection.OutcomeDelivered}, 5, 1)
	require.NoError(t, err)
	require.Equal(t, 1, s.Pending)
}
