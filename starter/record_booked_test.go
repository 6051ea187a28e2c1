package starter_test

import (
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// replayed lets the engine know a dead letter's run by a replay, and how that ended.
func (tr *trial) replayed(status enumspb.WorkflowExecutionStatus, result collection.RecordResult, err error) {
	in := recordInput(booksRows[1])
	in.Replay = &collection.RecordReplay{Attempts: 2}
	id := collection.RecordWorkflowID(submission, in.Record.ID)
	tr.describes(id, described(collection.WorkflowRecord, status), nil)
	tr.startedWith(id, in)
	ends(tr, id, result, err)
}

// bookedAs is what the lists say of a record.
func bookedAs(t *testing.T, tr *trial, record string) collection.LedgerRow {
	t.Helper()
	for row, err := range tr.client.Records(t.Context(), submission, starter.Filter{Source: "books"}) {
		require.NoError(t, err)
		if row.Record == record && row.Outcome != collection.OutcomeDuplicate {
			return row
		}
	}
	t.Fatalf("no row of %s", record)
	return collection.LedgerRow{}
}

// TestRecordThatAReplayHasEnded: once no replay runs any more, a record is what the ledger says, as the lists and the manifest
// have it. One that was stopped before the ledger had heard of what it did is to be made again.
func TestRecordThatAReplayHasEnded(t *testing.T) {
	t.Parallel()
	redelivered := &collection.Delivered{Key: "results/acme/acme-1/records/y.json", SHA256: "cd", Generation: 1, VerifiedAt: accepted.Add(hour)}
	delivered := collection.RecordResult{Record: bookID(2), Outcome: collection.OutcomeDelivered, Attempts: 3, Delivered: redelivered}
	deadAgain := collection.RecordResult{Record: bookID(2), Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonTimeout, Attempts: 3}
	sameAgain := booksRows[1].RecordResult
	sameAgain.Attempts = 3
	lost := func(what *collection.Delivered) collection.RecordResult {
		return collection.RecordResult{Record: bookID(2), Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonDeliveryLost, Lost: what}
	}
	const byLedger, byEngine = "ledger", "engine"
	for name, c := range map[string]struct {
		// replay is how the replay stands; zero says that the engine has forgotten it.
		replay enumspb.WorkflowExecutionStatus
		ended  collection.RecordResult
		booked collection.RecordResult
		ground string
		noted  bool
	}{
		"terminated":                      {terminated, delivered, booksRows[1].RecordResult, byLedger, true},
		"failed":                          {failed, delivered, booksRows[1].RecordResult, byLedger, true},
		"forgotten":                       {0, delivered, booksRows[1].RecordResult, byLedger, true},
		"it runs still":                   {running, delivered, booksRows[1].RecordResult, byEngine, false},
		"booked":                          {completed, delivered, delivered, byEngine, false},
		"dead for another reason":         {terminated, deadAgain, booksRows[1].RecordResult, byLedger, true},
		"dead for another reason, booked": {completed, deadAgain, deadAgain, byEngine, false},
		"dead as before":                  {terminated, sameAgain, booksRows[1].RecordResult, byEngine, false},
		"dead, and delivered before":      {completed, deadAgain, delivered, byLedger, false},
		"lost once more":                  {completed, delivered, lost(redelivered), byLedger, false},
		"delivered again, not booked":     {terminated, delivered, lost(booksRows[0].Delivered), byLedger, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := setup(t).settled(collection.StatePartiallyFailed)
			row := booksRows[1]
			row.RecordResult = c.booked
			stores(tr, collection.LedgerKey(submission, "books", 1), booksRows[0], row)
			if c.replay == 0 {
				tr.forgot(collection.ReplayWorkflowID(submission))
			} else {
				tr.describes(collection.ReplayWorkflowID(submission), described(collection.WorkflowReplay, c.replay), nil)
			}
			tr.forgot(submission).Maybe()
			var err error
			status := completed
			if c.ended.Outcome == collection.OutcomeDeadLettered {
				status = failed
				err = ended(temporal.NewApplicationErrorWithOptions("failed", string(c.ended.Reason),
					temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{c.ended}}))
			}
			tr.replayed(status, c.ended, err)
			got, err := tr.client.Record(t.Context(), submission, bookID(2))
			require.NoError(t, err)
			require.Equal(t, c.ground, got.Ground)
			if name != "it runs still" {
				said := bookedAs(t, tr, bookID(2))
				require.Equal(t, said.Outcome, got.Result.Outcome, "one answer")
				require.Equal(t, said.Reason, got.Result.Reason, "one answer")
			}
			if !c.noted {
				require.Empty(t, got.Notes)
				return
			}
			require.Len(t, got.Notes, 1)
			require.Contains(t, got.Notes[0], "a replay has ended this record as "+string(c.ended.Outcome))
			require.Contains(t, got.Notes[0], "weir replay acme-1 --record "+bookID(2))
		})
	}
}

