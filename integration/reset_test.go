package integration

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
)

// historyOf reads a run's history; an empty run is the latest.
func historyOf(t *testing.T, f *harness.Fleet, id, run string) *historypb.History {
	t.Helper()
	h := &historypb.History{}
	events := f.Engine.GetWorkflowHistory(context.Background(), id, run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		h.Events = append(h.Events, event)
	}
	return h
}

// untilEvent waits for an event of a workflow's latest run.
func untilEvent(t *testing.T, f *harness.Fleet, id string, want enumspb.EventType) {
	t.Helper()
	until(t, time.Minute, want.String(), func() bool {
		for _, e := range historyOf(t, f, id, "").GetEvents() {
			if e.GetEventType() == want {
				return true
			}
		}
		return false
	})
}

// resetTo lets a workflow begin again after one of its completed workflow tasks.
func resetTo(t *testing.T, f *harness.Fleet, id string, event int64) {
	t.Helper()
	_, err := f.Engine.ResetWorkflowExecution(context.Background(), &workflowservice.ResetWorkflowExecutionRequest{
		Namespace: f.Stack.Namespace, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: id}, Reason: "a test",
		WorkflowTaskFinishEventId: event, RequestId: rand.Text(),
	})
	require.NoError(t, err)
}

// tasks are the ids of the events with which a workflow's tasks were completed.
func tasks(t *testing.T, f *harness.Fleet, id string) []int64 {
	t.Helper()
	var ids []int64
	for _, e := range historyOf(t, f, id, "").GetEvents() {
		if e.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			ids = append(ids, e.GetEventId())
		}
	}
	require.NotEmpty(t, ids)
	return ids
}

func resetToStart(t *testing.T, f *harness.Fleet, id string) {
	t.Helper()
	resetTo(t, f, id, tasks(t, f, id)[0])
}

// TestResetSubmission resets a submission to before its plan and to after the start of its batch while it runs, and once
// it has ended. Its batches are not stopped by that: the new run adopts them, and nothing is collected twice.
func TestResetSubmission(t *testing.T) {
	const records = 10
	tests := map[string]struct {
		ended bool
		point func([]int64) int64
	}{
		"running to its start":     {point: func(ids []int64) int64 { return ids[0] }},
		"running to its last task": {point: func(ids []int64) int64 { return ids[len(ids)-1] }},
		"ended to its start":       {ended: true, point: func(ids []int64) int64 { return ids[0] }},
		"ended to its last task":   {ended: true, point: func(ids []int64) int64 { return ids[len(ids)-1] }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			books := site(t, "127.0.0.1")
			books.SetLatency(200 * time.Millisecond)
			f := fleet(t, steady(harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 1}}}))
			startWorker(t, f)
			submission := submitCSV(t, f, pages(records, books))
			if test.ended {
				wait(t, f, submission, time.Minute)
			} else {
				until(t, time.Minute, "requests", func() bool { return books.Ledger().Paths >= 4 })
			}
			resetTo(t, f, submission, test.point(tasks(t, f, submission)))
			wait(t, f, submission, time.Minute)
			deliveredOnce(t, f, submission, records)
			require.Equal(t, records, books.Ledger().Requests)
		})
	}
}

// TestCancelAfterReset: the batch is no child of the new run, and is stopped with it all the same.
func TestCancelAfterReset(t *testing.T) {
	books := site(t, "127.0.0.1")
	books.SetLatency(time.Second) // it is to be cancelled before it has ended
	f := fleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 1}}})
	startWorker(t, f)
	submission := submitCSV(t, f, pages(40, books))
	until(t, time.Minute, "requests", func() bool { return books.Ledger().Paths >= 2 })
	resetToStart(t, f, submission)
	untilEvent(t, f, submission, enumspb.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_FAILED)
	require.NoError(t, f.Client.Cancel(t.Context(), submission, "a test"))
	status := wait(t, f, submission, time.Minute)
	require.Equal(t, collection.StateCancelled, status.State)
	require.Equal(t, 40, status.Outcomes.Total())
	require.Equal(t, status.Outcomes.Of(collection.OutcomeDelivered), deliveredOf(t, f, submission), "nothing goes on after the manifest")
	require.NotZero(t, status.Outcomes.Of(collection.OutcomeCancelled))
	batch, err := f.Engine.DescribeWorkflowExecution(t.Context(), collection.BatchWorkflowID(submission, "books", 1), "")
	require.NoError(t, err)
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED, batch.GetWorkflowExecutionInfo().GetStatus())
}

// TestDrillHistoryLength counts the events of a full batch and its submission.
func TestDrillHistoryLength(t *testing.T) {
	longDrill(t)
	const records, most = 500, 5000
	books := site(t, "127.0.0.1")
	f := fleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 8}}})
	startWorker(t, f)
	submission := submitCSV(t, f, pages(records, books))
	wait(t, f, submission, 5*time.Minute)
	root := len(historyOf(t, f, submission, "").GetEvents())
	batch := len(historyOf(t, f, collection.BatchWorkflowID(submission, "books", 1), "").GetEvents())
	require.Less(t, root, most)
	require.Less(t, batch, most)
	t.Logf("figure: %d records: %d events in the batch's history, %d in the submission's", records, batch, root)
}
