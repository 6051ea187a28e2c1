package telemetry

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

func TestIdentity(t *testing.T) {
	t.Parallel()
	record := collection.RecordID("shop", "https://example.com/a")
	for id, want := range map[string][]any{
		"order-7": {"submission", "order-7"},
		collection.RecordWorkflowID("order-7", record):    {"submission", "order-7", "record", record},
		collection.BatchWorkflowID("order-7", "shop", 12): {"submission", "order-7", "source", "shop", "batch", "12"},
		"weir/ceilings": nil,
		"":              nil,
		"/a/b":          nil,
		"a/b/c/d":       nil,
	} {
		require.Equal(t, want, identity(id), id)
	}
}

// failOnce is an activity that logs, fails, and logs again in its second attempt.
func failOnce(ctx context.Context) error {
	activity.GetLogger(ctx).Info("at work", "detail", "x")
	if activity.GetInfo(ctx).Attempt == 1 {
		return errors.New("once more")
	}
	return nil
}

func logsAndWorks(ctx workflow.Context) error {
	workflow.GetLogger(ctx).Info("planned")
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second},
	})
	return workflow.ExecuteActivity(ctx, failOnce).Get(ctx, nil)
}

// runWorkflow runs logsAndWorks under an id and gives the lines that were logged.
func runWorkflow(t *testing.T, id string) []map[string]any {
	t.Helper()
	logger, out := jsonLogger(t, "info")
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(TemporalLogger(logger))
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	env.SetWorkerOptions(worker.Options{
		Interceptors: []interceptor.WorkerInterceptor{NewLogInterceptor()},
		// On a machine that is busy with other tests, a second may pass without any workflow's fault.
		DeadlockDetectionTimeout: 30 * time.Second,
	})
	env.SetStartWorkflowOptions(client.StartWorkflowOptions{ID: id})
	env.RegisterActivity(failOnce)
	env.ExecuteWorkflow(logsAndWorks)
	require.NoError(t, env.GetWorkflowError())
	return lines(t, out)
}

func TestLinesOfARecordNameIt(t *testing.T) {
	t.Parallel()
	record := collection.RecordID("shop", "a")
	all := runWorkflow(t, collection.RecordWorkflowID("order-7", record))
	attempts := []any{}
	for _, line := range all {
		if line["msg"] != "at work" && line["msg"] != "planned" {
			continue
		}
		require.Equal(t, "order-7", line["submission"])
		require.Equal(t, record, line["record"])
		attempts = append(attempts, line["attempt"])
	}
	require.Equal(t, []any{nil, 1.0, 2.0}, attempts, "the workflow's line, and one of each attempt")
}

func TestLinesOfABatchNameIt(t *testing.T) {
	t.Parallel()
	all := runWorkflow(t, collection.BatchWorkflowID("order-7", "shop", 3))
	require.NotEmpty(t, all)
	for _, line := range all {
		if line["msg"] == "at work" {
			require.Equal(t, []any{"order-7", "shop", "3"}, []any{line["submission"], line["source"], line["batch"]})
			require.NotContains(t, line, "record")
		}
	}
}

func TestLinesOfFleetWorkClaimNoSubmission(t *testing.T) {
	t.Parallel()
	for _, line := range runWorkflow(t, "weir/ceilings") {
		require.NotContains(t, line, "submission")
	}
}

func TestActivityAloneHasItsAttempt(t *testing.T) {
	t.Parallel()
	logger, out := jsonLogger(t, "info")
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(TemporalLogger(logger))
	env := suite.NewTestActivityEnvironment()
	env.SetTestTimeout(time.Minute)
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{NewLogInterceptor()}})
	env.RegisterActivity(failOnce)
	_, err := env.ExecuteActivity(failOnce)
	require.ErrorContains(t, err, "once more")
	line := lines(t, out)[0]
	require.Equal(t, []any{"at work", "x", 1.0}, []any{line["msg"], line["detail"], line["attempt"]})
	require.Contains(t, line, "submission", "the workflow of the environment")
}