// TestRecordThatAReplayHasEndedAlone: where the ledger, or the engine's word on the replay, is not to be had, what is known of
// the record stands.
func TestRecordThatAReplayHasEndedAlone(t *testing.T) {
	t.Parallel()
	delivered := collection.RecordResult{Record: bookID(2), Outcome: collection.OutcomeDelivered, Delivered: booksRows[0].Delivered}
	replay := collection.ReplayWorkflowID(submission)
	for name, c := range map[string]struct {
		prepare func(tr *trial)
		notes   int
	}{
		"the ledger is not kept": {func(tr *trial) {
			tr.forgot(replay)
			tr.store.fails[collection.LedgerKey(submission, "books", 1)] = collection.ErrObjectMissing
		}, 0},
		"the store is away":       {func(tr *trial) { tr.forgot(replay); tr.storeAway() }, 1},
		"nobody tells the replay": {func(tr *trial) { tr.describes(replay, nil, errDown) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := setup(t).settled(collection.StatePartiallyFailed)
			c.prepare(tr)
			tr.forgot(submission).Maybe()
			tr.replayed(completed, delivered, nil)
			got, err := tr.client.Record(t.Context(), submission, bookID(2))
			require.NoError(t, err)
			require.Equal(t, "engine", got.Ground)
			require.Equal(t, &delivered, got.Result)
			require.Len(t, got.Notes, c.notes)
		})
	}
}

// TestHalfAPart: a part of very large rows is written some rows at a time. The others are told of as those of a part that is
// not there: pending while the submission runs, unknown once it has ended.
func TestHalfAPart(t *testing.T) {
	t.Parallel()
	for outcome, knows := range map[collection.Outcome]func(tr *trial){
		starter.OutcomePending: func(tr *trial) { tr.knows(running) },
		starter.OutcomeUnknown: func(tr *trial) { tr.knows(terminated) },
	} {
		t.Run(string(outcome), func(t *testing.T) {
			t.Parallel()
			tr := setup(t).planned()
			knows(tr)
			tr.engine.On("DescribeWorkflowExecution", mock.Anything, mock.Anything, "").Return(nil, errUnknown).Maybe()
			stores(tr, collection.BatchKey(submission, "books", 1),
				collection.Record{ID: bookID(1), Line: 1, Key: bookURL(1)}, collection.Record{ID: bookID(2), Line: 2, Key: bookURL(2)})
			// The second of two rows was written first.
			stores(tr, collection.LedgerKey(submission, "books", 1), booksRows[1])
			lines, err := list(t, tr, submission, starter.Filter{Source: "books"})
			require.NoError(t, err)
			require.Equal(t, []int{4, 2, 1, 5}, lines, "every row once, those of the ledger where they will stay")
			require.Equal(t, booksRows[1].Outcome, bookedAs(t, tr, bookID(2)).Outcome)
			require.Equal(t, outcome, bookedAs(t, tr, bookID(1)).Outcome)
			lines, err = list(t, tr, submission, starter.Filter{Source: "books", Outcome: outcome})
			require.NoError(t, err)
			require.Equal(t, []int{1, 5}, lines)

			got, err := tr.client.Record(t.Context(), submission, bookURL(1))
			require.NoError(t, err)
			require.Equal(t, "plan", got.Ground)
			require.Equal(t, 1, got.Line)
			require.Equal(t, outcome == starter.OutcomePending, got.Stage == starter.StageWaiting)
		})
	}
	// The batch has ended between the two looks at its ledger.
	tr := setup(t).planned()
	stores(tr, collection.LedgerKey(submission, "books", 1), booksRows[0])
	stores(tr, collection.LedgerKey(submission, "books", 2), collection.LedgerRow{Line: 5, Source: "books", RecordResult: collection.RecordResult{Record: bookID(3)}})
	tr.forgot(submission).Run(func(mock.Arguments) { stores(tr, collection.LedgerKey(submission, "books", 1), booksRows...) })
	lines, err := list(t, tr, submission, starter.Filter{Source: "books"})
	require.NoError(t, err)
	require.Equal(t, []int{4, 1, 2, 5}, lines)
	require.NotContains(t, tr.store.reads, collection.BatchKey(submission, "books", 1))
}

// TestWaitsOfHalfAPart: the records whose rows are not written yet are under way, and not left out.
func TestWaitsOfHalfAPart(t *testing.T) {
	t.Parallel()
	p := newPast(t)
	p.submitted("a-1", "acme", 0, startedAfter(10, 0, 1))
	stores(p.trial, collection.LedgerKey("a-1", "books", 1), startedAfter(4, 0, 1)...)
	p.running("a-1", 10, 10)
	book, _, err := p.client.Waits(t.Context(), window(0, hour), nil)
	require.NoError(t, err)
	line := book.Report(anHourLater).All
	require.Equal(t, 6, line.UnderWay)
}
