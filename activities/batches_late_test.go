package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// written is a batch's part of the ledger, which was written by an activity that was scheduled at some time.
func (s *settling) written(t *testing.T, at time.Time, rows ...collection.LedgerRow) {
	_, err := run(t, &trial{scheduled: at}, (&Batches{Store: s.store}).WriteLedger, collection.WriteLedgerInput{
		Submission: "s1", Source: "books", Number: 1, Rows: rows,
	})
	require.NoError(t, err)
}

// undated are rows as a workflow passes them.
func undated(rows []collection.LedgerRow) []collection.LedgerRow {
	out := append([]collection.LedgerRow(nil), rows...)
	for i := range out {
		out[i].AsOf = nil
	}
	return out
}

// TestLateWriteLedger: an attempt to write a batch's ledger that was thought lost arrives when a replay, or a settlement, has
// been there. It takes nothing back, and the manifest and the ledger go on telling the same.
func TestLateWriteLedger(t *testing.T) {
	began := accepted.Add(time.Minute)
	for name, c := range map[string]struct {
		ends []end
		then func(t *testing.T, s *settling)
	}{
		"a replay delivered": {[]end{wasDelivered, wasEmpty}, func(t *testing.T, s *settling) {
			s.delivers(t, s.records[1], settledAt)
		}},
		"a replay came to another end": {[]end{wasDelivered, wasEmpty}, func(t *testing.T, s *settling) {
			row := undated(s.ledgerOf(t, s.records[1]))[1]
			row.Reason, row.Detail = collection.ReasonTimeout, "what the replay met"
			_, err := run(t, &trial{scheduled: settledAt}, (&Replayer{Store: s.store}).MergeLedger,
				collection.MergeLedgerInput{Submission: "s1", Source: "books", Number: 1, Rows: []collection.LedgerRow{row}})
			require.NoError(t, err)
		}},
		"a delivery was lost": {[]end{wasDelivered}, func(_ *testing.T, s *settling) {
			s.store.remove(s.records[1].deliveredKey())
		}},
		"nothing happened": {[]end{wasDelivered, wasEmpty}, func(*testing.T, *settling) {}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSettling(t, pages(2), c.ends...)
			rows := undated(s.ledgerOf(t, s.records[0]))
			s.store.remove(s.records[0].ledgerKey())
			s.written(t, began, rows...)
			c.then(t, s)
			_, m := settleAt(t, s, settledAt.Add(time.Minute))
			want := s.store.sums(t)
			s.written(t, began, rows...)
			require.Equal(t, want, s.store.sums(t))
			_, again := settleAt(t, s, settledAt.Add(time.Hour))
			require.Equal(t, m, again)
		})
	}
}

// settleAt settles by an activity that was scheduled at some time.
func settleAt(t *testing.T, s *settling, at time.Time) (collection.SettleResult, collection.Manifest) {
	return s.mustSettle(t, &trial{scheduled: at})
}

// TestLateMergeLedger: the same of a replay, whose delivery was found lost before its late attempt arrives.
func TestLateMergeLedger(t *testing.T) {
	s := newSettling(t, pages(2), wasDelivered, wasEmpty)
	s.delivers(t, s.records[1], settledAt)
	merged := undated(s.ledgerOf(t, s.records[1]))[1:]
	s.store.remove(s.records[1].deliveredKey())
	settleAt(t, s, settledAt.Add(time.Minute))
	require.NotNil(t, s.ledgerOf(t, s.records[1])[1].Lost)
	want := s.store.sums(t)
	for _, at := range []time.Time{settledAt, settledAt.Add(time.Hour)} {
		// The later one is a replay that takes over what the record's workflow had told before.
		_, err := run(t, &trial{scheduled: at}, (&Replayer{Store: s.store}).MergeLedger,
			collection.MergeLedgerInput{Submission: "s1", Source: "books", Number: 1, Rows: merged})
		require.NoError(t, err)
		require.Equal(t, want, s.store.sums(t))
	}
	s.delivers(t, s.records[1], settledAt.Add(2*time.Hour))
	require.NotNil(t, s.ledgerOf(t, s.records[1])[1].Delivered, "delivered anew it is")
}

// TestWriteLedgerOfABatchThatRanAgain: what it has come to this time is the newer word, and what stood before is kept.
func TestWriteLedgerOfABatchThatRanAgain(t *testing.T) {
	s := newSettling(t, pages(2), wasDelivered, wasCancelled)
	rows := undated(s.ledgerOf(t, s.records[0]))
	s.store.remove(s.records[0].ledgerKey())
	s.written(t, accepted, rows...)
	before := s.store.text(t, s.records[0].ledgerKey())
	again := s.ended(t, "books", 1, s.records[1].Record, wasDelivered)
	s.written(t, accepted.Add(time.Hour), rows[0], again)
	got := s.ledgerOf(t, s.records[1])
	require.Equal(t, again.Delivered, got[1].Delivered)
	require.Equal(t, accepted.Add(time.Hour), *got[1].AsOf)
	require.Equal(t, accepted, *got[0].AsOf, "the first was no news")
	require.Equal(t, before, s.store.text(t, "ledger/s1/books/00001.g1.jsonl"))
}

