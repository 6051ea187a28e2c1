package starter_test

import (
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// list collects what Records yields, up to its error.
func list(t *testing.T, tr *trial, id string, f starter.Filter) (lines []int, failed error) {
	t.Helper()
	for row, err := range tr.client.Records(t.Context(), id, f) {
		require.NoError(t, failed, "nothing comes after an error")
		if err != nil {
			require.Zero(t, row)
			failed = err
			continue
		}
		lines = append(lines, row.Line)
	}
	return lines, failed
}

// TestRecordsRows: every row is told once, in the order of the plan, as the objects have it.
func TestRecordsRows(t *testing.T) {
	t.Parallel()
	tr := setup(t).underway()
	var rows []collection.LedgerRow
	for row, err := range tr.client.Records(t.Context(), submission, starter.Filter{}) {
		require.NoError(t, err)
		rows = append(rows, row)
	}
	want := []collection.LedgerRow{
		{Line: 3, RecordResult: collection.RecordResult{Outcome: collection.OutcomeInvalid, Reason: collection.ReasonRowMalformed, Detail: "it has no URL"}},
		{Line: 4, Key: bookURL(1), Source: "books", RecordResult: collection.RecordResult{
			Record: bookID(1), Outcome: collection.OutcomeDuplicate, Reason: collection.ReasonRowDuplicate,
		}},
		booksRows[0], booksRows[1],
		{Line: 5, Key: bookURL(3), Source: "books", RecordResult: collection.RecordResult{Record: bookID(3), Outcome: starter.OutcomePending}},
		filmsRows[0],
	}
	require.Equal(t, want, rows)
	require.Len(t, rows, plan.Expected)
}

func TestRecordsFilters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		filter starter.Filter
		lines  []int
	}{
		{starter.Filter{Outcome: collection.OutcomeDelivered}, []int{1}},
		{starter.Filter{Outcome: collection.OutcomeInvalid}, []int{3}},
		{starter.Filter{Outcome: starter.OutcomePending}, []int{5}},
		{starter.Filter{Reason: collection.ReasonParseEmpty}, []int{2}},
		{starter.Filter{Outcome: collection.OutcomeDelivered, Reason: collection.ReasonParseEmpty}, nil},
		{starter.Filter{Source: "books"}, []int{4, 1, 2, 5}},
		{starter.Filter{Source: "books", Outcome: collection.OutcomeDuplicate}, []int{4}},
		{starter.Filter{Source: "films"}, []int{6}},
		{starter.Filter{Source: "none"}, nil},
	} {
		tr := setup(t).underway()
		lines, err := list(t, tr, submission, c.filter)
		require.NoError(t, err)
		require.Equal(t, c.lines, lines, "%+v", c.filter)
		if c.filter.Source == "films" {
			require.NotContains(t, tr.store.reads, collection.LedgerKey(submission, "books", 1), "another source's batches are not read")
		}
	}
}

// TestRecordsStopEarly: one batch is read at a time, and none after the caller has seen enough.
func TestRecordsStopEarly(t *testing.T) {
	t.Parallel()
	order := []string{
		collection.PlanKey(submission), collection.RejectedKey(submission, 1), collection.LedgerKey(submission, "books", 1),
		collection.LedgerKey(submission, "books", 2), collection.BatchKey(submission, "books", 2), collection.LedgerKey(submission, "films", 1),
	}
	for wanted, reads := range map[int]int{1: 2, 2: 2, 3: 3, 4: 3, 5: 5, 6: 6} {
		tr := setup(t).underway()
		seen := 0
		for _, err := range tr.client.Records(t.Context(), submission, starter.Filter{}) {
			require.NoError(t, err)
			if seen++; seen == wanted {
				break
			}
		}
		require.Equal(t, order[:reads], tr.store.reads, "after %d rows", wanted)
	}
	tr := setup(t).underway()
	tr.client.Records(t.Context(), submission, starter.Filter{})
	require.Empty(t, tr.store.reads, "nothing is read before somebody looks")
}

// TestRecordsFailWithTheObject: an object that cannot be read is named, with its line, and ends the list; what came before
// stands.
func TestRecordsFailWithTheObject(t *testing.T) {
	t.Parallel()
	for key, before := range map[string][]int{
		collection.PlanKey(submission):               nil,
		collection.RejectedKey(submission, 1):        nil,
		collection.LedgerKey(submission, "books", 1): {3, 4},
		collection.BatchKey(submission, "books", 2):  {3, 4, 1, 2},
		collection.LedgerKey(submission, "films", 1): {3, 4, 1, 2, 5},
	} {
		tr := setup(t).underway()
		tr.store.fails[key] = errDown
		lines, err := list(t, tr, submission, starter.Filter{})
		require.ErrorIs(t, err, errDown, key)
		require.Equal(t, before, lines, key)
		if key != collection.PlanKey(submission) {
			require.ErrorContains(t, err, key)
		}
	}
	tr := setup(t).underway()
	_, err := tr.store.Put(t.Context(), collection.LedgerKey(submission, "books", 1), []byte("{\"line\":1}\n{\"line\":\n"), "")
	require.NoError(t, err)
	_, err = list(t, tr, submission, starter.Filter{})
	require.ErrorContains(t, err, "ledger/acme-1/books/00001.jsonl, line 2")
}

