package activities

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

// delivers is the row of a record that a replay has delivered.
func (r *replaying) delivers(t require.TestingT, p planned) collection.LedgerRow {
	row := r.ended(t, p.source, p.batch, p.Record, wasDelivered)
	row.Attempts = 1
	row.Delivered.VerifiedAt = settledAt.Add(time.Minute)
	return row
}

func (r *replaying) merge(rows ...collection.LedgerRow) collection.MergeLedgerInput {
	return collection.MergeLedgerInput{Submission: "s1", Source: "books", Number: 1, Rows: rows}
}

func TestMergeLedger(t *testing.T) {
	r := newReplaying(t, pages(2), wasEmpty, wasTimeout)
	key := r.records[0].ledgerKey()
	before := r.store.text(t, key)
	in := r.merge(r.delivers(t, r.records[0]))
	out, err := run(t, &trial{}, r.MergeLedger, in)
	require.NoError(t, err)
	require.Equal(t, collection.MergeLedgerResult{Ledger: key, Kept: "ledger/s1/books/00001.g1.jsonl"}, out)
	require.Equal(t, before, r.store.text(t, out.Kept))
	rows := lines[collection.LedgerRow](t, r.store.text(t, key))
	require.Equal(t, collection.OutcomeDelivered, rows[0].Outcome)
	require.Equal(t, kept(r.records[0]), rows[0].Raw, "the bytes that it was parsed from stay known")
	require.Equal(t, collection.OutcomeDeadLettered, rows[1].Outcome, "the other one is as it was")

	// Once more changes nothing.
	all := r.store.sums(t)
	out, err = run(t, &trial{}, r.MergeLedger, in)
	require.NoError(t, err)
	require.Empty(t, out.Kept)
	require.Equal(t, all, r.store.sums(t))

	// The next replay makes the third generation.
	in = r.merge(r.delivers(t, r.records[1]))
	out, err = run(t, &trial{}, r.MergeLedger, in)
	require.NoError(t, err)
	require.Equal(t, "ledger/s1/books/00001.g2.jsonl", out.Kept)
	info, err := r.store.Head(background, key)
	require.NoError(t, err)
	require.Equal(t, 3, info.Generation)
}

// TestMergeLedgerTakesOnlyWhatIsBetter says which news changes a row.
func TestMergeLedgerTakesOnlyWhatIsBetter(t *testing.T) {
	result := func(e end, detail string) collection.RecordResult {
		r := collection.RecordResult{Record: "r", Outcome: e.outcome, Reason: e.reason, Detail: detail, Attempts: 1}
		if e.outcome == collection.OutcomeDelivered {
			r.Delivered = &collection.Delivered{Key: "k"}
		}
		return r
	}
	bare := result(wasDelivered, "")
	bare.Delivered = nil
	for name, c := range map[string]struct {
		fresh, old collection.RecordResult
		takes      bool
	}{
		"delivered at last":              {result(wasDelivered, ""), result(wasEmpty, "x"), true},
		"dead for another reason":        {result(wasTimeout, "y"), result(wasEmpty, "x"), true},
		"gone by now":                    {result(wasGone, ""), result(wasEmpty, "x"), true},
		"terminated before, delivered":   {result(wasDelivered, ""), result(wasTerminated, ""), true},
		"dead in the same way":           {result(wasEmpty, "x"), result(wasEmpty, "x"), false},
		"a replay that was cancelled":    {result(wasCancelled, ""), result(wasEmpty, "x"), false},
		"a replay that was terminated":   {result(wasTerminated, ""), result(wasEmpty, "x"), false},
		"no news":                        {collection.RecordResult{}, result(wasEmpty, "x"), false},
		"delivered, but nobody saw what": {bare, result(wasEmpty, "x"), false},
		"delivered meanwhile":            {result(wasEmpty, "x"), result(wasDelivered, ""), false},
		"gone meanwhile":                 {result(wasEmpty, "x"), result(wasGone, ""), false},
	} {
		require.Equal(t, c.takes, supersedes(c.fresh, c.old), name)
	}
}

