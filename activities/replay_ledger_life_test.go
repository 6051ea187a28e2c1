package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// lifeBefore is when the rows of a submission before under the same id were written.
var lifeBefore = accepted.AddDate(0, 0, -91)

// datedAll dates the rows of a record's part of the ledger.
func (s *settling) datedAll(t require.TestingT, at time.Time, p planned) {
	rows := lines[collection.LedgerRow](t, s.store.text(t, p.ledgerKey()))
	for i := range rows {
		rows[i].AsOf = &at
	}
	require.NoError(t, writeLedger(background, s.store.Store, p.ledgerKey(), rows))
}

// rowNow is the row of a record as somebody writes it now.
func rowNow(p planned, e end, detail string) collection.LedgerRow {
	return collection.LedgerRow{Line: p.Line, Key: p.Key, Source: p.source, RecordResult: collection.RecordResult{
		Record: p.ID, Outcome: e.outcome, Reason: e.reason, Detail: detail, Attempts: 1,
	}}
}

// asOf dates a row.
func asOf(row collection.LedgerRow, at time.Time) collection.LedgerRow {
	row.AsOf = &at
	return row
}

// TestWriteLedgerInASecondLife: what a batch has to say takes the place of every row of a submission before under the same id,
// whatever that was, and inherits nothing of it; a row of a record that this one does not have goes. What stood is kept.
func TestWriteLedgerInASecondLife(t *testing.T) {
	for name, before := range map[string]end{"delivered": wasDelivered, "dead": wasEmpty, "gone": wasGone} {
		s := newSettling(t, pages(2), before)
		key := s.records[0].ledgerKey()
		rows := lines[collection.LedgerRow](t, s.store.text(t, key))
		rows[0].Raw, rows[0].Trail = kept(s.records[0]), &collection.Trail{Omitted: 3}
		foreign := rows[0]
		foreign.Record = "another"
		require.NoError(t, writeLedger(background, s.store.Store, key, append(rows, foreign)))
		s.datedAll(t, lifeBefore, s.records[0])
		stood := s.store.text(t, key)

		now := []collection.LedgerRow{rowNow(s.records[0], wasTimeout, "now"), rowNow(s.records[1], wasCancelled, "now")}
		for range 2 {
			s.written(t, accepted.Add(time.Minute), now...)
			require.Equal(t, now, undated(s.ledgerOf(t, s.records[0])), name)
		}
		require.Equal(t, stood, s.store.text(t, "ledger/s1/books/00001.g1.jsonl"), name)
		require.NotContains(t, s.store.dump(t), "ledger/s1/books/00001.g2.jsonl", "once more changes nothing")

		// An attempt of then that arrives now says nothing.
		s.written(t, lifeBefore, append(rows, foreign)...)
		require.Equal(t, now, undated(s.ledgerOf(t, s.records[0])), name)
	}

	s := newSettling(t, pages(2), wasDelivered)
	s.datedAll(t, lifeBefore, s.records[0])
	s.store.trouble = failOnce("Get "+collection.PlanKey("s1"), trouble{refuse: errOutage})
	_, err := run(t, &trial{}, (&Batches{Store: s.store}).WriteLedger, collection.WriteLedgerInput{Submission: "s1", Source: "books", Number: 1})
	requireTransient(t, err, collection.ReasonStoreUnavailable, "read the plan")
}

// TestMergeLedgerInASecondLife: a replay carries over no row of a submission before under the same id.
func TestMergeLedgerInASecondLife(t *testing.T) {
	r := newReplaying(t, pages(2), wasDelivered)
	r.datedAll(t, lifeBefore, r.records[0])
	stood := r.store.text(t, r.records[0].ledgerKey())
	dead := rowNow(r.records[1], wasTimeout, "now")
	in := r.merge(dead)
	for _, keeps := range []string{"ledger/s1/books/00001.g1.jsonl", ""} {
		out, err := run(t, &trial{}, r.MergeLedger, in)
		require.NoError(t, err)
		require.Equal(t, keeps, out.Kept)
		require.Equal(t, []collection.LedgerRow{asOf(dead, accepted)}, r.ledgerOf(t, r.records[0]))
	}
	require.Equal(t, stood, r.store.text(t, "ledger/s1/books/00001.g1.jsonl"))

	r.store.trouble = failOnce("Get "+collection.PlanKey("s1"), trouble{refuse: errOutage})
	_, err := run(t, &trial{}, r.MergeLedger, in)
	requireTransient(t, err, collection.ReasonStoreUnavailable, "read the plan")
}

