package activities

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

// TestSettleLost: a delivered object that is not there as it was delivered is a failure with a reason, whoever did it.
func TestSettleLost(t *testing.T) {
	s := newSettling(t, pages(5), wasDelivered)
	s.store.remove(s.records[1].deliveredKey())
	s.store.set(t, s.records[3].deliveredKey(), `{"forged":true}`)
	_, m := s.mustSettle(t, &trial{})
	require.Equal(t, collection.StatePartiallyFailed, m.State)
	require.Equal(t, collection.Tally{
		{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonDeliveryConflict, Records: 1},
		{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonDeliveryLost, Records: 1},
		{Outcome: collection.OutcomeDelivered, Records: 3},
	}, m.Outcomes)
	results, failures := s.results(t, m)
	require.Equal(t, []string{s.records[0].body, s.records[2].body, s.records[4].body}, results)
	rows := lines[collection.FailureRow](t, strings.Join(failures, "\n"))
	require.Equal(t, []int{2, 4}, lineNumbers(rows))
	require.Equal(t, "delivered and verified at 2026-03-01T10:01:00Z, but "+s.records[1].deliveredKey()+" is not there any more", rows[0].Detail)
	require.Contains(t, rows[1].Detail, s.records[3].deliveredKey()+" has SHA-256 "+collection.Digest([]byte(`{"forged":true}`)))
	require.Equal(t, 1, rows[0].Attempts)
}

// ledgerOf are the rows of the ledger that holds a record.
func (s *settling) ledgerOf(t testing.TB, r planned) []collection.LedgerRow {
	return lines[collection.LedgerRow](t, s.store.text(t, r.ledgerKey()))
}

// TestSettleTerminatedBatch: records of which the ledger knows nothing are looked for at the destination; what was found
// becomes the ledger, and a delivery that comes too late does not change a settled submission.
func TestSettleTerminatedBatch(t *testing.T) {
	s := newSettling(t, pages(4), wasDelivered, wasDelivered, wasDelivered, wasEmpty)
	found, silent := s.records[2], s.records[3]
	s.store.remove(found.ledgerKey())
	first, m := s.mustSettle(t, &trial{})
	require.Equal(t, collection.StatePartiallyFailed, m.State)
	results, failures := s.results(t, m)
	require.Contains(t, results, found.body)
	require.Len(t, results, 3)
	require.Len(t, failures, 1)
	require.Contains(t, failures[0], "its batch ended without a word about it")

	rows := s.ledgerOf(t, silent)
	require.Equal(t, []collection.LedgerRow{
		{Line: 3, Key: found.Key, Source: "books", AsOf: &accepted, RecordResult: collection.RecordResult{
			Record: found.ID, Outcome: collection.OutcomeDelivered, Delivered: &collection.Delivered{
				Key: found.deliveredKey(), SHA256: collection.Digest([]byte(found.body)), Size: int64(len(found.body)), Generation: 1, VerifiedAt: settledAt,
			}}},
		{Line: 4, Key: silent.Key, Source: "books", AsOf: &accepted, RecordResult: collection.RecordResult{
			Record: silent.ID, Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonInternal,
			Detail: "its batch ended without a word about it, for instance because it was terminated: replay the record",
		}},
	}, rows)

	s.store.set(t, silent.deliveredKey(), silent.body)
	second, _ := s.mustSettle(t, &trial{})
	require.Equal(t, first, second)
}

// TestSettleStrangersObject: what stands under a record's name and is not its document was not delivered by us.
func TestSettleStrangersObject(t *testing.T) {
	for _, body := range []string{"forged", `{"record":"00000000000000000000","source":"books"}`, ""} {
		s := newSettling(t, pages(2), wasDelivered)
		s.store.remove(s.records[0].ledgerKey())
		s.store.set(t, s.records[0].deliveredKey(), body)
		_, m := s.mustSettle(t, &trial{})
		require.Equal(t, collection.Tally{
			{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonDeliveryConflict, Records: 1},
			{Outcome: collection.OutcomeDelivered, Records: 1},
		}, m.Outcomes)
		_, failures := s.results(t, m)
		require.Contains(t, failures[0], s.records[0].deliveredKey()+" is not its document")
	}
}