// TestABatchThatIsGone: neither its ledger nor its plan is there. That is no empty batch.
func TestABatchThatIsGone(t *testing.T) {
	t.Parallel()
	tr := setup(t).underway()
	tr.store.fails[collection.BatchKey(submission, "books", 2)] = collection.ErrObjectMissing
	_, err := list(t, tr, submission, starter.Filter{})
	require.ErrorIs(t, err, collection.ErrObjectMissing)
	require.NotErrorIs(t, err, starter.ErrNotFound, "the submission is there")
}

// TestNotPlanned: whoever asks for rows is told whether there is no submission, or no plan of it.
func TestNotPlanned(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		remember   func(*trial)
		notPlanned bool
		says       string
	}{
		"running":   {func(tr *trial) { tr.knows(running) }, true, "submission acme-1 has no plan yet"},
		"paused":    {func(tr *trial) { tr.knows(paused) }, true, "submission acme-1 has no plan yet"},
		"failed":    {func(tr *trial) { tr.knows(failed) }, true, "submission acme-1 ended without a plan"},
		"cancelled": {func(tr *trial) { tr.knows(cancelled) }, true, "submission acme-1 ended without a plan"},
		"completed": {func(tr *trial) { tr.knows(completed) }, false, "its plan has been deleted"},
		"unknown":   {func(tr *trial) { tr.forgot(submission) }, false, "there is no submission acme-1"},
		"foreign": {func(tr *trial) { tr.describes(submission, described("Invoice", running), nil) }, false,
			"there is no submission acme-1"},
	} {
		ask := map[string]func(*trial) error{
			"records": func(tr *trial) error { _, err := list(t, tr, submission, starter.Filter{}); return err },
			"links":   func(tr *trial) error { _, err := tr.client.Links(t.Context(), submission, hour); return err },
			"record": func(tr *trial) error {
				tr.forgot(collection.RecordWorkflowID(submission, bookID(1)))
				_, err := tr.client.Record(t.Context(), submission, bookID(1))
				return err
			},
		}
		for how, asked := range ask {
			tr := setup(t)
			c.remember(tr)
			err := asked(tr)
			require.ErrorIs(t, err, starter.ErrNotFound, "%s %s", what, how)
			require.ErrorContains(t, err, c.says, "%s %s", what, how)
			if c.notPlanned {
				require.ErrorIs(t, err, starter.ErrNotPlanned, "%s %s", what, how)
			} else {
				require.NotErrorIs(t, err, starter.ErrNotPlanned, "%s %s", what, how)
			}
		}
	}

	tr := setup(t)
	tr.describes(submission, nil, errDown)
	_, err := list(t, tr, submission, starter.Filter{})
	require.ErrorIs(t, err, errDown)
	require.NotErrorIs(t, err, starter.ErrNotFound, "nobody has said so")
}

// TestRecordsWithoutALedger: what has ended is not pending for ever.
func TestRecordsWithoutALedger(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(*trial)
		outcome collection.Outcome
		detail  string
	}{
		"running":              {func(tr *trial) { tr.knows(running) }, starter.OutcomePending, ""},
		"running again":        {func(tr *trial) { tr.settled(collection.StateComplete).knows(running) }, starter.OutcomePending, ""},
		"settled":              {func(tr *trial) { tr.settled(collection.StateComplete).knows(completed) }, starter.OutcomeUnknown, "its ledger is no longer kept"},
		"settled, forgotten":   {func(tr *trial) { tr.settled(collection.StateComplete).forgot(submission) }, starter.OutcomeUnknown, "its ledger is no longer kept"},
		"settled, not shipped": {func(tr *trial) { tr.settled(collection.StateComplete).knows(failed) }, starter.OutcomeUnknown, "its ledger is no longer kept"},
		"cancelled":            {func(tr *trial) { tr.settled(collection.StateCancelled).knows(cancelled) }, starter.OutcomeUnknown, "ended before"},
		"terminated":           {func(tr *trial) { tr.knows(terminated) }, starter.OutcomeUnknown, "ended before"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := setup(t).planned()
			c.prepare(tr)
			var rows []collection.LedgerRow
			for row, err := range tr.client.Records(t.Context(), submission, starter.Filter{}) {
				require.NoError(t, err)
				rows = append(rows, row)
			}
			require.Len(t, rows, plan.Expected)
			require.Equal(t, bookID(3), rows[4].Record)
			require.Equal(t, c.outcome, rows[4].Outcome)
			require.Contains(t, rows[4].Detail, c.detail)
		})
	}
	// A record of it is no more waiting either.
	tr := setup(t).settled(collection.StateComplete)
	tr.engine.On("DescribeWorkflowExecution", mock.Anything, mock.Anything, "").Return(nil, errUnknown)
	got, err := tr.client.Record(t.Context(), submission, bookID(3))
	require.NoError(t, err)
	require.Empty(t, got.Stage)
	require.Equal(t, "its ledger is no longer kept", got.Result.Detail)

	tr = setup(t).planned()
	tr.describes(submission, nil, errDown)
	_, err = list(t, tr, submission, starter.Filter{})
	require.ErrorIs(t, err, errDown)

	tr = setup(t).planned()
	tr.forgot(submission)
	tr.store.fails[collection.ManifestKey("acme", submission)] = errDown
	_, err = list(t, tr, submission, starter.Filter{})
	require.ErrorIs(t, err, errDown)
}