// TestReplaces says which of two rows of a record stands, by when each of them was told.
func TestReplaces(t *testing.T) {
	type row = collection.LedgerRow
	of := func(e end, detail string) row {
		return row{RecordResult: collection.RecordResult{Record: "r", Outcome: e.outcome, Reason: e.reason, Detail: detail}}
	}
	object := func(sha256 string, generation, minute int) *collection.Delivered {
		return &collection.Delivered{Key: "k", SHA256: sha256, Generation: generation, VerifiedAt: accepted.Add(time.Duration(minute) * time.Minute)}
	}
	delivery := func(d *collection.Delivered) row {
		r := of(wasDelivered, "")
		r.Delivered = d
		return r
	}
	lost := of(end{collection.OutcomeDeadLettered, collection.ReasonDeliveryLost}, "not there")
	lost.Lost = object("a", 1, 0)
	early, late := accepted, accepted.Add(time.Second)
	for name, c := range map[string]struct {
		fresh, standing row
		// earlier, same and later say whether the fresh row stands when it was told then, seen from the one that stands.
		earlier, same, later bool
	}{
		"the same end":                        {of(wasEmpty, "x"), of(wasEmpty, "x"), false, false, false},
		"dead in another way":                 {of(wasTimeout, "y"), of(wasEmpty, "x"), false, true, true},
		"delivered, and was dead":             {delivery(object("a", 1, 0)), of(wasEmpty, "x"), false, true, true},
		"delivered, and was cancelled":        {delivery(object("a", 1, 0)), of(wasCancelled, ""), false, true, true},
		"delivered, and was gone":             {delivery(object("a", 1, 0)), of(wasGone, ""), false, false, true},
		"dead, and was delivered":             {of(wasEmpty, "x"), delivery(object("a", 1, 0)), false, false, false},
		"gone, and was delivered":             {of(wasGone, ""), delivery(object("a", 1, 0)), false, false, false},
		"cancelled, and was dead":             {of(wasCancelled, ""), of(wasEmpty, "x"), false, false, false},
		"cancelled, and was delivered":        {of(wasCancelled, ""), delivery(object("a", 1, 0)), false, false, false},
		"delivered as it was":                 {delivery(object("a", 1, 5)), delivery(object("a", 1, 0)), false, false, false},
		"delivered with another content":      {delivery(object("b", 2, 5)), delivery(object("a", 1, 0)), false, false, true},
		"delivered with an older content":     {delivery(object("a", 1, 0)), delivery(object("b", 2, 5)), false, false, false},
		"told again what was found lost":      {delivery(object("a", 1, 0)), lost, false, false, false},
		"delivered again what was found lost": {delivery(object("a", 1, 5)), lost, false, true, true},
		"a delivery that nobody saw":          {delivery(nil), of(wasEmpty, "x"), false, false, false},
		"no word":                             {row{}, of(wasEmpty, "x"), false, false, false},
	} {
		try := func(fresh, standing *time.Time) bool {
			a, b := c.fresh, c.standing
			a.AsOf, b.AsOf = fresh, standing
			return replaces(a, b)
		}
		require.Equal(t, c.earlier, try(&early, &late), "%s: earlier", name)
		require.Equal(t, c.same, try(&late, &late), "%s: same", name)
		require.Equal(t, c.same, try(nil, nil), "%s: nobody knows when", name)
		require.Equal(t, c.later, try(&late, &early), "%s: later", name)
		require.Equal(t, c.later, try(&late, nil), "%s: later than one that does not say when", name)
		require.Equal(t, c.earlier, try(nil, &early), "%s: before one that says when", name)
	}
}

// TestSettleCompletesBesideTheBatch: the batch writes its rows between the settlement's reading and writing of the ledger. They
// say more than what the settlement has found, and stay.
func TestSettleCompletesBesideTheBatch(t *testing.T) {
	s := newSettling(t, pages(2), wasDelivered, wasEmpty)
	rows := undated(s.ledgerOf(t, s.records[0]))
	s.store.remove(s.records[0].ledgerKey())
	s.store.trouble = func(_ int, op, key string) trouble {
		if op == "Create" && key == s.records[0].ledgerKey() {
			s.store.trouble = nil
			s.written(t, accepted, rows...)
		}
		return trouble{}
	}
	_, m := settleAt(t, s, settledAt)
	require.Equal(t, collection.Tally{
		{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonParseEmpty, Records: 1},
		{Outcome: collection.OutcomeDelivered, Records: 1},
	}, m.Outcomes)
	require.Equal(t, rows, undated(s.ledgerOf(t, s.records[0])))
}
