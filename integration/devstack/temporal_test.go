package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// twoSteps runs an activity, waits for a signal, and runs it again.
func twoSteps(ctx workflow.Context) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 2 * time.Minute})
	var first, second string
	if err := workflow.ExecuteActivity(ctx, "echo", "one").Get(ctx, &first); err != nil {
		return "", err
	}
	workflow.GetSignalChannel(ctx, "go on").Receive(ctx, nil)
	if err := workflow.ExecuteActivity(ctx, "echo", "two").Get(ctx, &second); err != nil {
		return "", err
	}
	return first + " " + second, nil
}

func echo(_ context.Context, text string) (string, error) { return text, nil }

func startWorker(t *testing.T, c client.Client, queue string) {
	t.Helper()
	w := worker.New(c, queue, worker.Options{})
	w.RegisterWorkflowWithOptions(twoSteps, workflow.RegisterOptions{Name: "twoSteps"})
	w.RegisterActivityWithOptions(echo, activity.RegisterOptions{Name: "echo"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
}

func TestWorkflowContinuesAfterKill(t *testing.T) {
	dir := t.TempDir()
	ctx := t.Context()
	before := start(t, dir, "--no-web")
	c := before.dial(t)
	customer := temporal.NewSearchAttributeKeyKeyword("WeirCustomer")
	// At once after the ready line, with search attributes, as an impatient client would.
	started, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: "survivor", TaskQueue: "steps", TypedSearchAttributes: temporal.NewSearchAttributes(customer.ValueSet("acme")),
	}, "twoSteps")
	require.NoError(t, err)
	startWorker(t, c, "steps")
	require.Eventually(t, func() bool { return activitiesDone(t, c, "survivor") == 1 }, 2*time.Minute, 20*time.Millisecond)
	before.kill()

	after := start(t, dir, "--no-web")
	c = after.dial(t)
	startWorker(t, c, "steps")
	require.NoError(t, c.SignalWorkflow(ctx, "survivor", "", "go on", nil))
	var result string
	require.NoError(t, c.GetWorkflow(ctx, "survivor", started.GetRunID()).Get(ctx, &result))
	require.Equal(t, "one two", result)
	requireListed(t, c, `WeirCustomer = "acme" AND ExecutionStatus = "Completed"`, "survivor")
}

func activitiesDone(t *testing.T, c client.Client, id string) int {
	done := 0
	events := c.GetWorkflowHistory(t.Context(), id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		require.NoError(t, err)
		if event.GetEventType() == enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED {
			done++
		}
	}
	return done
}

func requireListed(t *testing.T, c client.Client, query, id string) {
	t.Helper()
	require.Eventually(t, func() bool {
		list, err := c.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: query})
		require.NoError(t, err)
		return len(list.GetExecutions()) == 1 && list.GetExecutions()[0].GetExecution().GetWorkflowId() == id
	}, 2*time.Minute, 50*time.Millisecond)
}

// The folder may also have moved: nothing in it may depend on where it was.
func TestNamespaceIsBroughtUpToDateAtEveryStart(t *testing.T) {
	dir := t.TempDir()
	first := start(t, dir, "--no-web", "--retention", "1h")
	c := first.dial(t)
	cluster := clusterID(t, c)
	source := temporal.NewSearchAttributeKeyKeyword("WeirSource")
	_, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
		ID: "before the move", TaskQueue: "nobody", TypedSearchAttributes: temporal.NewSearchAttributes(source.ValueSet("shop")),
	}, "none")
	require.NoError(t, err)
	first.kill()
	moved := filepath.Join(t.TempDir(), "moved")
	require.NoError(t, os.Rename(dir, moved))

	second := start(t, moved, "--no-web", "--retention", "48h")
	c = second.dial(t)
	require.Equal(t, cluster, clusterID(t, c), "the folder's identity")
	described, err := c.WorkflowService().DescribeNamespace(t.Context(), &workflowservice.DescribeNamespaceRequest{Namespace: "default"})
	require.NoError(t, err)
	require.Equal(t, 48*time.Hour, described.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration())
	attributes, err := c.OperatorService().ListSearchAttributes(t.Context(), &operatorservice.ListSearchAttributesRequest{Namespace: "default"})
	require.NoError(t, err)
	for _, name := range searchAttributes {
		require.Equal(t, enumspb.INDEXED_VALUE_TYPE_KEYWORD, attributes.GetCustomAttributes()[name], name)
	}
	requireListed(t, c, `WeirSource = "shop"`, "before the move")
}

