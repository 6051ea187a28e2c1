package starter_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/promise"
	"github.com/weir-collect/weir/starter"
)

// asOf are rows that were written at a time.
func asOf(at time.Time, rows ...collection.LedgerRow) []collection.LedgerRow {
	dated := append([]collection.LedgerRow(nil), rows...)
	for i := range dated {
		dated[i].AsOf = &at
	}
	return dated
}

// lateReplay is when a replay of the submission before has written its ledger again: that outlives its plan.
var lateReplay = again.Add(-24 * time.Hour)

// withOldLedger stores a part of the ledger of before, beside the plan of a submission that runs.
func (tr *trial) withOldLedger() *trial {
	tr.secondLife()
	stores(tr, collection.LedgerKey(submission, "books", 1), asOf(lateReplay, booksRows...)...)
	tr.knows(running)
	return tr
}

// TestRecordsOfASecondLife: neither a delivery nor a dead letter of the submission before is one of the submission that has the id
// now; its own rows are told beside them.
func TestRecordsOfASecondLife(t *testing.T) {
	t.Parallel()
	outcomes := func(tr *trial) []collection.Outcome {
		tr.engine.On("ListWorkflow", mock.Anything, mock.Anything).Return(&workflowservice.ListWorkflowExecutionsResponse{}, nil)
		var all []collection.Outcome
		for row, err := range tr.client.Records(t.Context(), submission, starter.Filter{Source: "books"}) {
			require.NoError(t, err)
			all = append(all, row.Outcome)
		}
		return all
	}
	pending := starter.OutcomePending
	require.Equal(t, []collection.Outcome{pending, pending, pending}, outcomes(setup(t).withOldLedger()))

	tr := setup(t).withOldLedger()
	stores(tr, collection.LedgerKey(submission, "books", 1), append(asOf(lateReplay, booksRows[0]), asOf(again.Add(time.Hour), booksRows[1])...)...)
	require.Equal(t, []collection.Outcome{collection.OutcomeDeadLettered, pending, pending}, outcomes(tr))

	tr = setup(t).withOldLedger()
	tr.engine.On("ListWorkflow", mock.Anything, mock.Anything).Return(&workflowservice.ListWorkflowExecutionsResponse{}, nil)
	for page, err := range tr.client.Pages(t.Context(), submission, starter.Filter{Outcome: collection.OutcomeDelivered}, starter.Cursor{}) {
		require.NoError(t, err)
		require.Empty(t, page.Rows)
		require.Positive(t, page.Pending)
	}
}

// TestRecordOfASecondLife: a record waits, whatever the ledger of before has of it.
func TestRecordOfASecondLife(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 2; n++ {
		tr := setup(t).withOldLedger()
		tr.forgot(collection.RecordWorkflowID(submission, bookID(n)))
		got, err := tr.client.Record(t.Context(), submission, bookID(n))
		require.NoError(t, err)
		require.Equal(t, "plan", got.Ground)
		require.Equal(t, starter.StageWaiting, got.Stage)
		require.Nil(t, got.Result)
	}
}

// TestDeadRowsOfASecondLife: what failed in the life before is no dead letter, by the ledger or by the engine, which may remember a
// late replay of it; what has failed since is one.
func TestDeadRowsOfASecondLife(t *testing.T) {
	t.Parallel()
	const query = allFailed + ` AND WorkflowId STARTS_WITH "acme-1/"`
	f := starter.DeadFilter{Submission: submission}
	for name, c := range map[string]struct {
		failed time.Time
		want   int
	}{"then": {lateReplay, 0}, "now": {again.Add(time.Hour), 1}} {
		tr := setup(t).withOldLedger()
		tr.lists(query, []*workflowpb.WorkflowExecutionInfo{failedRun(submission+"/"+bookID(2), "books", collection.ReasonTimeout, c.failed)})
		got := dead(t, tr, f)
		require.Len(t, got, c.want, name)
		for _, l := range got {
			require.Equal(t, "engine", l.Ground)
			require.Equal(t, collection.ReasonTimeout, l.Reason)
		}
	}

	// Without a manifest of its own nothing but the engine tells; of that, only what is of this life counts.
	tr := setup(t).secondLife()
	tr.lists(allFailed, []*workflowpb.WorkflowExecutionInfo{
		failedRun(submission+"/"+bookID(1), "books", collection.ReasonTimeout, lateReplay),
		failedRun(submission+"/"+bookID(2), "books", collection.ReasonTimeout, again.Add(time.Hour)),
	})
	got := dead(t, tr, starter.DeadFilter{})
	require.Len(t, got, 1)
	require.Equal(t, bookID(2), got[0].Record)
}

// TestPastOfASecondLife: records whose batch has not ended wait still, and nobody measures by rows of a submission before.
func TestPastOfASecondLife(t *testing.T) {
	t.Parallel()
	setup := func(written time.Duration) *past {
		p := newPast(t)
		rows := startedAfter(7, written, time.Second)
		p.submitted("a-1", "acme", 0, asOf(oldTimes.Add(written), rows...))
		return p
	}
	for name, c := range map[string]struct {
		written               time.Duration
		lost, measured, parts int
	}{"then": {-24 * time.Hour, 7, 0, 0}, "now": {time.Minute, 0, 7, 1}} {
		p := setup(c.written)
		p.trial.forgot("a-1").Maybe()
		book, _, err := p.client.Waits(t.Context(), window(0, time.Hour), nil)
		require.NoError(t, err)
		require.Equal(t, c.lost, book.Report(promise.Terms{Within: time.Minute, Share: 0.9}).All.NeverStarted, name)

		m, err := p.client.Measured(t.Context(), window(0, time.Hour), nil)
		require.NoError(t, err)
		require.Equal(t, c.parts, m.Parts, name)
		require.Len(t, m.History.Services, c.measured, name)
	}
}

// TestEndOfALifeBefore: how the submission before had failed, as the sweep has kept it, is not how this one stands, nor why its
// delivery was not shipped.
func TestEndOfALifeBefore(t *testing.T) {
	t.Parallel()
	end := func(at time.Time) collection.SubmissionStatus {
		return collection.SubmissionStatus{Submission: submission, Customer: "acme", State: collection.StateFailed, AcceptedAt: at,
			Outcomes: collection.Tally{}, Reason: collection.ReasonUploadMissing, Detail: "there is no such file"}
	}
	for name, c := range map[string]struct {
		at    time.Time
		state collection.State
	}{"then": {lateReplay, collection.StateProcessing}, "now": {again, collection.StateFailed}} {
		tr := setup(t).secondLife()
		stores(tr, collection.EndKey(submission), end(c.at))
		tr.forgot(submission)
		got, err := tr.client.Status(t.Context(), submission)
		require.NoError(t, err)
		require.Equal(t, c.state, got.State, name)
	}

	for at, want := range map[time.Time]collection.Reason{
		accepted.AddDate(0, -3, 0): collection.ReasonDestinationRefused, accepted: collection.ReasonUploadMissing,
	} {
		tr := setup(t).settled(collection.StateComplete).toShip().alone()
		stores(tr, collection.EndKey(submission), end(at))
		tr.forgot(submission)
		got, err := tr.client.Status(t.Context(), submission)
		require.NoError(t, err)
		require.Equal(t, collection.StateFailed, got.State)
		require.Equal(t, want, got.Reason)
	}
}
