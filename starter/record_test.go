package starter_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// recordInput is what a record's workflow is started with.
func recordInput(row collection.LedgerRow) collection.RecordInput {
	return collection.RecordInput{
		Submission: submission, Customer: "acme", Source: row.Source, Batch: 1,
		Record: collection.Record{ID: row.Record, Line: row.Line, Key: row.Key},
	}
}

// knowsRecord lets the engine know a record's workflow, and nothing of any other.
func (tr *trial) knowsRecord(row collection.LedgerRow, status enumspb.WorkflowExecutionStatus, pending ...*workflowpb.PendingActivityInfo) {
	id := collection.RecordWorkflowID(submission, row.Record)
	d := described(collection.WorkflowRecord, status)
	d.PendingActivities = pending
	tr.describes(id, d, nil)
	tr.engine.On("DescribeWorkflowExecution", mock.Anything, mock.Anything, "").Return(nil, errUnknown).Maybe()
	tr.startedWith(id, recordInput(row))
}

func activity(kind string) *workflowpb.PendingActivityInfo {
	return &workflowpb.PendingActivityInfo{
		ActivityType: &commonpb.ActivityType{Name: kind}, Attempt: 1, State: enumspb.PENDING_ACTIVITY_STATE_SCHEDULED,
	}
}

// TestRecordIsTheSameOnEveryGround asks for a record that has ended by each of its names: of the engine, which knows it
// as an ended workflow, and of the ledger.
func TestRecordIsTheSameOnEveryGround(t *testing.T) {
	t.Parallel()
	deadLetter := temporal.NewApplicationErrorWithOptions("no field was found", string(collection.ReasonParseEmpty),
		temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{booksRows[1].RecordResult}})
	for what, c := range map[string]struct {
		row    collection.LedgerRow
		names  []string
		status enumspb.WorkflowExecutionStatus
		err    error
	}{
		"delivered":     {booksRows[0], []string{bookID(1), bookURL(1), "HTTPS://Books.example:443/1#top"}, completed, nil},
		"dead-lettered": {booksRows[1], []string{bookID(2), bookURL(2)}, failed, ended(deadLetter)},
		"gone":          {filmsRows[0], []string{filmsRows[0].Record, "metropolis"}, completed, nil},
	} {
		for _, name := range c.names {
			want := starter.RecordAnswer{
				Submission: submission, Record: c.row.Record, Source: c.row.Source, Key: c.row.Key, Line: c.row.Line,
				Ground: "engine", Result: &c.row.RecordResult,
			}
			tr := setup(t)
			tr.knowsRecord(c.row, c.status)
			ends(tr, collection.RecordWorkflowID(submission, c.row.Record), c.row.RecordResult, c.err)
			got, err := tr.client.Record(t.Context(), submission, name)
			require.NoError(t, err, "%s %s", what, name)
			require.Equal(t, want, got, "%s %s", what, name)
			if c.row.Outcome != collection.OutcomeDelivered {
				require.Empty(t, tr.store.reads, "%s: the store is not needed", what)
			}

			tr = setup(t).planned()
			tr.engine.On("DescribeWorkflowExecution", mock.Anything, mock.Anything, "").Return(nil, errUnknown)
			want.Ground = "ledger"
			got, err = tr.client.Record(t.Context(), submission, name)
			require.NoError(t, err, "%s %s", what, name)
			require.Equal(t, want, got, "%s %s", what, name)
		}
	}
}

// TestRecordThatWasLost: a delivered object that was gone when the submission was settled is no delivery, whatever the
// record's workflow remembers; where the store does not answer, that is all that is known.
func TestRecordThatWasLost(t *testing.T) {
	t.Parallel()
	row := booksRows[0]
	lost := row
	lost.Outcome, lost.Reason, lost.Lost, lost.Delivered = collection.OutcomeDeadLettered, collection.ReasonDeliveryLost, row.Delivered, nil
	for _, down := range []bool{false, true} {
		tr := setup(t).planned()
		tr.knowsRecord(row, completed)
		ends(tr, collection.RecordWorkflowID(submission, row.Record), row.RecordResult, nil)
		stores(tr, collection.LedgerKey(submission, row.Source, 1), lost, booksRows[1])
		if down {
			tr.store.fails[collection.PlanKey(submission)] = errors.New("connection refused")
		}
		got, err := tr.client.Record(t.Context(), submission, row.Record)
		require.NoError(t, err)
		want := map[bool]collection.Outcome{false: collection.OutcomeDeadLettered, true: collection.OutcomeDelivered}[down]
		require.Equal(t, want, got.Result.Outcome)
	}
}

