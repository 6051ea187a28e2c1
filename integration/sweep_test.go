package integration

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/integration/sourcesite"
	"github.com/weir-collect/weir/starter"
)

// sweepQuiet is how long nothing may happen, in these tests.
const sweepQuiet = 3 * time.Second

// sweepNow runs a sweep.
func sweepNow(t *testing.T, f *harness.Fleet) starter.SweepAnswer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), slower*time.Minute)
	defer cancel()
	answer, err := f.Client.SweepNow(ctx, collection.SweepInput{QuietAfter: collection.Duration(sweepQuiet)})
	require.NoError(t, err)
	for _, c := range answer.Checks {
		require.Zero(t, c.Unchecked, "%+v", answer.Findings)
	}
	return answer
}

// found are the findings of a kind.
func found(a starter.SweepAnswer, kind collection.FindingKind) []collection.Finding {
	var some []collection.Finding
	for _, f := range a.Findings {
		if f.Kind == kind {
			some = append(some, f)
		}
	}
	return some
}

// untilFound sweeps until there is one finding of a kind: searches lag behind.
func untilFound(t *testing.T, f *harness.Fleet, kind collection.FindingKind) collection.Finding {
	t.Helper()
	var some []collection.Finding
	until(t, time.Minute, string(kind), func() bool {
		some = found(sweepNow(t, f), kind)
		return len(some) > 0
	})
	require.Len(t, some, 1)
	return some[0]
}

// TestSweep plays what a sweep is for, one after the other, on a stack of its own.
func TestSweep(t *testing.T) {
	books := site(t, "127.0.0.1")
	f := ownFleet(t, steady(harness.Options{LogLevel: "error", Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 2}}}))
	w := startWorker(t, f)
	sweepOfNothing(t, f, books)
	sweepOfSchedules(t, f, w)
	sweepOfDeadLetters(t, f, books)
	sweepOfEnds(t, f, books)
	sweepOfOrphans(t, f, books)
	sweepOfUnpolled(t, f)
	sweepOfFailingTasks(t, f)
}

// sweepOfNothing: nothing is wrong, and that is said.
func sweepOfNothing(t *testing.T, f *harness.Fleet, books *sourcesite.Site) {
	until(t, time.Minute, "the schedules", func() bool {
		_, err := f.Engine.ScheduleClient().GetHandle(t.Context(), collection.JanitorScheduleID).Describe(t.Context())
		return err == nil
	})
	require.Equal(t, collection.StateComplete, wait(t, f, submitCSV(t, f, pages(2, books)), time.Minute).State)
	began := time.Now()
	answer := sweepNow(t, f)
	t.Logf("figure: a sweep that finds nothing took %s", time.Since(began).Round(time.Millisecond))
	require.Empty(t, answer.Findings)
	require.Len(t, answer.Checks, len(collection.SweepChecks()))
	require.False(t, answer.Schedule.Paused || answer.Schedule.Missing)
	until(t, time.Minute, "the last sweep", func() bool {
		last, err := f.Client.Sweep(t.Context())
		return err == nil && last.Run == answer.Run && last.EndedAt.Equal(answer.EndedAt)
	})
}

// sweepOfSchedules: a schedule that somebody has paused stays so when a worker starts, and is reported.
func sweepOfSchedules(t *testing.T, f *harness.Fleet, w *harness.Worker) {
	janitor := f.Engine.ScheduleClient().GetHandle(t.Context(), collection.JanitorScheduleID)
	require.NoError(t, janitor.Pause(t.Context(), client.SchedulePauseOptions{Note: "an audit"}))
	require.NoError(t, w.Stop())
	startWorker(t, f)
	off := untilFound(t, f, collection.FindingScheduleOff)
	require.Equal(t, collection.JanitorScheduleID, off.Subject)
	require.Contains(t, off.Detail, "an audit")
	require.NoError(t, janitor.Unpause(t.Context(), client.ScheduleUnpauseOptions{}))
}

// sweepOfDeadLetters: what failed is counted until it was run again.
func sweepOfDeadLetters(t *testing.T, f *harness.Fleet, books *sourcesite.Site) {
	books.SetAnswer(func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "no", http.StatusForbidden)
		return true
	})
	submission := submitCSV(t, f, pages(3, books))
	wait(t, f, submission, time.Minute)
	dead := func() int {
		n := 0
		for _, d := range sweepNow(t, f).DeadLetters {
			require.Equal(t, "books", d.Source)
			require.Equal(t, collection.ReasonBlocked, d.Reason)
			require.Less(t, time.Since(d.Oldest), 10*time.Minute)
			n += d.Records
		}
		return n
	}
	until(t, time.Minute, "three dead letters", func() bool { return dead() == 3 })
	books.SetAnswer(nil)

	// One of them is run again, as a replay does it: the same workflow id.
	for row, err := range f.Client.Records(t.Context(), submission, starter.Filter{}) {
		require.NoError(t, err)
		run, err := f.Engine.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
			ID: collection.RecordWorkflowID(submission, row.Record), TaskQueue: collection.QueueWorkflows,
			WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY,
		}, collection.WorkflowRecord, collection.RecordInput{
			Submission: submission, Customer: "acme", Source: "books", Batch: 1, AcceptedAt: time.Now(),
			Record: collection.Record{ID: row.Record, Line: row.Line, Key: row.Key, URL: row.Key},
			Policy: collection.SourcePolicy{HeartbeatTimeout: collection.Duration(5 * time.Second), GiveUpAfter: collection.Duration(time.Minute)},
		})
		require.NoError(t, err)
		require.NoError(t, run.Get(t.Context(), nil))
		break
	}
	until(t, time.Minute, "two dead letters", func() bool { return dead() == 2 })
}

