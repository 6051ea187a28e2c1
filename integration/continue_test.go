package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/workflows"
)

// TestOwnerContinuesUnderLoad has workers renew, at the same time and without a break, while the owner goes from run to
// run: no renewal is lost, refused or handled twice, and what operators have said stays. The engine suggests a new run when
// a history has 4 MB, so renewals that name a thousand sources make runs short.
func TestOwnerContinuesUnderLoad(t *testing.T) {
	const workers, renewals, sources = 4, 15, 1000
	f := ownFleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: "127.0.0.1", Ceiling: 4}}})
	fleetWorker := worker.New(f.Engine, collection.QueueFleet, worker.Options{DeadlockDetectionTimeout: time.Minute})
	workflows.RegisterFleet(fleetWorker)
	require.NoError(t, fleetWorker.Start())
	defer fleetWorker.Stop()
	start := client.StartWorkflowOptions{
		ID: collection.CeilingsID, TaskQueue: collection.QueueFleet,
		// With renewals of this size, a busy machine may need more than the usual 10 s for a task.
		WorkflowTaskTimeout: 2 * time.Minute,
	}
	_, err := f.Engine.ExecuteWorkflow(t.Context(), start, collection.WorkflowCeilings, workflows.CeilingsInput{First: true})
	require.NoError(t, err)
	configured := ask(t, f, collection.UpdateConfigure, workflows.ConfigureInput{
		Config: "one", Since: 1, Settings: lease.Settings{TTL: 300_000}, // longer than this takes
		Sources: []lease.SourceConfig{{Source: "books", Ceiling: 4}, {Source: "films", Ceiling: 4}},
	}, nil)
	require.NoError(t, configured)
	command(t, f, collection.UpdatePause, collection.SourceCommand{Source: "films", Reason: "to be kept"})

	began := time.Now()
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() { renewMany(t, f, fmt.Sprintf("worker-%d", w), renewals, sources) })
	}
	group.Wait()
	took := time.Since(began)

	runs, handled := ownerRuns(t, f)
	require.GreaterOrEqual(t, runs, 3)
	require.Len(t, handled, workers*renewals)
	for renewal, times := range handled {
		require.Equal(t, 1, times, renewal)
	}
	require.Equal(t, "to be kept", row(t, f, "films").Paused.Reason)
	require.Len(t, row(t, f, "books").Workers, workers)
	info, err := f.Engine.DescribeWorkflowExecution(t.Context(), collection.CeilingsID, "")
	require.NoError(t, err)
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, info.GetWorkflowExecutionInfo().GetStatus())
	t.Logf("figure: %d renewals of %d workers over %d runs of the owner, each handled once, in %s", workers*renewals, workers, runs, took.Round(time.Millisecond))
}

// ask sends an update to the owner, as a worker does.
func ask(t *testing.T, f *harness.Fleet, name string, in, out any) error {
	handle, err := f.Engine.UpdateWorkflow(t.Context(), client.UpdateWorkflowOptions{
		WorkflowID: collection.CeilingsID, UpdateName: name, Args: []any{in}, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err != nil {
		return err
	}
	return handle.Get(t.Context(), out)
}

// renewMany renews one worker's lease again and again; each renewal must be answered, and be the newest.
func renewMany(t *testing.T, f *harness.Fleet, name string, renewals, sources int) {
	holder := lease.NewHolder(name)
	for range renewals {
		uses := []lease.Use{{Source: "books", Waiting: 2}}
		for i := range sources {
			uses = append(uses, lease.Use{Source: fmt.Sprintf("unknown-%s-%04d", strings.Repeat("x", 60), i)})
		}
		in := workflows.LeaseInput{Request: holder.Next(time.Now(), uses, nil), Config: "one", Since: 1}
		var result workflows.LeaseResult
		if err := ask(t, f, collection.UpdateLease, in, &result); err != nil {
			t.Errorf("%s, renewal %d: %v", name, in.Request.Sequence, err)
			return
		}
		if result.Answer.Stale || !holder.Receive(time.Now(), result.Answer) {
			t.Errorf("%s: the answer to renewal %d is of no use", name, in.Request.Sequence)
		}
	}
}

// ownerRuns counts the owner's runs, and how often each renewal was handled.
func ownerRuns(t *testing.T, f *harness.Fleet) (runs int, handled map[string]int) {
	t.Helper()
	handled = map[string]int{}
	var ids []string
	until(t, time.Minute, "the list of runs", func() bool {
		list, err := f.Engine.ListWorkflow(context.Background(), &workflowservice.ListWorkflowExecutionsRequest{
			Namespace: f.Stack.Namespace, Query: fmt.Sprintf("WorkflowId = %q", collection.CeilingsID),
		})
		require.NoError(t, err)
		ids = nil
		running := 0
		for _, info := range list.GetExecutions() {
			ids = append(ids, info.GetExecution().GetRunId())
			if info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
				running++
			}
		}
		return running == 1
	})
	for _, id := range ids {
		for _, e := range historyOf(t, f, collection.CeilingsID, id).GetEvents() {
			if e.GetEventType() != enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED {
				continue
			}
			input := e.GetWorkflowExecutionUpdateAcceptedEventAttributes().GetAcceptedRequest().GetInput()
			if input.GetName() != collection.UpdateLease {
				continue
			}
			var in workflows.LeaseInput
			require.NoError(t, json.Unmarshal(input.GetArgs().GetPayloads()[0].GetData(), &in))
			handled[fmt.Sprintf("%s %d", in.Request.Worker, in.Request.Sequence)]++
		}
	}
	return len(ids), handled
}

// TestOwnerKeepsNoNonsense: a command that is refused is answered with a sentence, and leaves no event.
func TestOwnerKeepsNoNonsense(t *testing.T) {
	f := ownFleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: "127.0.0.1", Ceiling: 4}}})
	startWorker(t, f)
	until(t, time.Minute, "the configuration", func() bool {
		rows, err := f.Client.Sources(t.Context())
		return err == nil && len(rows) == 1
	})
	_, err := f.Client.Command(t.Context(), collection.UpdatePause, collection.SourceCommand{Source: "boks", By: "test"})
	require.ErrorContains(t, err, `source "boks" is not known: check the name against those that are (books)`)
	var app *temporal.ApplicationError
	require.True(t, errors.As(err, &app))
	require.True(t, app.NonRetryable())
	command(t, f, collection.UpdatePause, collection.SourceCommand{Source: "books", Reason: "no nonsense"})
	paused := 0
	for _, e := range historyOf(t, f, collection.CeilingsID, "").GetEvents() {
		if e.GetWorkflowExecutionUpdateAcceptedEventAttributes().GetAcceptedRequest().GetInput().GetName() == collection.UpdatePause {
			paused++
		}
		require.NotContains(t, e.String(), "boks")
	}
	require.Equal(t, 1, paused)
}
