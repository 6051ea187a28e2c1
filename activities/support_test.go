package activities

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/weir-collect/weir/collection"
)

// accepted is when the submissions of these tests were accepted; nothing here asks the machine for the time.
var accepted = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// at is a clock that stands still.
func at(t time.Time) Clock { return func() time.Time { return t } }

// trial is one attempt of an activity as the engine would start it. The SDK's environment always says that it is the
// first; an interceptor says otherwise, and takes down every heartbeat.
type trial struct {
	interceptor.WorkerInterceptorBase
	// number of the attempt; zero means 1.
	number int
	// scheduled is when the first attempt was scheduled; zero means accepted.
	scheduled time.Time
	// started is when this attempt began; zero means as the environment has it.
	started time.Time
	// heartbeat is the heartbeat timeout; zero means that there is no beat.
	heartbeat time.Duration
	// workflow is the id of the activity's workflow; empty means the environment's own.
	workflow string
	// before is what the last heartbeat of the attempts before said.
	before any
	// ctx is the worker's context, and stop is closed when the worker is told to stop.
	ctx  context.Context
	stop chan struct{}

	mu    sync.Mutex
	beats []any
}

// InterceptActivity implements interceptor.WorkerInterceptor.
func (tr *trial) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &inbound{interceptor.ActivityInboundInterceptorBase{Next: next}, tr}
}

type inbound struct {
	interceptor.ActivityInboundInterceptorBase
	trial *trial
}

// Init puts the trial between the activity and the environment.
func (i *inbound) Init(out interceptor.ActivityOutboundInterceptor) error {
	return i.Next.Init(&outbound{interceptor.ActivityOutboundInterceptorBase{Next: out}, i.trial})
}

type outbound struct {
	interceptor.ActivityOutboundInterceptorBase
	trial *trial
}

// GetInfo tells the trial's attempt and times.
func (o *outbound) GetInfo(ctx context.Context) activity.Info {
	info := o.Next.GetInfo(ctx)
	info.Attempt = int32(max(o.trial.number, 1))
	info.ScheduledTime = o.trial.scheduled
	if info.ScheduledTime.IsZero() {
		info.ScheduledTime = accepted
	}
	if !o.trial.started.IsZero() {
		info.StartedTime = o.trial.started
	}
	info.HeartbeatTimeout = o.trial.heartbeat
	if o.trial.workflow != "" {
		info.WorkflowExecution.ID = o.trial.workflow
	}
	return info
}

// RecordHeartbeat takes down what the heartbeat says.
func (o *outbound) RecordHeartbeat(ctx context.Context, details ...any) {
	o.trial.mu.Lock()
	defer o.trial.mu.Unlock()
	o.trial.beats = append(o.trial.beats, details[0])
}

// heard is what the heartbeats said so far.
func (tr *trial) heard() []any {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return append([]any(nil), tr.beats...)
}

// waits are what the heartbeats said that the attempt was waiting for.
func (tr *trial) waits() []string {
	var waits []string
	for _, beat := range tr.heard() {
		waits = append(waits, beat.(collection.AttemptProgress).Waiting)
	}
	return waits
}

// progress is what the next attempt will find, after its way through JSON.
func (tr *trial) progress(t require.TestingT) collection.AttemptProgress {
	beats := tr.heard()
	require.NotEmpty(t, beats, "the attempt left no heartbeat behind")
	body, err := json.Marshal(beats[len(beats)-1])
	require.NoError(t, err)
	var p collection.AttemptProgress
	require.NoError(t, json.Unmarshal(body, &p))
	return p
}

// next is the attempt after this one.
func (tr *trial) next(t require.TestingT) *trial {
	return &trial{number: max(tr.number, 1) + 1, scheduled: tr.scheduled, before: tr.progress(t)}
}

// run runs an activity in the SDK's environment, so that input, result and error take their way through the converters.
func run[In, Out any](t require.TestingT, tr *trial, act func(context.Context, In) (Out, error), in In) (Out, error) {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{
		Interceptors: []interceptor.WorkerInterceptor{tr}, BackgroundActivityContext: tr.ctx,
	})
	if tr.before != nil {
		env.SetHeartbeatDetails(tr.before)
	}
	if tr.stop != nil {
		env.SetWorkerStopChannel(tr.stop)
	}
	env.RegisterActivityWithOptions(act, activity.RegisterOptions{Name: "activity"})
	var out Out
	value, err := env.ExecuteActivity("activity", in)
	if err == nil {
		require.NoError(t, value.Get(&out))
	}
	return out, err
}

// refused is the error of an activity as a workflow sees it.
type refused struct {
	reason collection.Reason
	final  bool
	after  time.Duration
	collection.AttemptFailure
}

// refusal reads an activity's error, which must be one that an activity of weir's has shaped.
func refusal(t require.TestingT, err error) refused {
	require.Error(t, err)
	var app *temporal.ApplicationError
	require.True(t, errors.As(err, &app), "%v", err)
	r := refused{reason: collection.Reason(app.Type()), final: app.NonRetryable(), after: app.NextRetryDelay()}
	require.NoError(t, app.Details(&r.AttemptFailure), "%v", err)
	require.Equal(t, app.Message(), r.Detail)
	require.LessOrEqual(t, len(r.Detail), collection.MaxDetail)
	return r
}

// requireFinal: no retry heals this.
func requireFinal(t require.TestingT, err error, reason collection.Reason, says ...string) refused {
	r := refusal(t, err)
	require.Equal(t, reason, r.reason, r.Detail)
	require.True(t, r.final, "%s may be retried", r.Detail)
	for _, s := range says {
		require.Contains(t, r.Detail, s)
	}
	return r
}

// requireTransient: this may heal, and the retry policy of the workflows lets it.
func requireTransient(t require.TestingT, err error, reason collection.Reason, says ...string) refused {
	r := refusal(t, err)
	require.Equal(t, reason, r.reason, r.Detail)
	require.False(t, r.final, "%s may not be retried", r.Detail)
	require.True(t, mayRetry(r.reason), "%s is a reason that the retry policy holds to be final", r.reason)
	for _, s := range says {
		require.Contains(t, r.Detail, s)
	}
	return r
}

func requireCancelled(t require.TestingT, err error) {
	var cancelled *temporal.CanceledError
	require.True(t, errors.As(err, &cancelled), "%v", err)
}

// stoppable is a worker's context that ends with a cause.
func stoppable(t testing.TB) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	t.Cleanup(func() { cancel(nil) })
	return ctx, cancel
}

// lines cuts JSON Lines into values.
func lines[T any](t require.TestingT, body string) []T {
	var out []T
	for line := range strings.Lines(body) {
		var v T
		require.NoError(t, json.Unmarshal([]byte(line), &v), line)
		out = append(out, v)
	}
	return out
}

// background is for what a test does to a store beside the activity under test.
var background = context.Background()