// TestSettleLateDelivery: an object that appears between two attempts of a settlement moves nothing in the parts that are
// already written.
func TestSettleLateDelivery(t *testing.T) {
	s := newSettling(t, pages(6), wasDelivered, wasEmpty, wasDelivered)
	late := s.records[1]
	s.store.remove(late.ledgerKey())
	s.store.trouble = failOnce("Create results/acme/s1/results-00002.jsonl.gz", trouble{refuse: errOutage})
	tr := &trial{}
	_, err := s.settle(t, tr)
	requireTransient(t, err, collection.ReasonStoreUnavailable)
	require.Len(t, tr.progress(t).Settle.Files, 1)
	s.store.set(t, late.deliveredKey(), late.body)
	_, m := s.mustSettle(t, tr.next(t))
	results, failures := s.results(t, m)
	require.Equal(t, []string{s.records[0].body, s.records[2].body, s.records[3].body, s.records[4].body, s.records[5].body}, results)
	require.Len(t, failures, 1)
}

// failOnce lets one call go wrong, the first of its kind.
func failOnce(call string, what trouble) func(int, string, string) trouble {
	done := false
	return func(_ int, op, key string) trouble {
		if done || op+" "+key != call {
			return trouble{}
		}
		done = true
		return what
	}
}

// TestSettleLedgerGaps: a ledger that does not tell of every record once is completed from the plan and the destination.
func TestSettleLedgerGaps(t *testing.T) {
	for name, change := range map[string]func([]collection.LedgerRow) []collection.LedgerRow{
		"one missing": func(rows []collection.LedgerRow) []collection.LedgerRow { return rows[1:] },
		"one twice": func(rows []collection.LedgerRow) []collection.LedgerRow {
			return []collection.LedgerRow{rows[1], rows[1]}
		},
		"one too many": func(rows []collection.LedgerRow) []collection.LedgerRow { return append(rows, rows[0]) },
		"in another order": func(rows []collection.LedgerRow) []collection.LedgerRow {
			return []collection.LedgerRow{rows[1], rows[0]}
		},
		"none": func([]collection.LedgerRow) []collection.LedgerRow { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSettling(t, pages(4), wasDelivered)
			require.NoError(t, writeLedger(background, s.store, s.records[0].ledgerKey(), change(s.ledgerOf(t, s.records[0]))))
			_, m := s.mustSettle(t, &trial{})
			require.Equal(t, collection.StateComplete, m.State)
			results, _ := s.results(t, m)
			slices.Sort(results)
			var want []string
			for _, r := range s.records {
				want = append(want, r.body)
			}
			slices.Sort(want)
			require.Equal(t, want, results)
		})
	}
}

// TestSettleFailsClosed: what cannot be accounted for is never called complete; no manifest is written.
func TestSettleFailsClosed(t *testing.T) {
	changePlan := func(s *settling, change func(p *collection.PlanResult)) {
		plan := s.plan
		change(&plan)
		body, err := json.Marshal(plan)
		if err != nil {
			panic(err)
		}
		if _, err := s.store.Store.Put(background, "plans/s1/plan.json", body, typeJSON); err != nil {
			panic(err)
		}
	}
	ledger := collection.LedgerKey("s1", "books", 1)
	for _, c := range []struct {
		name   string
		change func(t *testing.T, s *settling)
		says   string
	}{
		{"no plan", func(_ *testing.T, s *settling) { s.store.remove("plans/s1/plan.json") }, "the plan of submission s1 is gone"},
		{"a damaged plan", func(t *testing.T, s *settling) { s.store.set(t, "plans/s1/plan.json", "{") }, "plans/s1/plan.json cannot be read"},
		{"a row too many in the plan", func(_ *testing.T, s *settling) {
			changePlan(s, func(p *collection.PlanResult) { p.Expected++ })
		}, "6 rows were submitted, 5 are accounted for"},
		{"a row too few in the plan", func(_ *testing.T, s *settling) {
			changePlan(s, func(p *collection.PlanResult) { p.Expected-- })
		}, "4 rows were submitted, 5 are accounted for"},
		{"a batch that the plan forgot", func(_ *testing.T, s *settling) {
			changePlan(s, func(p *collection.PlanResult) {
				p.Sources = []collection.SourcePlan{{Source: "books", Records: 4, Batches: p.Sources[0].Batches[:1]}}
			})
		}, "5 rows were submitted, 3 are accounted for"},
		{"a damaged ledger", func(t *testing.T, s *settling) { s.store.set(t, ledger, "{\"line\":1}\n{") }, ledger + " is damaged"},
		{"a damaged second line", func(t *testing.T, s *settling) {
			s.store.set(t, ledger, splitLines(s.store.text(t, ledger))[0]+"\n{\n")
		}, ledger + " is damaged in line 2"},
		{"a row without an outcome", func(t *testing.T, s *settling) {
			s.store.set(t, ledger, `{"line":1,"record":"r1"}`+"\n")
		}, `the row of record "r1" has the outcome "", and a delivery: false`},
		{"a delivery without proof", func(t *testing.T, s *settling) {
			s.store.set(t, ledger, `{"line":1,"record":"r1","outcome":"delivered"}`+"\n")
		}, `the row of record "r1" has the outcome "delivered", and a delivery: false`},
		{"a batch that is gone with its ledger", func(_ *testing.T, s *settling) {
			s.store.remove(ledger)
			s.store.remove("plans/s1/books/00001.jsonl")
		}, "plans/s1/books/00001.jsonl is gone"},
		{"damaged rejected rows", func(t *testing.T, s *settling) {
			s.store.set(t, "plans/s1/rejected-00001.jsonl", "x")
		}, "plans/s1/rejected-00001.jsonl is damaged in line 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSettling(t, pages(4)+"{\n", wasDelivered)
			c.change(t, s)
			_, err := s.settle(t, &trial{})
			requireFinal(t, err, collection.ReasonInternal, c.says)
			require.NotContains(t, s.store.dump(t), "results/acme/s1/manifest.json")
		})
	}
}

