package integration

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/starter"
)

// forget makes the engine forget workflows, as it does by itself when its retention is over. The least retention of a
// namespace is an hour, which no test can wait for; to whoever asks, a deleted workflow is the same as an expired one.
func forget(t *testing.T, f *harness.Fleet, ids ...string) {
	t.Helper()
	for _, id := range ids {
		_, err := f.Engine.WorkflowService().DeleteWorkflowExecution(t.Context(), &workflowservice.DeleteWorkflowExecutionRequest{
			Namespace: f.Stack.Namespace, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: id},
		})
		require.NoError(t, err)
	}
	for _, id := range ids {
		until(t, time.Minute, "the engine to forget "+id, func() bool {
			_, err := f.Engine.DescribeWorkflowExecution(t.Context(), id, "")
			var missing *serviceerror.NotFound
			return errors.As(err, &missing)
		})
	}
}

// told is everything that weir answers about a submission and its records, without the ground on which it stands.
type told struct {
	Status  collection.SubmissionStatus
	Rows    []collection.LedgerRow
	Records map[string]starter.RecordAnswer
}

func tell(t *testing.T, f *harness.Fleet, submission string, records []string) told {
	t.Helper()
	answer := told{Records: map[string]starter.RecordAnswer{}}
	var err error
	answer.Status, err = f.Client.Status(t.Context(), submission)
	require.NoError(t, err)
	if answer.Status.Expected > 0 {
		for row, err := range f.Client.Records(t.Context(), submission, starter.Filter{}) {
			require.NoError(t, err)
			answer.Rows = append(answer.Rows, row)
		}
	}
	for _, r := range records {
		got, err := f.Client.Record(t.Context(), submission, r)
		require.NoError(t, err, r)
		got.Ground = ""
		answer.Records[r] = got
	}
	return answer
}

// TestAnswersOutliveTheEngine asks the same while workers run, with all of them stopped, and after the engine has forgotten
// (I01, C7 93): of a submission with every kind of outcome, of one that could not be planned, and of one that was terminated.
func TestAnswersOutliveTheEngine(t *testing.T) {
	books := site(t, "127.0.0.1")
	books.SetAnswer(func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/page/1":
			http.NotFound(w, r)
		case "/page/2":
			http.Error(w, "no", http.StatusForbidden)
		case "/page/3":
			w.Header().Set("Content-Type", "text/html")
		default:
			return false
		}
		return true
	})
	f := fleet(t, steady(harness.Options{LogLevel: "error", Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 4}}}))
	w := startWorker(t, f)
	submission := submitCSV(t, f, pages(6, books)+"http://unknown.example/x\n"+books.URL+"/page/0\n")
	wait(t, f, submission, time.Minute)
	var names, workflows []string
	for row, err := range f.Client.Records(t.Context(), submission, starter.Filter{}) {
		require.NoError(t, err)
		if collection.IsRecordID(row.Record) && row.Outcome != collection.OutcomeDuplicate {
			names = append(names, row.Record, row.Key)
			workflows = append(workflows, collection.RecordWorkflowID(submission, row.Record))
		}
	}
	require.Len(t, names, 12)

	unplanned, stopped := id(t)+"-unplanned", id(t)+"-stopped"
	_, err := f.Engine.ExecuteWorkflow(t.Context(), startOf(unplanned), collection.WorkflowSubmission,
		collection.SubmissionInput{Customer: "acme", Upload: "uploads/acme/nothing/f.csv"})
	require.NoError(t, err)
	require.Equal(t, collection.StateFailed, wait(t, f, unplanned, time.Minute).State)
	books.SetLatency(2 * time.Minute) // it is not to end by itself
	submit(t, f, starter.Request{ID: stopped, Records: []json.RawMessage{json.RawMessage(`{"url":"` + books.URL + `/slow"}`)}})
	until(t, time.Minute, "the request", func() bool { return books.Asked("/slow") > 0 })
	require.NoError(t, f.Engine.TerminateWorkflow(t.Context(), stopped, "", "played"))
	until(t, time.Minute, "the sweep to keep both ends", func() bool {
		_, err := f.Client.SweepNow(t.Context(), collection.SweepInput{})
		require.NoError(t, err)
		for _, name := range []string{unplanned, stopped} {
			if _, err := f.Store.Head(t.Context(), collection.EndKey(name)); err != nil {
				return false
			}
		}
		return true
	})

	all := func() map[string]told {
		return map[string]told{
			"settled": tell(t, f, submission, names), "unplanned": tell(t, f, unplanned, nil), "stopped": tell(t, f, stopped, nil),
		}
	}
	with := all()
	require.Equal(t, collection.ReasonUploadMissing, with["unplanned"].Status.Reason)
	require.Equal(t, collection.ReasonTerminated, with["stopped"].Status.Reason)
	require.NoError(t, w.Stop())
	require.Equal(t, with, all(), "with all workers stopped")
	forget(t, f, append(workflows, submission, unplanned, stopped)...)
	require.Equal(t, with, all(), "after the engine has forgotten")
}

