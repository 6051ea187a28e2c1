package workflows_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/workflows"
)

// recorded are the histories that a deployed version left behind. TestRecordHistories of package integration makes them.
func recorded(t *testing.T) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "replay", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, names, "without histories nothing is replayed")
	histories := map[string][]byte{}
	for _, name := range names {
		body, err := os.ReadFile(name)
		require.NoError(t, err)
		histories[strings.TrimSuffix(filepath.Base(name), ".json")] = body
	}
	return histories
}

func parseHistory(t *testing.T, body []byte) *historypb.History {
	t.Helper()
	h, err := client.HistoryFromJSON(bytes.NewReader(body), client.HistoryJSONOptions{})
	require.NoError(t, err)
	require.NotEmpty(t, h.GetEvents())
	return h
}

func replay(h *historypb.History) error {
	// A busy machine may keep any workflow waiting for a second.
	replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{DisableDeadlockDetection: true})
	if err != nil {
		return err
	}
	workflows.Register(replayer)
	started := h.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes()
	return replayer.ReplayWorkflowHistoryWithOptions(quiet{}, h, worker.ReplayWorkflowHistoryOptions{
		// A submission's children are named after it.
		OriginalExecution: workflow.Execution{ID: started.GetWorkflowId(), RunID: started.GetOriginalExecutionRunId()},
	})
}

// TestReplay runs today's workflow code against every recorded history: it must issue the commands that were issued then.
func TestReplay(t *testing.T) {
	t.Parallel()
	for name, body := range recorded(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, replay(parseHistory(t, body)))
		})
	}
}

// TestReplayNoticesAChange replays histories of workflows that did something else.
func TestReplayNoticesAChange(t *testing.T) {
	t.Parallel()
	for name, body := range recorded(t) {
		switch {
		case strings.HasPrefix(name, "delivered-record-"):
			body = bytes.ReplaceAll(body, []byte(`{"name":"Deliver"}`), []byte(`{"name":"Store"}`))
		case strings.HasPrefix(name, "replayed-batch-"), strings.HasPrefix(name, "replayed-replay-1"):
			body = bytes.ReplaceAll(body, []byte(`"workflowId":"replayed/`), []byte(`"workflowId":"others/`))
		case strings.HasPrefix(name, "delivered-batch-"), strings.HasPrefix(name, "delivered-submission-"):
			body = bytes.ReplaceAll(body, []byte(`"workflowId":"delivered/`), []byte(`"workflowId":"others/`))
		default:
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.ErrorContains(t, replay(parseHistory(t, body)), "[TMPRL1100]")
		})
	}
}

// TestRecordedHistoriesCoverEveryBranch says what must have happened in them, as workflow type and event type.
func TestRecordedHistoriesCoverEveryBranch(t *testing.T) {
	t.Parallel()
	missing := map[string]bool{
		"Submission WorkflowExecutionCompleted":                      true,
		"Submission WorkflowExecutionFailed":                         true,
		"Submission WorkflowExecutionCanceled":                       true,
		"Submission WorkflowExecutionTerminated":                     true,
		"Submission WorkflowExecutionSignaled":                       true,
		"Submission UpsertWorkflowSearchAttributes":                  true,
		"Submission StartChildWorkflowExecutionFailed":               true,
		"Submission ChildWorkflowExecutionCanceled":                  true,
		"Submission RequestCancelExternalWorkflowExecutionInitiated": true,
		"Submission MarkerRecorded":                                  true,
		"Redeliver WorkflowExecutionCompleted":                       true,
		"Batch WorkflowExecutionCompleted":                           true,
		"Batch WorkflowExecutionCanceled":                            true,
		"Batch WorkflowExecutionTerminated":                          true,
		"Batch ChildWorkflowExecutionFailed":                         true,
		"Batch ChildWorkflowExecutionCanceled":                       true,
		"Batch StartChildWorkflowExecutionFailed":                    true,
		"Batch SignalExternalWorkflowExecutionInitiated":             true,
		"Batch TimerFired":                                           true,
		"Record WorkflowExecutionCompleted":                          true,
		"Record WorkflowExecutionFailed":                             true,
		"Record WorkflowExecutionCanceled":                           true,
		"Record ActivityTaskFailed":                                  true,
		"Record ActivityTaskCanceled":                                true,
		"Replay WorkflowExecutionCompleted":                          true,
		"Replay WorkflowExecutionCanceled":                           true,
		"Replay ChildWorkflowExecutionCompleted":                     true,
		"Replay ChildWorkflowExecutionCanceled":                      true,
		"Replay WorkflowExecutionSignaled":                           true,
	}
	retried := false
	for _, body := range recorded(t) {
		events := parseHistory(t, body).GetEvents()
		name := events[0].GetWorkflowExecutionStartedEventAttributes().GetWorkflowType().GetName()
		for _, e := range events {
			delete(missing, name+" "+e.GetEventType().String())
			if e.GetEventType() == enumspb.EVENT_TYPE_ACTIVITY_TASK_STARTED {
				retried = retried || e.GetActivityTaskStartedEventAttributes().GetAttempt() > 1
			}
		}
	}
	require.Empty(t, missing)
	require.True(t, retried, "an activity that needed a second attempt")
}

// TestRecordedHistoriesNameNoMachine keeps fixtures fit to be published.
func TestRecordedHistoriesNameNoMachine(t *testing.T) {
	t.Parallel()
	host, err := os.Hostname()
	require.NoError(t, err)
	for name, body := range recorded(t) {
		require.NotContains(t, string(body), "weir@", name)
		require.NotContains(t, string(body), `"`+host+`:`, name)
		for _, e := range parseHistory(t, body).GetEvents() {
			require.NotRegexp(t, `(^|[^a-z])/(home|root|tmp|work|Users)/`, e.String(), name)
		}
	}
}
