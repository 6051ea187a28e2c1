package verdict

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

var first = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// shaped is an error of an activity of weir's.
func shaped(reason string, details ...any) error {
	return temporal.NewApplicationErrorWithOptions("the message", reason, temporal.ApplicationErrorOptions{NonRetryable: true, Details: details})
}

var detailed = collection.AttemptFailure{Detail: "the detail", Attempts: 3, FirstRequestAt: &first}

// sent is an error as it arrives at a workflow: after its way through the engine, wrapped by what failed.
func sent(err error, wrap *failurepb.Failure) error {
	converter := temporal.GetDefaultFailureConverter()
	wrap.Cause = converter.ErrorToFailure(err)
	return converter.FailureToError(wrap)
}

// ofActivity wraps a cause as the engine does for a failed activity.
func ofActivity(cause error) error {
	return sent(cause, &failurepb.Failure{Message: "activity error", FailureInfo: &failurepb.Failure_ActivityFailureInfo{
		ActivityFailureInfo: &failurepb.ActivityFailureInfo{
			ActivityType: &commonpb.ActivityType{Name: collection.ActivityCollect}, RetryState: enumspb.RETRY_STATE_NON_RETRYABLE_FAILURE,
		},
	}})
}

// ofChild wraps a cause as the engine does for a failed child workflow.
func ofChild(cause error) error {
	return sent(cause, &failurepb.Failure{Message: "child workflow execution error", FailureInfo: &failurepb.Failure_ChildWorkflowExecutionFailureInfo{
		ChildWorkflowExecutionFailureInfo: &failurepb.ChildWorkflowExecutionFailureInfo{
			WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: "s1/r1", RunId: "run"},
			WorkflowType:      &commonpb.WorkflowType{Name: collection.WorkflowRecord},
		},
	}})
}

func terminated() error {
	return temporal.GetDefaultFailureConverter().FailureToError(&failurepb.Failure{
		FailureInfo: &failurepb.Failure_TerminatedFailureInfo{TerminatedFailureInfo: &failurepb.TerminatedFailureInfo{}},
	})
}

func TestOfActivity(t *testing.T) {
	long := strings.Repeat("ü", collection.MaxDetail)
	for _, c := range []struct {
		name string
		err  error
		want Failure
	}{
		{"with details", shaped("server_error", detailed),
			Failure{collection.ReasonServerError, detailed}},
		{"without details", shaped("server_error"),
			Failure{collection.ReasonServerError, collection.AttemptFailure{Detail: "the message"}}},
		{"with details that say nothing", shaped("server_error", collection.AttemptFailure{Attempts: 2}),
			Failure{collection.ReasonServerError, collection.AttemptFailure{Detail: "the message", Attempts: 2}}},
		{"with details of another kind", shaped("server_error", "just text"),
			Failure{collection.ReasonServerError, collection.AttemptFailure{Detail: "the message"}}},
		{"a reason that this version does not know", shaped("flooded", detailed),
			Failure{collection.ReasonInternal, collection.AttemptFailure{Detail: "flooded: the message", Attempts: 3, FirstRequestAt: &first}}},
		{"a type that is no reason", temporal.NewApplicationError("no route", "OpError"),
			Failure{collection.ReasonInternal, collection.AttemptFailure{Detail: "OpError: no route"}}},
		{"no type", temporal.NewApplicationError("something", ""),
			Failure{collection.ReasonInternal, collection.AttemptFailure{Detail: "something"}}},
		{"a long detail", shaped("reset", collection.AttemptFailure{Detail: long}),
			Failure{collection.ReasonReset, collection.AttemptFailure{Detail: collection.Clip(long, collection.MaxDetail)}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, OfActivity(ofActivity(c.err)))
			require.Equal(t, c.want, OfActivity(fmt.Errorf("collect: %w", ofActivity(c.err))))
		})
	}
}

// TestOfActivityUnshaped: what no activity of weir's has shaped is never taken for a fact about the target.
func TestOfActivityUnshaped(t *testing.T) {
	timeout := func(kind enumspb.TimeoutType, last error) error {
		return ofActivity(temporal.NewTimeoutError(kind, last))
	}
	for _, c := range []struct {
		name   string
		err    error
		reason collection.Reason
		detail string
	}{
		{"plain", errors.New("nil map"), collection.ReasonInternal, "nil map"},
		// The SDK gives this type an error of its own.
		{"panic", ofActivity(temporal.NewApplicationError("index out of range", "PanicError")), collection.ReasonInternal, "index out of range"},
		{"cancelled", ofActivity(temporal.NewCanceledError()), collection.ReasonInternal, "canceled"},
		{"schedule to close", timeout(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE, nil), collection.ReasonExpired, "ScheduleToClose"},
		{"schedule to close, directly", temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE, nil), collection.ReasonExpired, "ScheduleToClose"},
		{"start to close", timeout(enumspb.TIMEOUT_TYPE_START_TO_CLOSE, nil), collection.ReasonInternal, "StartToClose"},
		{"heartbeat", timeout(enumspb.TIMEOUT_TYPE_HEARTBEAT, nil), collection.ReasonInternal, "Heartbeat"},
		{"a timeout after a fault that we know", timeout(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE, shaped("store_unavailable", detailed)),
			collection.ReasonExpired, "the detail (last met: store_unavailable)"},
		{"a timeout of a single attempt after a fault that we know", timeout(enumspb.TIMEOUT_TYPE_HEARTBEAT, shaped("lease_lost", detailed)),
			collection.ReasonLeaseLost, "the detail"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := OfActivity(c.err)
			require.Equal(t, c.reason, f.Reason)
			require.Contains(t, f.Detail, c.detail)
		})
	}
	late := OfActivity(timeout(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE, shaped("lease_lost", detailed)))
	require.Equal(t, detailed.Attempts, late.Attempts)
	require.Equal(t, detailed.FirstRequestAt, late.FirstRequestAt)
	long := OfActivity(errors.New(strings.Repeat("x", 10_000)))
	require.Len(t, long.Detail, collection.MaxDetail)
}