// TestMergeRowsOfTwoLives says what becomes of a row of before, and of one of now, by what a replay has to say of their record.
func TestMergeRowsOfTwoLives(t *testing.T) {
	p := planned{Record: collection.Record{ID: "r", Line: 1, Key: "k"}, source: "books"}
	bare := rowNow(p, wasDelivered, "nobody saw what")
	for name, c := range map[string]struct {
		standing time.Time
		news     []collection.LedgerRow
		// want is the detail of the row that is left; empty for none.
		want    string
		changed bool
	}{
		"before, and dead now":             {lifeBefore, []collection.LedgerRow{rowNow(p, wasEmpty, "now")}, "now", true},
		"before, and gone now":             {lifeBefore, []collection.LedgerRow{rowNow(p, wasGone, "now")}, "now", true},
		"before, and nothing is said now":  {lifeBefore, nil, "", true},
		"before, and cancelled now":        {lifeBefore, []collection.LedgerRow{rowNow(p, wasCancelled, "now")}, "", true},
		"before, and no word now":          {lifeBefore, []collection.LedgerRow{rowNow(p, end{}, "now")}, "", true},
		"before, and who knows what now":   {lifeBefore, []collection.LedgerRow{bare}, "", true},
		"before, and told in that life":    {lifeBefore, []collection.LedgerRow{asOf(rowNow(p, wasEmpty, "then"), lifeBefore)}, "", true},
		"now, and dead once more":          {accepted, []collection.LedgerRow{rowNow(p, wasTimeout, "now")}, "now", true},
		"now, and nothing else is said":    {accepted, nil, "standing", false},
		"now, and told in the life before": {accepted, []collection.LedgerRow{asOf(rowNow(p, wasTimeout, "then"), lifeBefore)}, "standing", false},
	} {
		for i, row := range c.news {
			if row.AsOf == nil {
				c.news[i] = asOf(row, accepted.Add(time.Hour))
			}
		}
		standing := []collection.LedgerRow{asOf(rowNow(p, wasEmpty, "standing"), c.standing)}
		merged, changed := mergeRows(accepted, standing, c.news)
		require.Equal(t, c.changed, changed, name)
		require.Equal(t, "standing", standing[0].Detail, "%s: what was read is left as it is", name)
		if c.want == "" {
			require.Empty(t, merged, name)
			continue
		}
		require.Len(t, merged, 1, name)
		require.Equal(t, c.want, merged[0].Detail, name)
	}
}

// TestSelectDeadInASecondLife: a dead letter of a submission before under the same id is none of this one's. A part that has no
// other rows is as one that is gone.
func TestSelectDeadInASecondLife(t *testing.T) {
	r := newReplaying(t, pages(4), wasEmpty)
	require.Equal(t, 4, r.selected(t, collection.ReplayInput{}).Selected)

	r = newReplaying(t, pages(4), wasEmpty)
	r.datedAll(t, lifeBefore, r.records[0])
	plan := r.selected(t, collection.ReplayInput{})
	require.Equal(t, 2, plan.Selected)
	require.Equal(t, 2, plan.Dead)
	require.Equal(t, 1, plan.LostParts)
	require.Equal(t, []collection.BatchPlan{{Number: 2, Records: 2}}, plan.Sources[0].Batches)

	r = newReplaying(t, pages(4), wasEmpty)
	r.edit(t, r.records[0], func(row *collection.LedgerRow) { row.AsOf = &lifeBefore })
	plan = r.selected(t, collection.ReplayInput{})
	require.Equal(t, 3, plan.Selected)
	require.Zero(t, plan.LostParts)
	require.True(t, plan.Stale, "the settlement makes the row again")
	require.Equal(t, []collection.BatchPlan{{Number: 1, Records: 1}, {Number: 2, Records: 2}}, plan.Sources[0].Batches)
}
