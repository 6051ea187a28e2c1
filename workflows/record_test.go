package workflows_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/workflows"
)

var (
	acceptedAt   = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	firstRequest = acceptedAt.Add(time.Minute)
	raw          = collection.Raw{Key: "raw/s/r/aa", SHA256: "aa", Size: 7, URL: "https://books.example/1", Status: 200}
	document     = collection.Document{Inline: []byte(`{"title":"One"}`), SHA256: "bb", Size: 15}
	delivered    = collection.Delivered{Key: "results/acme/s/records/r.json", SHA256: "bb", Size: 15, Generation: 1}
)

func recordInput() collection.RecordInput {
	return collection.RecordInput{
		Submission: "s", Customer: "acme", Source: "books", Batch: 1, AcceptedAt: acceptedAt,
		Record: someRecords(1)[0], Policy: policy(4),
	}
}

// goodStages let a record pass every stage.
func goodStages(e *engine) {
	e.collect = func(collection.CollectInput) (collection.CollectResult, error) {
		return collection.CollectResult{Raw: &raw, Attempts: 3, FirstRequestAt: &firstRequest}, nil
	}
	e.parse = func(collection.ParseInput) (collection.ParseResult, error) {
		return collection.ParseResult{Document: document}, nil
	}
	e.deliver = func(collection.DeliverInput) (collection.DeliverResult, error) {
		return collection.DeliverResult{Delivered: delivered}, nil
	}
}

// reasonError is an activity's final failure.
func reasonError(r collection.Reason, f collection.AttemptFailure) error {
	return temporal.NewNonRetryableApplicationError(f.Detail, string(r), nil, f)
}

func TestRecordIsDelivered(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	goodStages(e)
	in := recordInput()
	collect, parse, deliver := e.collect, e.parse, e.deliver
	e.collect = func(got collection.CollectInput) (collection.CollectResult, error) {
		require.Equal(t, collection.CollectInput{
			Submission: "s", Customer: "acme", Source: "books", AcceptedAt: acceptedAt, Record: in.Record,
		}, got)
		return collect(got)
	}
	e.parse = func(got collection.ParseInput) (collection.ParseResult, error) {
		require.Equal(t, collection.ParseInput{
			Submission: "s", Customer: "acme", Source: "books", Record: in.Record, Raw: raw,
		}, got)
		return parse(got)
	}
	e.deliver = func(got collection.DeliverInput) (collection.DeliverResult, error) {
		require.Equal(t, collection.DeliverInput{
			Submission: "s", Customer: "acme", Source: "books", AcceptedAt: acceptedAt, RecordID: in.Record.ID, Document: document,
		}, got)
		return deliver(got)
	}
	e.ExecuteWorkflow(workflows.Record, in)
	require.Equal(t, collection.RecordResult{
		Record: in.Record.ID, Outcome: collection.OutcomeDelivered, Attempts: 3, FirstRequestAt: &firstRequest,
		Raw: &raw, Delivered: &delivered,
	}, result[collection.RecordResult](e))
	require.Empty(t, e.reasons, "only a failure has a reason")
}

func TestRecordEndsWithAFactAboutItsTarget(t *testing.T) {
	t.Parallel()
	for _, fact := range []collection.CollectResult{
		{Outcome: collection.OutcomeGone, Reason: collection.ReasonGone, Detail: "404", Attempts: 1, FirstRequestAt: &firstRequest},
		{Outcome: collection.OutcomeRefused, Reason: collection.ReasonRobotsDenied, Detail: "robots.txt says no"},
	} {
		t.Run(string(fact.Outcome), func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.collect = func(collection.CollectInput) (collection.CollectResult, error) { return fact, nil }
			e.ExecuteWorkflow(workflows.Record, recordInput())
			require.Equal(t, collection.RecordResult{
				Record: recordInput().Record.ID, Outcome: fact.Outcome, Reason: fact.Reason, Detail: fact.Detail,
				Attempts: fact.Attempts, FirstRequestAt: fact.FirstRequestAt,
			}, result[collection.RecordResult](e))
		})
	}
}