func TestOfRecord(t *testing.T) {
	dead := collection.RecordResult{
		Record: "r1", Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonParseEmpty, Detail: "nothing found",
		Attempts: 2, FirstRequestAt: &first, Raw: &collection.Raw{Key: "raw/x", FetchedAt: first},
	}
	for _, c := range []struct {
		name string
		err  error
		want collection.RecordResult
	}{
		{"a dead letter with its result", shaped("parse_empty", dead), dead},
		{"a failure with an attempt's details", shaped("server_error", detailed),
			collection.RecordResult{Record: "r1", Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonServerError, Detail: "the detail"}},
		{"a failure without details", shaped("server_error"),
			collection.RecordResult{Record: "r1", Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonServerError, Detail: "the message"}},
		{"details of another kind", shaped("server_error", []int{1}),
			collection.RecordResult{Record: "r1", Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonServerError, Detail: "the message"}},
		{"an unknown type", temporal.NewApplicationError("boom", "OpError"),
			collection.RecordResult{Record: "r1", Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonInternal, Detail: "OpError: boom"}},
		{"terminated", terminated(),
			collection.RecordResult{Record: "r1", Outcome: collection.OutcomeCancelled, Reason: collection.ReasonTerminated, Detail: "the record's workflow was terminated"}},
		{"cancelled", temporal.NewCanceledError(),
			collection.RecordResult{Record: "r1", Outcome: collection.OutcomeCancelled, Reason: collection.ReasonCancelled}},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, OfRecord("r1", ofChild(c.err)), "as a parent learns it")
			require.Equal(t, c.want, OfRecord("r1", executed(t, c.err)), "as a client learns it")
		})
	}
}

// executed is the error with which a client learns of a workflow's end.
func executed(t *testing.T, cause error) error {
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

// TestOfRecordOtherwise: an end that nobody foresaw is a dead letter that a person looks at, with what is known of it.
func TestOfRecordOtherwise(t *testing.T) {
	for _, err := range []error{
		errors.New("history is corrupt"),
		ofChild(temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_START_TO_CLOSE, nil)),
	} {
		got := OfRecord("r1", err)
		require.Equal(t, collection.RecordResult{
			Record: "r1", Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonInternal, Detail: got.Detail,
		}, got)
		require.NotEmpty(t, got.Detail)
	}
	require.Len(t, OfRecord("r1", errors.New(strings.Repeat("x", 10_000))).Detail, collection.MaxDetail)
}

// TestEveryReasonArrives: whatever reason an activity gives, the workflow and whoever waits for it read the same one.
func TestEveryReasonArrives(t *testing.T) {
	for _, row := range failure.Table() {
		require.Equal(t, row.Reason, OfActivity(ofActivity(shaped(string(row.Reason), detailed))).Reason)
		require.Equal(t, row.Reason, OfRecord("r1", ofChild(shaped(string(row.Reason), detailed))).Reason)
	}
}

// TestOfRecordCancelled: what a cancelled record had done is kept.
func TestOfRecordCancelled(t *testing.T) {
	was := collection.RecordResult{Record: "r1", Attempts: 2, FirstRequestAt: &first, Raw: &collection.Raw{Key: "raw/s1/r1/abc"}}
	got := OfRecord("r1", ofChild(temporal.NewCanceledError(was)))
	was.Outcome, was.Reason = collection.OutcomeCancelled, collection.ReasonCancelled
	require.Equal(t, was, got)
	got = OfRecord("r1", ofChild(temporal.NewCanceledError("not a result")))
	require.Equal(t, collection.RecordResult{Record: "r1", Outcome: collection.OutcomeCancelled, Reason: collection.ReasonCancelled}, got)
}

// TestOfActivityNamesNoWorker: the detail of an unshaped error is about the record, not about who worked on it.
func TestOfActivityNamesNoWorker(t *testing.T) {
	f := OfActivity(ofActivity(errors.New("the disk is full")))
	require.Equal(t, collection.ReasonInternal, f.Reason)
	require.NotContains(t, f.Detail, "activity error")
	require.Contains(t, f.Detail, "the disk is full")
}
