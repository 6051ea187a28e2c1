package workflows_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/workflows"
)

// engine is a test environment with stand-ins for what a workflow calls. A stand-in that is not set is not expected to be
// called. Its time is skipped: a sleep of an hour takes none.
type engine struct {
	*testsuite.TestWorkflowEnvironment
	t testing.TB

	plan        func(collection.PlanInput) (collection.PlanResult, error)
	loadBatch   func(collection.LoadBatchInput) (collection.LoadBatchResult, error)
	writeLedger func(collection.WriteLedgerInput) (collection.WriteLedgerResult, error)
	findBatch   func(collection.FindInput) (collection.BatchResult, error)
	findRecord  func(collection.FindInput) (collection.RecordResult, error)
	settle      func(collection.SettleInput) (collection.SettleResult, error)
	ship        func(collection.ShipInput) (collection.ShipResult, error)
	collect     func(collection.CollectInput) (collection.CollectResult, error)
	parse       func(collection.ParseInput) (collection.ParseResult, error)
	deliver     func(collection.DeliverInput) (collection.DeliverResult, error)

	record func(workflow.Context, collection.RecordInput) (collection.RecordResult, error)
	batch  func(workflow.Context, collection.BatchInput) (collection.BatchResult, error)

	// signalled takes the signals that workflows send; without it they are delivered.
	signalled func(workflow.Context, signal) error

	mu sync.Mutex
	// children are the options of the child workflows that were started, by workflow id.
	children map[string]workflow.ChildWorkflowOptions
	// reasons are the values that WeirReason was given, and customers those of WeirCustomer.
	reasons, customers []string
}

// signal is one that a workflow sends to another.
type signal struct {
	To, Run, Name string
	Arg           any
}

func newEngine(t testing.TB) *engine {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(quiet{})
	e := &engine{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment(), t: t, children: map[string]workflow.ChildWorkflowOptions{}}
	e.SetTestTimeout(time.Minute)
	e.SetWorkerOptions(worker.Options{
		Interceptors: []interceptor.WorkerInterceptor{&spy{engine: e}},
		// On a machine that is busy with other tests, a second may pass without any workflow's fault.
		DeadlockDetectionTimeout: 30 * time.Second,
	})
	activityStandIn(e, collection.ActivityPlan, &e.plan)
	activityStandIn(e, collection.ActivityLoadBatch, &e.loadBatch)
	activityStandIn(e, collection.ActivityWriteLedger, &e.writeLedger)
	activityStandIn(e, collection.ActivityFindBatch, &e.findBatch)
	activityStandIn(e, collection.ActivityFindRecord, &e.findRecord)
	activityStandIn(e, collection.ActivitySettle, &e.settle)
	activityStandIn(e, collection.ActivityShip, &e.ship)
	activityStandIn(e, collection.ActivityCollect, &e.collect)
	activityStandIn(e, collection.ActivityParse, &e.parse)
	activityStandIn(e, collection.ActivityDeliver, &e.deliver)
	return e
}

func activityStandIn[In, Out any](e *engine, name string, standIn *func(In) (Out, error)) {
	e.RegisterActivityWithOptions(func(_ context.Context, in In) (Out, error) {
		if *standIn == nil {
			var none Out
			return none, unexpected(name)
		}
		return (*standIn)(in)
	}, activity.RegisterOptions{Name: name})
}

func unexpected(name string) error {
	return temporal.NewNonRetryableApplicationError(name+" was not expected", "unexpected", nil)
}

// takes makes every call of an activity take a time, during which the workflow can be watched.
func takes[In, Out any](e *engine, name string, d time.Duration, standIn *func(In) (Out, error)) {
	e.OnActivity(name, mock.Anything, mock.Anything).After(d).Return(
		func(_ context.Context, in In) (Out, error) { return (*standIn)(in) })
}

// withRecords registers Batch itself and a stand-in for Record.
func (e *engine) withRecords() *engine {
	e.RegisterWorkflowWithOptions(workflows.Batch, workflow.RegisterOptions{Name: collection.WorkflowBatch})
	e.RegisterWorkflowWithOptions(func(ctx workflow.Context, in collection.RecordInput) (collection.RecordResult, error) {
		return e.record(ctx, in)
	}, workflow.RegisterOptions{Name: collection.WorkflowRecord})
	return e
}

// withBatches registers Submission itself and a stand-in for Batch.
func (e *engine) withBatches() *engine {
	e.RegisterWorkflowWithOptions(workflows.Submission, workflow.RegisterOptions{Name: collection.WorkflowSubmission})
	e.RegisterWorkflowWithOptions(func(ctx workflow.Context, in collection.BatchInput) (collection.BatchResult, error) {
		return e.batch(ctx, in)
	}, workflow.RegisterOptions{Name: collection.WorkflowBatch})
	return e
}

// start are the options that the workflow under test is started with.
func (e *engine) start() client.StartWorkflowOptions {
	return client.StartWorkflowOptions{TaskQueue: collection.QueueWorkflows}
}

// at does something when a time of the workflow has passed.
func (e *engine) at(d time.Duration, do func()) { e.RegisterDelayedCallback(do, d) }