// TestSettleMissingRejected: rejected rows that are gone leave the books open; nothing is called complete.
func TestSettleMissingRejected(t *testing.T) {
	s := newSettling(t, pages(1)+"{\n", wasDelivered)
	s.store.remove("plans/s1/rejected-00001.jsonl")
	_, err := s.settle(t, &trial{})
	requireFinal(t, err, collection.ReasonInternal, "the object plans/s1/rejected-00001.jsonl is gone", "restore it")
}

// TestSettleAccounts: whatever became of the records and whoever deletes objects, every line of the submission is in the
// results or in the failures, once, and the manifest counts them.
func TestSettleAccounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "rows")
		ends := rapid.SliceOfN(rapid.SampledFrom([]end{wasDelivered, wasDelivered, wasGone, wasEmpty, wasCancelled}), n, n).Draw(t, "ends")
		rows := splitLines(pages(n))
		for i := range rapid.IntRange(0, 3).Draw(t, "bad") {
			rows = slices.Insert(rows, min(i*2, len(rows)), "{")
		}
		s := newSettling(t, strings.Join(rows, "\n"), ends...)
		s.PartRecords = rapid.IntRange(1, 4).Draw(t, "part")
		for i, r := range s.records {
			switch rapid.IntRange(0, 9).Draw(t, fmt.Sprint("harm", i)) {
			case 0:
				s.store.remove(r.deliveredKey())
			case 1:
				s.store.set(t, r.deliveredKey(), "forged")
			case 2:
				s.store.remove(r.ledgerKey())
			}
		}
		_, m := s.mustSettle(t, &trial{})
		require.Equal(t, len(rows), m.Expected)
		require.Equal(t, m.Expected, m.Outcomes.Total())
		sources := 0
		for _, src := range m.Sources {
			require.Equal(t, src.Expected, src.Outcomes.Total())
			sources += src.Expected
		}
		require.Equal(t, s.plan.Accepted, sources)

		results, failures := s.results(t, m)
		require.Len(t, results, m.Outcomes.Of(collection.OutcomeDelivered))
		seen := lineNumbers(lines[collection.FailureRow](t, strings.Join(failures, "\n")))
		for _, doc := range lines[collection.DeliveredDocument](t, strings.Join(results, "\n")) {
			line, err := doc.Fields["line"].(float64)
			require.True(t, err)
			seen = append(seen, int(line))
		}
		slices.Sort(seen)
		for i, line := range seen {
			require.Equal(t, i+1, line)
		}
		require.Len(t, seen, len(rows))
	})
}

// TestSettleCancelledBeforeItBegan: records of batches that a cancelled submission never started are cancelled, unless the
// destination has them.
func TestSettleCancelledBeforeItBegan(t *testing.T) {
	s := newSettling(t, pages(6), wasDelivered, wasGone, wasDelivered, wasEmpty)
	for _, r := range s.records[2:] {
		s.store.remove(r.ledgerKey())
	}
	out, err := run(t, &trial{}, s.Settle, collection.SettleInput{Submission: "s1", Customer: "acme", Cancelled: true})
	require.NoError(t, err)
	var want collection.Tally
	want.Add(collection.OutcomeDelivered, "", 2)
	want.Add(collection.OutcomeGone, collection.ReasonGone, 1)
	want.Add(collection.OutcomeCancelled, collection.ReasonCancelled, 3)
	require.Equal(t, collection.StateCancelled, out.State)
	require.Equal(t, want, out.Outcomes)
	for _, row := range s.ledgerOf(t, s.records[5]) {
		require.Contains(t, row.Detail, "before the record's batch had begun")
	}
}