// TestRecordThatWasStopped ends its workflow from outside.
func TestRecordThatWasStopped(t *testing.T) {
	t.Parallel()
	for reason, cause := range map[collection.Reason]error{
		collection.ReasonTerminated: &temporal.TerminatedError{},
		collection.ReasonCancelled:  temporal.NewCanceledError(collection.RecordResult{Record: bookID(1), Attempts: 2}),
	} {
		tr := setup(t)
		tr.knowsRecord(booksRows[0], terminated)
		ends(tr, collection.RecordWorkflowID(submission, bookID(1)), collection.RecordResult{}, ended(cause))
		got, err := tr.client.Record(t.Context(), submission, bookID(1))
		require.NoError(t, err)
		require.Equal(t, collection.OutcomeCancelled, got.Result.Outcome)
		require.Equal(t, reason, got.Result.Reason)
		require.Equal(t, bookID(1), got.Result.Record)
	}
}

// TestRecordThatWasStoppedTooLate: a record whose workflow was stopped when it had been delivered is booked as delivered,
// which is the answer; what is booked as stopped, too, is told by its workflow.
func TestRecordThatWasStoppedTooLate(t *testing.T) {
	t.Parallel()
	stopped := booksRows[0]
	stopped.Outcome, stopped.Reason, stopped.Delivered = collection.OutcomeCancelled, collection.ReasonTerminated, nil
	for ground, booked := range map[string]collection.LedgerRow{"ledger": booksRows[0], "engine": stopped} {
		tr := setup(t).planned()
		tr.knowsRecord(booksRows[0], terminated)
		ends(tr, collection.RecordWorkflowID(submission, bookID(1)), collection.RecordResult{}, ended(&temporal.TerminatedError{}))
		stores(tr, collection.LedgerKey(submission, booked.Source, 1), booked, booksRows[1])
		got, err := tr.client.Record(t.Context(), submission, bookID(1))
		require.NoError(t, err)
		require.Equal(t, booked.Outcome, got.Result.Outcome)
		require.Equal(t, ground, got.Ground)
	}
}

// TestRunningRecord covers what the engine can say of an activity that has not ended.
func TestRunningRecord(t *testing.T) {
	t.Parallel()
	soon := time.Now().Add(time.Hour).UTC()
	with := func(kind string, change func(*workflowpb.PendingActivityInfo)) *workflowpb.PendingActivityInfo {
		a := activity(kind)
		change(a)
		return a
	}
	for what, c := range map[string]struct {
		activity *workflowpb.PendingActivityInfo
		stage    string
		want     starter.RunningActivity
	}{
		"scheduled": {activity(collection.ActivityCollect), "collect", starter.RunningActivity{Attempt: 1, State: "scheduled"}},
		"started": {with(collection.ActivityParse, func(a *workflowpb.PendingActivityInfo) {
			a.State, a.LastWorkerIdentity = enumspb.PENDING_ACTIVITY_STATE_STARTED, "worker-7"
		}), "parse", starter.RunningActivity{Attempt: 1, State: "started", Worker: "worker-7"}},
		"asked to stop": {with(collection.ActivityDeliver, func(a *workflowpb.PendingActivityInfo) {
			a.State = enumspb.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED
		}), "deliver", starter.RunningActivity{Attempt: 1, State: "started"}},
		"backing off": {with(collection.ActivityCollect, func(a *workflowpb.PendingActivityInfo) {
			a.Attempt, a.NextAttemptScheduleTime = 3, timestamppb.New(soon)
			a.LastFailure = &failurepb.Failure{Message: "the site answered 503"}
		}), "collect", starter.RunningActivity{Attempt: 3, State: "backing_off", NextAttempt: &soon, LastFailure: "the site answered 503"}},
		"backed off": {with(collection.ActivityCollect, func(a *workflowpb.PendingActivityInfo) {
			a.Attempt, a.NextAttemptScheduleTime = 3, timestamppb.New(accepted)
		}), "collect", starter.RunningActivity{Attempt: 3, State: "scheduled"}},
		"paused": {with(collection.ActivityCollect, func(a *workflowpb.PendingActivityInfo) {
			a.State, a.Paused = enumspb.PENDING_ACTIVITY_STATE_PAUSED, true
		}), "collect", starter.RunningActivity{Attempt: 1, State: "paused"}},
		"paused while it backs off": {with(collection.ActivityCollect, func(a *workflowpb.PendingActivityInfo) {
			a.State, a.Paused, a.NextAttemptScheduleTime = enumspb.PENDING_ACTIVITY_STATE_PAUSED, true, timestamppb.New(soon)
		}), "collect", starter.RunningActivity{Attempt: 1, State: "paused"}},
	} {
		for _, status := range []enumspb.WorkflowExecutionStatus{running, paused} {
			tr := setup(t)
			tr.knowsRecord(booksRows[0], status, c.activity)
			got, err := tr.client.Record(t.Context(), submission, bookID(1))
			require.NoError(t, err, what)
			require.Equal(t, starter.RecordAnswer{
				Submission: submission, Record: bookID(1), Source: "books", Key: bookURL(1), Line: 1,
				Stage: c.stage, Ground: "engine", Activity: &c.want,
			}, got, what)
		}
	}
}