func TestRecordIsDeadLettered(t *testing.T) {
	t.Parallel()
	collectFails := func(err error) func(*engine) {
		return func(e *engine) {
			e.collect = func(collection.CollectInput) (collection.CollectResult, error) {
				return collection.CollectResult{}, err
			}
		}
	}
	tests := map[string]struct {
		set      func(*engine)
		reason   collection.Reason
		detail   string
		attempts int
		first    *time.Time
		raw      bool
	}{
		"collect, with what the attempts were": {
			set: collectFails(reasonError(collection.ReasonServerError, collection.AttemptFailure{
				Detail: "503 five times", Attempts: 5, FirstRequestAt: &firstRequest,
			})),
			reason: collection.ReasonServerError, detail: "503 five times", attempts: 5, first: &firstRequest,
		},
		"collect, never requested": {
			set:    collectFails(reasonError(collection.ReasonExpired, collection.AttemptFailure{Detail: "waited a day"})),
			reason: collection.ReasonExpired, detail: "waited a day",
		},
		"collect, by the engine's own timeout": {
			set:    collectFails(temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_CLOSE, nil)),
			reason: collection.ReasonExpired, detail: "ScheduleToClose",
		},
		"collect, with an error that is none of weir's": {
			set:    collectFails(temporal.NewNonRetryableApplicationError("nil map", "wrapError", nil)),
			reason: collection.ReasonInternal, detail: "wrapError: nil map",
		},
		"parse keeps what the collect was": {
			set: func(e *engine) {
				e.parse = func(collection.ParseInput) (collection.ParseResult, error) {
					return collection.ParseResult{}, reasonError(collection.ReasonParseEmpty, collection.AttemptFailure{Detail: "no fields"})
				}
			},
			reason: collection.ReasonParseEmpty, detail: "no fields", attempts: 3, first: &firstRequest, raw: true,
		},
		"deliver keeps what the collect was": {
			set: func(e *engine) {
				e.deliver = func(collection.DeliverInput) (collection.DeliverResult, error) {
					return collection.DeliverResult{}, reasonError(collection.ReasonDeliveryConflict, collection.AttemptFailure{Detail: "changed"})
				}
			},
			reason: collection.ReasonDeliveryConflict, detail: "changed", attempts: 3, first: &firstRequest, raw: true,
		},
		"a long detail is cut": {
			set:    collectFails(reasonError(collection.ReasonBlocked, collection.AttemptFailure{Detail: strings.Repeat("x", 5000), Attempts: 1})),
			reason: collection.ReasonBlocked, detail: "xxx…", attempts: 1,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			goodStages(e)
			test.set(e)
			e.ExecuteWorkflow(workflows.Record, recordInput())

			app := failure(e)
			require.Equal(t, string(test.reason), app.Type())
			require.Equal(t, []string{string(test.reason)}, e.reasons)
			var got collection.RecordResult
			require.NoError(t, app.Details(&got))
			require.Equal(t, got.Detail, app.Message())
			require.Contains(t, got.Detail, test.detail)
			require.LessOrEqual(t, len(got.Detail), collection.MaxDetail)
			want := collection.RecordResult{
				Record: recordInput().Record.ID, Outcome: collection.OutcomeDeadLettered, Reason: test.reason, Detail: got.Detail,
				Attempts: test.attempts, FirstRequestAt: test.first,
			}
			if test.raw {
				want.Raw = &raw
			}
			require.Equal(t, want, got)
			status := status[collection.RecordStatus](e)
			require.Empty(t, status.Stage)
			require.Equal(t, &want, status.Result)
		})
	}
}

func TestRecordSurvivesTransientFailures(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	goodStages(e)
	collect, calls := e.collect, 0
	e.collect = func(in collection.CollectInput) (collection.CollectResult, error) {
		if calls++; calls <= 8 {
			return collection.CollectResult{}, temporal.NewApplicationErrorWithOptions("later", string(collection.ReasonThrottled),
				temporal.ApplicationErrorOptions{NextRetryDelay: 30 * time.Minute})
		}
		return collect(in)
	}
	e.ExecuteWorkflow(workflows.Record, recordInput())
	require.Equal(t, collection.OutcomeDelivered, result[collection.RecordResult](e).Outcome)
	require.Equal(t, 9, calls)
}

