package activities

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

// endedWith is the error with which a client learns that a workflow ended with another one.
func endedWith(t testing.TB, cause error) error {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	env.SetTestTimeout(time.Minute)
	// On a machine that is busy with other tests, a second may pass without any workflow's fault.
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: 30 * time.Second})
	env.ExecuteWorkflow(func(workflow.Context) error { return cause })
	err := env.GetWorkflowError()
	var execution *temporal.WorkflowExecutionError
	require.ErrorAs(t, err, &execution)
	return err
}

func terminated() error {
	return temporal.GetDefaultFailureConverter().FailureToError(&failurepb.Failure{
		FailureInfo: &failurepb.Failure_TerminatedFailureInfo{TerminatedFailureInfo: &failurepb.TerminatedFailureInfo{}},
	})
}

// finding is a finder of one answer.
func finding(t testing.TB, answer any, err error) *Finder {
	return &Finder{Engine: engineFunc(func(_ context.Context, id string, into any) error {
		require.Equal(t, "s1/r1", id)
		switch out := into.(type) {
		case *collection.RecordResult:
			if r, ok := answer.(collection.RecordResult); ok {
				*out = r
			}
		case *collection.BatchResult:
			if r, ok := answer.(collection.BatchResult); ok {
				*out = r
			}
		}
		return err
	})}
}

var wanted = collection.FindInput{WorkflowID: "s1/r1"}

// TestFind: what was done before is taken over as it is.
func TestFind(t *testing.T) {
	record := collection.RecordResult{Record: "r1", Outcome: collection.OutcomeGone, Reason: collection.ReasonGone, Attempts: 2}
	got, err := run(t, &trial{}, finding(t, record, nil).FindRecord, wanted)
	require.NoError(t, err)
	require.Equal(t, record, got)

	batch := collection.BatchResult{Ledger: "l", Outcomes: collection.Tally{{Outcome: collection.OutcomeDelivered, Records: 3}}}
	gotBatch, err := run(t, &trial{}, finding(t, batch, nil).FindBatch, wanted)
	require.NoError(t, err)
	require.Equal(t, batch, gotBatch)
}

// TestFindFailed: a workflow that failed before fails here as it would have failed its parent: finally, with its reason
// and its result.
func TestFindFailed(t *testing.T) {
	dead := collection.RecordResult{Record: "r1", Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonParseEmpty,
		Detail: "nothing found", Attempts: 3, Raw: &collection.Raw{Key: "raw/x"}}
	for name, c := range map[string]struct {
		cause error
		want  collection.RecordResult
	}{
		"a dead letter": {
			temporal.NewApplicationErrorWithOptions("nothing found", "parse_empty", temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{dead}}),
			dead,
		},
		"a failure without a result": {
			temporal.NewApplicationError("out of order", "store_unavailable"),
			collection.RecordResult{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonStoreUnavailable, Detail: "out of order"},
		},
		"a failure that is none of ours": {
			errors.New("nil pointer"),
			collection.RecordResult{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonInternal, Detail: "nil pointer"},
		},
		"a termination": {
			terminated(),
			collection.RecordResult{Outcome: collection.OutcomeCancelled, Reason: collection.ReasonTerminated, Detail: "the record's workflow was terminated"},
		},
		"a cancellation": {
			temporal.NewCanceledError(),
			collection.RecordResult{Outcome: collection.OutcomeCancelled, Reason: collection.ReasonCancelled},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 {
				_, err := run(t, &trial{}, finding(t, nil, endedWith(t, c.cause)).FindRecord, wanted)
				var app *temporal.ApplicationError
				require.ErrorAs(t, err, &app)
				require.True(t, app.NonRetryable())
				require.Equal(t, string(c.want.Reason), app.Type())
				require.Equal(t, c.want.Detail, app.Message())
				var got collection.RecordResult
				require.NoError(t, app.Details(&got))
				require.Equal(t, c.want, got)
			}
			_, err := run(t, &trial{}, finding(t, nil, endedWith(t, c.cause)).FindBatch, wanted)
			var app *temporal.ApplicationError
			require.ErrorAs(t, err, &app)
			require.True(t, app.NonRetryable())
		})
	}
}

// TestFindUnanswered: an engine that could not be asked says nothing about the workflow.
func TestFindUnanswered(t *testing.T) {
	for _, cause := range []error{
		serviceerror.NewUnavailable("no engine"), serviceerror.NewNotFound("no such workflow"), context.DeadlineExceeded,
	} {
		_, err := run(t, &trial{}, finding(t, nil, cause).FindRecord, wanted)
		var app *temporal.ApplicationError
		require.ErrorAs(t, err, &app)
		require.False(t, app.NonRetryable(), "%v", err)
		require.True(t, mayRetry(collection.Reason(app.Type())))
	}
}

// TestFindStopped: being stopped while it waits is no verdict on the other workflow.
func TestFindStopped(t *testing.T) {
	for name, c := range map[string]struct {
		cause error
		check func(error)
	}{
		"cancelled": {temporal.NewCanceledError(), func(err error) { requireCancelled(t, err) }},
		"shutdown":  {errors.New("worker is stopping"), func(err error) { requireTransient(t, err, collection.ReasonLeaseLost) }},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := stoppable(t)
			f := &Finder{Engine: engineFunc(func(ctx context.Context, _ string, _ any) error {
				cancel(c.cause)
				<-ctx.Done()
				return ctx.Err()
			})}
			_, err := run(t, &trial{ctx: ctx}, f.FindBatch, wanted)
			c.check(err)
		})
	}
}