// TestRecordBetweenStages: no activity of the record's own is pending.
func TestRecordBetweenStages(t *testing.T) {
	t.Parallel()
	for _, pending := range [][]*workflowpb.PendingActivityInfo{nil, {activity("Another")}} {
		tr := setup(t)
		tr.knowsRecord(booksRows[0], running, pending...)
		got, err := tr.client.Record(t.Context(), submission, bookID(1))
		require.NoError(t, err)
		require.Equal(t, "collect", got.Stage)
		require.Nil(t, got.Activity)
	}
}

// TestProgressOfARunningRecord comes with the attempt's heartbeats.
func TestProgressOfARunningRecord(t *testing.T) {
	t.Parallel()
	want := collection.AttemptProgress{Ended: 1, Requests: 2, Faults: 1, Reason: collection.ReasonThrottled, InARow: 1, Waiting: "permit"}
	beat, err := converter.GetDefaultDataConverter().ToPayloads(want)
	require.NoError(t, err)
	for what, c := range map[string]struct {
		beat *commonpb.Payloads
		want *collection.AttemptProgress
	}{
		"told":            {beat, &want},
		"not told yet":    {nil, nil},
		"of another kind": {&commonpb.Payloads{Payloads: []*commonpb.Payload{{Data: []byte("?")}}}, nil},
	} {
		tr := setup(t)
		a := activity(collection.ActivityCollect)
		a.HeartbeatDetails = c.beat
		tr.knowsRecord(booksRows[0], running, a)
		got, err := tr.client.Record(t.Context(), submission, bookID(1))
		require.NoError(t, err, what)
		require.Equal(t, c.want, got.Activity.Progress, what)
	}
}

func TestRecordThatWaits(t *testing.T) {
	t.Parallel()
	tr := setup(t).underway()
	tr.engine.On("DescribeWorkflowExecution", mock.Anything, mock.Anything, "").Return(nil, errUnknown)
	for _, name := range []string{bookID(3), bookURL(3)} {
		got, err := tr.client.Record(t.Context(), submission, name)
		require.NoError(t, err)
		require.Equal(t, starter.RecordAnswer{
			Submission: submission, Record: bookID(3), Source: "books", Key: bookURL(3), Line: 5,
			Stage: starter.StageWaiting, Ground: "plan",
		}, got)
	}
}

// TestRecordOfAnotherConfiguration: the source is configured no more, so only the ledger knows whose key it is.
func TestRecordOfAnotherConfiguration(t *testing.T) {
	t.Parallel()
	tr := setup(t).underway()
	got, err := starter.New(tr.engine, tr.store, "weir-test", nil).Record(t.Context(), submission, "metropolis")
	require.NoError(t, err)
	require.Equal(t, filmsRows[0].Record, got.Record)
	require.Equal(t, "ledger", got.Ground)
}

// TestRowThatBecameNoRecord is told of by its key, unless another row of that key became one.
func TestRowThatBecameNoRecord(t *testing.T) {
	t.Parallel()
	tr := setup(t).planned()
	tr.engine.On("DescribeWorkflowExecution", mock.Anything, mock.Anything, "").Return(nil, errUnknown)
	stores(tr, collection.RejectedKey(submission, 1),
		collection.FailureRow{Line: 3, Key: "none-1", Outcome: collection.OutcomeInvalid, Reason: collection.ReasonSourceUnknown, Detail: "no source"},
		collection.FailureRow{Line: 4, Key: "metropolis", Outcome: collection.OutcomeInvalid, Reason: collection.ReasonRowMalformed})
	got, err := tr.client.Record(t.Context(), submission, "none-1")
	require.NoError(t, err)
	require.Equal(t, starter.RecordAnswer{
		Submission: submission, Key: "none-1", Line: 3, Ground: "ledger",
		Result: &collection.RecordResult{Outcome: collection.OutcomeInvalid, Reason: collection.ReasonSourceUnknown, Detail: "no source"},
	}, got)
	got, err = tr.client.Record(t.Context(), submission, "metropolis")
	require.NoError(t, err)
	require.Equal(t, 6, got.Line)
}