// TestStatusOfARunningSubmissionWithoutWorkers compares the query with what its history tells once all workers are stopped.
func TestStatusOfARunningSubmissionWithoutWorkers(t *testing.T) {
	books := site(t, "127.0.0.1")
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	books.SetAnswer(func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.URL.Path, "/page/") && r.URL.Path >= "/page/5" {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
		return false
	})
	f := fleet(t, harness.Options{LogLevel: "error", Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 8}}})
	w := startWorker(t, f)
	submission := submitCSV(t, f, pages(9, books))
	until(t, time.Minute, "five deliveries", func() bool { return deliveredOf(t, f, submission) == 5 })
	var asked collection.SubmissionStatus
	until(t, time.Minute, "the batch to tell of them", func() bool {
		var err error
		asked, err = f.Client.Status(t.Context(), submission)
		require.NoError(t, err)
		return asked.Outcomes.Of(collection.OutcomeDelivered) == 5
	})
	w.Kill()
	began := time.Now()
	read, err := f.Client.Status(t.Context(), submission)
	require.NoError(t, err)
	t.Logf("figure: the status of a running submission without any worker took %s", time.Since(began).Round(time.Millisecond))
	require.Len(t, read.Notes, 1)
	require.Contains(t, read.Notes[0], "no worker answers")
	read.Notes = asked.Notes
	require.Equal(t, asked, read)
	require.NoError(t, f.Client.Cancel(context.Background(), submission, "played"))
}

// TestJanitor plays the janitor against the real store: old objects are those that the configuration of this fleet calls so.
func TestJanitor(t *testing.T) {
	books := site(t, "127.0.0.1")
	f := ownFleet(t, harness.Options{LogLevel: "error", Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 4}}})
	startWorker(t, f)
	submission := submitCSV(t, f, pages(3, books))
	wait(t, f, submission, time.Minute)
	plan, err := f.Client.Tidy(t.Context(), true)
	require.NoError(t, err)
	require.Len(t, plan.Classes, len(collection.ObjectClasses()))
	for _, c := range plan.Classes {
		require.Zero(t, c.Deleted, c.Class)
		require.Empty(t, c.Problem, c.Class)
	}
	done, err := f.Client.Tidy(t.Context(), false)
	require.NoError(t, err)
	require.False(t, done.DryRun)
	deliveredOnce(t, f, submission, 3)
	until(t, time.Minute, "the last janitor", func() bool {
		last, err := f.Client.LastTidy(t.Context())
		return err == nil && last.EndedAt.Equal(done.EndedAt)
	})
	rules, err := f.Client.Lifecycle()
	require.NoError(t, err)
	require.ErrorIs(t, rules.SetExpiries(t.Context(), nil), starter.ErrNoLifecycle, "the embedded store has no lifecycle rules")
}

func startOf(id string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{ID: id, TaskQueue: collection.QueueWorkflows}
}