// sweepOfEnds: a submission whose settlement fails is a broken promise, one that was terminated is somebody's wish; both
// ends are kept.
func sweepOfEnds(t *testing.T, f *harness.Fleet, books *sourcesite.Site) {
	// Neither is to end by itself.
	release := holdAnswers(books)
	lost, stopped := id(t)+"-lost", id(t)+"-stopped"
	for _, name := range []string{lost, stopped} {
		submit(t, f, starter.Request{ID: name, Records: []json.RawMessage{json.RawMessage(`{"url":"` + books.URL + `/` + name + `"}`)}})
		until(t, time.Minute, "the plan", func() bool {
			_, err := f.Store.Head(t.Context(), collection.PlanKey(name))
			return err == nil
		})
	}
	require.NoError(t, f.Store.Delete(t.Context(), []string{collection.PlanKey(lost)}))
	require.NoError(t, f.Engine.TerminateWorkflow(t.Context(), stopped, "", "played"))
	release()
	require.Equal(t, collection.StateFailed, wait(t, f, lost, time.Minute).State)
	failed := untilFound(t, f, collection.FindingSubmissionFailed)
	require.Equal(t, lost, failed.Subject)
	require.Equal(t, collection.SEV1, failed.Severity)
	for _, name := range []string{lost, stopped} {
		_, err := f.Store.Head(t.Context(), collection.EndKey(name))
		require.NoError(t, err, name)
	}
	books.SetAnswer(nil)
}

// sweepOfOrphans: a submission that is reset and then terminated leaves its batch running; the sweep stops it.
func sweepOfOrphans(t *testing.T, f *harness.Fleet, books *sourcesite.Site) {
	books.SetLatency(2 * time.Minute)
	defer books.SetLatency(0)
	submission := submitCSV(t, f, pages(4, books))
	batch := collection.BatchWorkflowID(submission, "books", 1)
	status := func() enumspb.WorkflowExecutionStatus {
		d, err := f.Engine.DescribeWorkflowExecution(t.Context(), batch, "")
		if err != nil {
			return enumspb.WORKFLOW_EXECUTION_STATUS_UNSPECIFIED
		}
		return d.GetWorkflowExecutionInfo().GetStatus()
	}
	until(t, time.Minute, "the batch", func() bool { return status() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING })
	resetToStart(t, f, submission)
	untilEvent(t, f, submission, enumspb.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_FAILED)
	require.NoError(t, f.Engine.TerminateWorkflow(t.Context(), submission, "", "played"))
	time.Sleep(sweepQuiet)
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, status(), "nobody has told it")
	orphan := untilFound(t, f, collection.FindingOrphan)
	require.Equal(t, batch, orphan.Subject)
	require.True(t, orphan.Mended)
	until(t, time.Minute, "the end of the batch", func() bool { return status() == enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED })
}

// sweepOfUnpolled: a record of a source that no worker has.
func sweepOfUnpolled(t *testing.T, f *harness.Fleet) {
	record := collection.Record{ID: collection.RecordID("ghost", "k"), Line: 1, Key: "k", URL: "http://ghost.example/"}
	line, err := json.Marshal(record)
	require.NoError(t, err)
	name := id(t) + "-ghost"
	_, err = f.Store.Put(t.Context(), collection.BatchKey(name, "ghost", 1), line, "")
	require.NoError(t, err)
	run, err := f.Engine.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: collection.BatchWorkflowID(name, "ghost", 1), TaskQueue: collection.QueueWorkflows,
		TypedSearchAttributes: temporal.NewSearchAttributes(temporal.NewSearchAttributeKeyKeyword(collection.AttributeSource).ValueSet("ghost")),
	}, collection.WorkflowBatch, collection.BatchInput{Submission: name, Customer: "acme", Source: "ghost", Number: 1, Records: 1, AcceptedAt: time.Now(),
		Policy: collection.SourcePolicy{Window: 1, HeartbeatTimeout: collection.Duration(time.Second), GiveUpAfter: collection.Duration(time.Hour)}})
	require.NoError(t, err)
	unpolled := untilFound(t, f, collection.FindingQueueUnpolled)
	require.Equal(t, collection.QueueCollect("ghost"), unpolled.Subject)
	require.Equal(t, 1, unpolled.Records)
	require.Equal(t, collection.SEV2, unpolled.Severity)
	require.NoError(t, f.Engine.TerminateWorkflow(t.Context(), run.GetID(), "", "played"))
}

// sweepOfFailingTasks: a running workflow that no worker's code can take on.
func sweepOfFailingTasks(t *testing.T, f *harness.Fleet) {
	run, err := f.Engine.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: id(t) + "-odd", TaskQueue: collection.QueueWorkflows,
	}, "Unheard")
	require.NoError(t, err)
	failing := untilFound(t, f, collection.FindingTaskFailing)
	require.Equal(t, run.GetID(), failing.Subject)
	require.NoError(t, f.Engine.TerminateWorkflow(t.Context(), run.GetID(), "", "played"))
}

// TestRecordSweeps keeps the histories of a sweep and of a janitor for the replay test of package workflows. See
// TestRecordHistories.
func TestRecordSweeps(t *testing.T) {
	if os.Getenv(envRecord) != "1" {
		t.Skip("set " + envRecord + "=1 on the deployed commit to record histories anew")
	}
	books := site(t, "127.0.0.1")
	f := ownFleet(t, harness.Options{LogLevel: "error", Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 2}}})
	startWorker(t, f)
	sweepNow(t, f)
	_, err := f.Client.Tidy(t.Context(), true)
	require.NoError(t, err)
	p := &scene{T: t, fleet: f, books: books, id: "outside"}
	p.keep(map[string]bool{}, p.list(`WorkflowType IN ("Sweep", "Janitor") AND ExecutionStatus="Completed"`))
}