func TestRecordThatIsNotThere(t *testing.T) {
	t.Parallel()
	tr := setup(t).planned()
	tr.engine.On("DescribeWorkflowExecution", mock.Anything, mock.Anything, "").Return(nil, errUnknown)
	_, err := tr.client.Record(t.Context(), submission, "https://books.example/none")
	require.ErrorIs(t, err, starter.ErrNotFound)
	require.NotErrorIs(t, err, starter.ErrNotPlanned)
	require.ErrorContains(t, err, "submission acme-1 has no record https://books.example/none")

	_, err = tr.client.Record(t.Context(), "nothing", bookID(1))
	require.ErrorIs(t, err, starter.ErrNotFound)
	require.ErrorContains(t, err, "there is no submission nothing")

	_, err = tr.client.Record(t.Context(), submission, "")
	require.ErrorContains(t, err, "name the record")

	_, err = tr.client.Record(t.Context(), "no/id", bookID(1))
	require.ErrorContains(t, err, `submission id "no/id"`)
}

// TestRecordIsNotGuessed: who does not answer has not said that there is nothing.
func TestRecordIsNotGuessed(t *testing.T) {
	t.Parallel()
	id := collection.RecordWorkflowID(submission, bookID(1))
	for what, fail := range map[string]func(*trial){
		"describe": func(tr *trial) { tr.describes(id, nil, errDown) },
		"history": func(tr *trial) {
			tr.describes(id, described(collection.WorkflowRecord, running), nil)
			tr.history(id, nil, errDown)
		},
		"result": func(tr *trial) {
			tr.knowsRecord(booksRows[0], completed)
			ends(tr, id, collection.RecordResult{}, errDown)
		},
	} {
		tr := setup(t).planned()
		fail(tr)
		_, err := tr.client.Record(t.Context(), submission, bookID(1))
		require.ErrorIs(t, err, errDown, what)
		require.ErrorContains(t, err, "ask for record "+bookID(1)+" of acme-1", what)
		require.NotErrorIs(t, err, starter.ErrNotFound, what)
	}
}

// TestRecordForgottenMeanwhile: the engine's retention ends between two of our calls.
func TestRecordForgottenMeanwhile(t *testing.T) {
	t.Parallel()
	id := collection.RecordWorkflowID(submission, bookID(1))
	for what, forget := range map[string]func(*trial){
		"history": func(tr *trial) {
			tr.describes(id, described(collection.WorkflowRecord, completed), nil)
			tr.history(id, nil, errUnknown)
		},
		"result": func(tr *trial) {
			tr.knowsRecord(booksRows[0], completed)
			ends(tr, id, collection.RecordResult{}, error(errUnknown))
		},
	} {
		tr := setup(t).planned()
		forget(tr)
		got, err := tr.client.Record(t.Context(), submission, bookID(1))
		require.NoError(t, err, what)
		require.Equal(t, "ledger", got.Ground, what)
		require.Equal(t, &booksRows[0].RecordResult, got.Result, what)
	}
}

func TestRecordOfAnUnreadableInput(t *testing.T) {
	t.Parallel()
	id := collection.RecordWorkflowID(submission, bookID(1))
	tr := setup(t)
	tr.describes(id, described(collection.WorkflowRecord, running), nil)
	tr.history(id, &historypb.HistoryEvent{Attributes: &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{
		WorkflowExecutionStartedEventAttributes: &historypb.WorkflowExecutionStartedEventAttributes{
			Input: &commonpb.Payloads{Payloads: []*commonpb.Payload{{Metadata: map[string][]byte{"encoding": []byte("sealed")}}}},
		},
	}}, nil)
	_, err := tr.client.Record(t.Context(), submission, bookID(1))
	require.ErrorContains(t, err, "read the input of workflow "+id)
	require.ErrorIs(t, err, converter.ErrEncodingIsNotSupported)
	require.False(t, errors.Is(err, starter.ErrNotFound))
}