func TestRecordIsCancelledInEachStage(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		slow     func(*engine)
		attempts int
	}{
		"collect": {slow: func(e *engine) { takes(e, collection.ActivityCollect, time.Hour, &e.collect) }},
		"parse":   {slow: func(e *engine) { takes(e, collection.ActivityParse, time.Hour, &e.parse) }, attempts: 3},
		"deliver": {slow: func(e *engine) { takes(e, collection.ActivityDeliver, time.Hour, &e.deliver) }, attempts: 3},
	}
	for stage, test := range tests {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			goodStages(e)
			test.slow(e)
			e.at(time.Minute, func() {
				require.Equal(t, stage, status[collection.RecordStatus](e).Stage)
				e.CancelWorkflow()
			})
			e.ExecuteWorkflow(workflows.Record, recordInput())
			want := collection.RecordResult{
				Record: recordInput().Record.ID, Outcome: collection.OutcomeCancelled, Reason: collection.ReasonCancelled,
				Attempts: test.attempts,
			}
			if test.attempts > 0 {
				want.Raw, want.FirstRequestAt = &raw, &firstRequest
			}
			require.Equal(t, want, cancelled[collection.RecordResult](e))
			require.Empty(t, e.reasons, "a cancelled record is no dead letter")
			require.Equal(t, &want, status[collection.RecordStatus](e).Result)
		})
	}
}

// TestRecordTakesOverWhatACancelledCollectTells: what the collect had done is the record's story; one that was waiting in the
// engine tells nothing, and what the engine says instead is not taken for a story.
func TestRecordTakesOverWhatACancelledCollectTells(t *testing.T) {
	t.Parallel()
	trail := collection.Trail{Attempts: []collection.AttemptLine{{At: firstRequest, Status: 503, Reason: collection.ReasonServerError}}}
	for name, test := range map[string]struct {
		details  []any
		attempts int
		first    *time.Time
		trail    *collection.Trail
	}{
		"running":     {[]any{collection.AttemptFailure{Attempts: 8, FirstRequestAt: &firstRequest, Trail: &trail}}, 8, &firstRequest, &trail},
		"backing off": {[]any{"ACTIVITY_ID_NOT_STARTED"}, 0, nil, nil},
		"silent":      {nil, 0, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			e.collect = func(collection.CollectInput) (collection.CollectResult, error) {
				return collection.CollectResult{}, temporal.NewCanceledError(test.details...)
			}
			e.ExecuteWorkflow(workflows.Record, recordInput())
			require.Equal(t, collection.RecordResult{
				Record: recordInput().Record.ID, Outcome: collection.OutcomeCancelled, Reason: collection.ReasonCancelled,
				Attempts: test.attempts, FirstRequestAt: test.first, Trail: test.trail,
			}, cancelled[collection.RecordResult](e))
		})
	}
}

// TestRecordSaysThatItWasRequestedBefore: the start wait of a record is over once a request for it was made, in whatever run.
func TestRecordSaysThatItWasRequestedBefore(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		replay *collection.RecordReplay
		again  bool
	}{
		"first run":                     {nil, false},
		"never requested":               {&collection.RecordReplay{}, false},
		"requested":                     {&collection.RecordReplay{Attempts: 2, FirstRequestAt: &firstRequest}, true},
		"requested, nobody knows when":  {&collection.RecordReplay{Attempts: 2}, true},
		"delivered before, and is lost": {&collection.RecordReplay{Attempts: 1, FirstRequestAt: &firstRequest, Redeliver: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEngine(t)
			goodStages(e)
			collect, told := e.collect, false
			e.collect = func(got collection.CollectInput) (collection.CollectResult, error) {
				told = true
				require.Equal(t, test.again, got.Again)
				return collect(got)
			}
			in := recordInput()
			in.Replay = test.replay
			e.ExecuteWorkflow(workflows.Record, in)
			require.Equal(t, collection.OutcomeDelivered, result[collection.RecordResult](e).Outcome)
			require.True(t, told)
		})
	}
}