func clusterID(t *testing.T, c client.Client) string {
	t.Helper()
	info, err := c.WorkflowService().GetClusterInfo(t.Context(), &workflowservice.GetClusterInfoRequest{})
	require.NoError(t, err)
	require.Equal(t, "1.32.1", info.GetServerVersion())
	require.EqualValues(t, historyShards, info.GetHistoryShardCount())
	return info.GetClusterId()
}

func TestShortRetentionDeletes(t *testing.T) {
	p := start(t, t.TempDir(), "--no-web", "--retention", "1s")
	c := p.dial(t)
	_, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "brief", TaskQueue: "nobody"}, "none")
	require.NoError(t, err)
	require.NoError(t, c.TerminateWorkflow(t.Context(), "brief", "", "enough"))
	require.Eventually(t, func() bool {
		_, err := c.DescribeWorkflowExecution(t.Context(), "brief", "")
		var notFound *serviceerror.NotFound
		return errors.As(err, &notFound)
	}, 2*time.Minute, 100*time.Millisecond)
}

func TestEveryQueueIsOnePartition(t *testing.T) {
	c := start(t, t.TempDir(), "--no-web").dial(t)
	for _, queue := range []string{"weir", "collect.shop", "deliver"} {
		partitions, err := c.WorkflowService().ListTaskQueuePartitions(t.Context(), &workflowservice.ListTaskQueuePartitionsRequest{
			Namespace: "default", TaskQueue: &taskqueuepb.TaskQueue{Name: queue},
		})
		require.NoError(t, err)
		require.Len(t, partitions.GetActivityTaskQueuePartitions(), 1)
		require.Len(t, partitions.GetWorkflowTaskQueuePartitions(), 1)
	}
}

// burst schedules n activities on a queue, all at once.
func burst(ctx workflow.Context, n int) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{TaskQueue: "narrow", StartToCloseTimeout: 2 * time.Minute})
	var all []workflow.Future
	for range n {
		all = append(all, workflow.ExecuteActivity(ctx, "serve"))
	}
	for _, one := range all {
		if err := one.Get(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

func TestFairnessBetweenCustomers(t *testing.T) {
	const crowd, few = 60, 3
	c := start(t, t.TempDir(), "--no-web").dial(t)
	bursts := worker.New(c, "bursts", worker.Options{})
	bursts.RegisterWorkflowWithOptions(burst, workflow.RegisterOptions{Name: "burst"})
	require.NoError(t, bursts.Start())
	t.Cleanup(bursts.Stop)

	var runs []client.WorkflowRun
	backlog := 0
	for _, submission := range []struct {
		customer string
		tasks    int
	}{{"crowd", crowd}, {"few", few}} {
		run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
			ID: submission.customer, TaskQueue: "bursts", Priority: temporal.Priority{FairnessKey: submission.customer},
		}, "burst", submission.tasks)
		require.NoError(t, err)
		runs = append(runs, run)
		backlog += submission.tasks
		require.Eventually(t, func() bool { return waiting(t, c, "narrow") >= backlog }, 2*time.Minute, 100*time.Millisecond)
	}

	served := &order{}
	narrow := worker.New(c, "narrow", worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: 1, MaxConcurrentActivityTaskPollers: 1})
	narrow.RegisterActivityWithOptions(served.serve, activity.RegisterOptions{Name: "serve"})
	require.NoError(t, narrow.Start())
	t.Cleanup(narrow.Stop)
	for _, run := range runs {
		require.NoError(t, run.Get(t.Context(), nil))
	}
	// Without fairness the few would come last, after the crowd that was there before them.
	require.Len(t, served.customers, crowd+few)
	require.Less(t, served.last("few"), 4*few, "%v", served.customers)
}

func waiting(t *testing.T, c client.Client, queue string) int {
	described, err := c.WorkflowService().DescribeTaskQueue(t.Context(), &workflowservice.DescribeTaskQueueRequest{
		Namespace: "default", TaskQueue: &taskqueuepb.TaskQueue{Name: queue},
		TaskQueueType: enumspb.TASK_QUEUE_TYPE_ACTIVITY, ReportStats: true,
	})
	require.NoError(t, err)
	return int(described.GetStats().GetApproximateBacklogCount())
}

// order remembers whose activities ran, in order.
type order struct {
	mu        sync.Mutex
	customers []string
}

func (o *order) serve(ctx context.Context) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.customers = append(o.customers, activity.GetInfo(ctx).Priority.FairnessKey)
	return nil
}

func (o *order) last(customer string) int {
	at := -1
	for i, c := range o.customers {
		if c == customer {
			at = i
		}
	}
	return at
}