func (e *engine) cancelAt(d time.Duration) { e.at(d, e.CancelWorkflow) }

// status asks the workflow under test.
func status[T any](e *engine) T {
	var out T
	value, err := e.QueryWorkflow(collection.QueryStatus)
	require.NoError(e.t, err)
	require.NoError(e.t, value.Get(&out))
	return out
}

// result is the result of the workflow under test, which must have ended well.
func result[T any](e *engine) T {
	e.t.Helper()
	require.True(e.t, e.IsWorkflowCompleted())
	require.NoError(e.t, e.GetWorkflowError())
	var out T
	require.NoError(e.t, e.GetWorkflowResult(&out))
	return out
}

// failure is the application error with which the workflow under test must have failed.
func failure(e *engine) *temporal.ApplicationError {
	e.t.Helper()
	require.True(e.t, e.IsWorkflowCompleted())
	var app *temporal.ApplicationError
	require.ErrorAs(e.t, e.GetWorkflowError(), &app)
	require.True(e.t, app.NonRetryable())
	return app
}

// cancelled reads the details of the cancellation with which the workflow under test must have ended.
func cancelled[T any](e *engine) T {
	e.t.Helper()
	require.True(e.t, e.IsWorkflowCompleted())
	var err *temporal.CanceledError
	require.ErrorAs(e.t, e.GetWorkflowError(), &err)
	var out T
	require.True(e.t, err.HasDetails())
	require.NoError(e.t, err.Details(&out))
	return out
}

// spy notes the options of child workflows, some of which the test environment itself does not look at, the search
// attributes that are set, and the signals.
type spy struct {
	interceptor.WorkerInterceptorBase
	engine *engine
}

func (s *spy) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	in := &spyInbound{engine: s.engine}
	in.Next = next
	return in
}

type spyInbound struct {
	interceptor.WorkflowInboundInterceptorBase
	engine *engine
}

func (s *spyInbound) Init(outbound interceptor.WorkflowOutboundInterceptor) error {
	out := &spyOutbound{engine: s.engine}
	out.Next = outbound
	return s.Next.Init(out)
}

type spyOutbound struct {
	interceptor.WorkflowOutboundInterceptorBase
	engine *engine
}

// ExecuteActivity sees to it that the loss of an activity's worker is noticed by its silence, long before it is out of time.
func (s *spyOutbound) ExecuteActivity(ctx workflow.Context, name string, args ...any) workflow.Future {
	assert.NotZero(s.engine.t, workflow.GetActivityOptions(ctx).HeartbeatTimeout, name)
	return s.Next.ExecuteActivity(ctx, name, args...)
}

func (s *spyOutbound) ExecuteChildWorkflow(ctx workflow.Context, name string, args ...any) workflow.ChildWorkflowFuture {
	o := workflow.GetChildWorkflowOptions(ctx)
	s.engine.mu.Lock()
	s.engine.children[o.WorkflowID] = o
	s.engine.mu.Unlock()
	return s.Next.ExecuteChildWorkflow(ctx, name, args...)
}

func (s *spyOutbound) SignalExternalWorkflow(ctx workflow.Context, id, run, name string, arg any) workflow.Future {
	if s.engine.signalled == nil {
		return s.Next.SignalExternalWorkflow(ctx, id, run, name, arg)
	}
	future, settable := workflow.NewFuture(ctx)
	settable.Set(nil, s.engine.signalled(ctx, signal{To: id, Run: run, Name: name, Arg: arg}))
	return future
}

func (s *spyOutbound) UpsertTypedSearchAttributes(ctx workflow.Context, updates ...temporal.SearchAttributeUpdate) error {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	set := temporal.NewSearchAttributes(updates...)
	if v, ok := set.GetKeyword(temporal.NewSearchAttributeKeyKeyword(collection.AttributeReason)); ok {
		s.engine.reasons = append(s.engine.reasons, v)
	}
	if v, ok := set.GetKeyword(temporal.NewSearchAttributeKeyKeyword(collection.AttributeCustomer)); ok {
		s.engine.customers = append(s.engine.customers, v)
	}
	return s.Next.UpsertTypedSearchAttributes(ctx, updates...)
}

// someRecords are records with ids of their own.
func someRecords(n int) []collection.Record {
	records := make([]collection.Record, n)
	for i := range records {
		key := fmt.Sprintf("https://books.example/%d", i)
		records[i] = collection.Record{ID: collection.RecordID("books", key), Line: i + 2, Key: key, URL: key}
	}
	return records
}

func policy(window int) collection.SourcePolicy {
	return collection.SourcePolicy{
		Window: window, HeartbeatTimeout: collection.Duration(30 * time.Second), GiveUpAfter: collection.Duration(24 * time.Hour),
	}
}

// quiet drops the log.
type quiet struct{}

func (quiet) Debug(string, ...any)     {}
func (quiet) Info(string, ...any)      {}
func (quiet) Warn(string, ...any)      {}
func (quiet) Error(string, ...any)     {}
func (q quiet) With(...any) log.Logger { return q }