// TestMergeLedgerIsMergedOnce: merging in any order and any number of times comes to the same, and never loses a delivery.
func TestMergeLedgerIsMergedOnce(t *testing.T) {
	ends := []end{wasDelivered, wasGone, wasEmpty, wasCancelled, wasTimeout}
	draw := func(t *rapid.T, label string, n int) []collection.LedgerRow {
		rows := make([]collection.LedgerRow, n)
		for i := range rows {
			e := ends[rapid.IntRange(0, len(ends)-1).Draw(t, label)]
			rows[i].RecordResult = collection.RecordResult{Record: fmt.Sprint(i), Outcome: e.outcome, Reason: e.reason}
			if e.outcome == collection.OutcomeDelivered {
				rows[i].Delivered = &collection.Delivered{}
			}
		}
		return rows
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "records")
		ledger, news := draw(t, "ledger", n), draw(t, "news", n)
		delivered := map[string]bool{}
		for _, row := range append(append([]collection.LedgerRow{}, ledger...), news...) {
			delivered[row.Record] = delivered[row.Record] || row.Outcome == collection.OutcomeDelivered
		}
		gone := map[string]bool{}
		for _, row := range ledger {
			gone[row.Record] = row.Outcome == collection.OutcomeGone
		}
		ledger, _ = mergeRows(accepted, ledger, news)
		again, changed := mergeRows(accepted, ledger, news)
		require.False(t, changed, "once more changes nothing")
		require.Equal(t, ledger, again)
		for _, row := range ledger {
			require.Equal(t, delivered[row.Record] && !gone[row.Record], row.Outcome == collection.OutcomeDelivered, row.Record)
		}
	})
}

// TestMergeLedgerCrossed: somebody else writes the part between our reading and writing it; both results stand.
func TestMergeLedgerCrossed(t *testing.T) {
	r := newReplaying(t, pages(2), wasEmpty)
	crossed := false
	r.store.trouble = func(_ int, op, key string) trouble {
		if op == "Replace" && !crossed {
			crossed = true
			r.edit(t, r.records[1], func(row *collection.LedgerRow) {
				row.RecordResult = r.delivers(t, r.records[1]).RecordResult
			})
		}
		return trouble{}
	}
	_, err := run(t, &trial{}, r.MergeLedger, r.merge(r.delivers(t, r.records[0])))
	require.NoError(t, err)
	for _, row := range lines[collection.LedgerRow](t, r.store.text(t, r.records[0].ledgerKey())) {
		require.Equal(t, collection.OutcomeDelivered, row.Outcome)
	}
	dump := r.store.dump(t)
	require.Contains(t, dump, "ledger/s1/books/00001.g1.jsonl")
	require.Contains(t, dump, "ledger/s1/books/00001.g2.jsonl", "what stood in between is kept as well")

	always := newReplaying(t, pages(2), wasEmpty)
	n := 0
	always.store.trouble = func(_ int, op, key string) trouble {
		if op == "Replace" {
			n++
			always.edit(t, always.records[1], func(row *collection.LedgerRow) { row.Detail = fmt.Sprint(n) })
		}
		return trouble{}
	}
	_, err = run(t, &trial{}, always.MergeLedger, always.merge(always.delivers(t, always.records[0])))
	requireTransient(t, err, collection.ReasonStoreUnavailable, "somebody else writes it all the time")
	require.Equal(t, mergeTries, n)
}

// TestMergeLedgerCrashes: whichever call fails, and however, the next attempt comes to the same ledger.
func TestMergeLedgerCrashes(t *testing.T) {
	fresh := func() (*replaying, collection.MergeLedgerInput) {
		r := newReplaying(t, pages(2), wasEmpty)
		in := r.merge(r.delivers(t, r.records[0]))
		r.store.calls = nil
		return r, in
	}
	clean, in := fresh()
	_, err := run(t, &trial{}, clean.MergeLedger, in)
	require.NoError(t, err)
	for n := 1; n <= clean.store.count(); n++ {
		for _, failing := range []trouble{{refuse: errOutage}, {lose: errOutage}} {
			r, in := fresh()
			r.store.trouble = func(call int, _, _ string) trouble {
				if call == n {
					return failing
				}
				return trouble{}
			}
			_, err := run(t, &trial{}, r.MergeLedger, in)
			requireTransient(t, err, collection.ReasonStoreUnavailable)
			r.store.trouble = nil
			_, err = run(t, &trial{}, r.MergeLedger, in)
			require.NoError(t, err)
			require.Equal(t, clean.store.sums(t), r.store.sums(t), "call %d", n)
		}
	}
}

func TestMergeLedgerWithoutALedger(t *testing.T) {
	r := newReplaying(t, pages(2), wasEmpty)
	in := r.merge(r.delivers(t, r.records[0]))
	r.store.set(t, r.records[0].ledgerKey(), "{\n")
	_, err := run(t, &trial{}, r.MergeLedger, in)
	requireFinal(t, err, collection.ReasonInternal, "is damaged in line 1")
	r.store.remove(r.records[0].ledgerKey())
	_, err = run(t, &trial{}, r.MergeLedger, in)
	requireFinal(t, err, collection.ReasonInternal, "the part ledger/s1/books/00001.jsonl of the ledger is gone")
}
