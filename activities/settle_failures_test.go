package activities

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// expired is a settled submission of six records, with a row that repeats one, of whose ledger the given parts have expired.
func expired(t require.TestingT, parts ...int) (*replaying, collection.Manifest) {
	rows := pages(6) + `{"url":"https://books.example/1"}` + "\n"
	r := newReplaying(t, rows, wasDelivered, wasGone, wasEmpty, wasRefused, wasCancelled, wasDelivered)
	m := r.standingManifest(t, "manifest.json")
	for _, n := range parts {
		r.store.remove(collection.LedgerKey("s1", "books", n))
	}
	r.Clock = at(settledAt.AddDate(0, 0, 91))
	return r, m
}

// TestSettleAfterTheLedger: when the ledger has expired, in part or as a whole, what is settled again is what stood, to the byte:
// a fact about a target is none of our failures.
func TestSettleAfterTheLedger(t *testing.T) {
	for _, parts := range [][]int{{1}, {2}, {3}, {1, 3}, {1, 2, 3}} {
		t.Run(fmt.Sprint(parts), func(t *testing.T) {
			r, before := expired(t, parts...)
			text := r.store.text(t, "results/acme/s1/manifest.json")
			// That is why somebody settles again.
			r.store.remove("results/acme/s1/results-00001.jsonl.gz")
			r.mustSettle(t, &trial{})
			require.Equal(t, text, r.store.text(t, "results/acme/s1/manifest.json"))
			require.Equal(t, before, r.requireIntact(t))
			for i, want := range []end{wasDelivered, wasGone, wasEmpty, wasRefused, wasCancelled, wasDelivered} {
				row := r.row(t, r.records[i])
				require.Equal(t, want, end{row.Outcome, row.Reason}, "record %d", i+1)
				require.Equal(t, want == wasDelivered, row.Delivered != nil)
				if want != wasDelivered {
					require.Equal(t, fmt.Sprintf("what was said of line %d", i+1), row.Detail)
					require.Equal(t, 1, row.Attempts)
				}
			}

			plan := r.selected(t, collection.ReplayInput{})
			require.Equal(t, []int{1, 1}, []int{plan.Selected, plan.Dead}, "the dead letter can be replayed again")
			require.False(t, plan.Stale)
		})
	}
}

// TestSettleAfterTheLedgerCrashes: wherever an attempt ends, the next one comes to the same.
func TestSettleAfterTheLedgerCrashes(t *testing.T) {
	fresh := func() *replaying {
		r, _ := expired(t, 1, 2)
		r.store.remove(r.records[5].deliveredKey())
		r.store.calls = nil
		return r
	}
	clean := fresh()
	clean.mustSettle(t, &trial{})
	want, calls := clean.store.sums(t), clean.store.count()
	for n := 1; n <= calls; n++ {
		for name, failing := range map[string]trouble{"refused": {refuse: errOutage}, "answer lost": {lose: errOutage}} {
			r := fresh()
			r.store.trouble = func(call int, _, _ string) trouble {
				if call == n {
					return failing
				}
				return trouble{}
			}
			_, err := r.settle(t, &trial{number: 1})
			requireTransient(t, err, collection.ReasonStoreUnavailable)
			r.store.trouble = nil
			r.mustSettle(t, &trial{number: 2})
			require.Equal(t, want, r.store.sums(t), "call %d, %s", n, name)
		}
	}
}

// TestSettleAfterTheLedgerLost: an object that has gone from the bucket as well is a loss, which the settlement has seen itself.
func TestSettleAfterTheLedgerLost(t *testing.T) {
	r, before := expired(t, 1, 2, 3)
	r.store.remove(r.records[0].deliveredKey())
	_, m := r.mustSettle(t, &trial{})
	require.Equal(t, 2, m.Generation)
	row := r.row(t, r.records[0])
	require.Equal(t, collection.ReasonDeliveryLost, row.Reason)
	require.Contains(t, row.Detail, r.records[0].deliveredKey()+" is not there any more")
	want := collection.Tally{}
	want.Merge(before.Outcomes)
	want.Add(collection.OutcomeDelivered, "", -1)
	want.Add(collection.OutcomeDeadLettered, collection.ReasonDeliveryLost, 1)
	require.Equal(t, want, m.Outcomes)
	r.requireIntact(t)
}

// TestSettleAfterTheLedgerRefuses: where the failures do not tell either, nothing is settled, and what stands stays.
func TestSettleAfterTheLedgerRefuses(t *testing.T) {
	const failures = "results/acme/s1/failures.jsonl"
	for name, c := range map[string]struct {
		harm func(t *testing.T, r *replaying)
		says string
	}{
		"gone":    {func(_ *testing.T, r *replaying) { r.store.remove(failures) }, failures + " is not there as it was settled"},
		"changed": {func(t *testing.T, r *replaying) { r.store.set(t, failures, "{}\n") }, failures + " is not there as it was settled"},
		"damaged": {func(t *testing.T, r *replaying) { r.rewriteFailures(t, "{") }, failures + ", which told how its records had ended, cannot be read"},
		"of less": {func(t *testing.T, r *replaying) {
			rows := splitLines(r.store.text(t, failures))
			r.rewriteFailures(t, strings.Join(rows[:len(rows)-1], "\n")+"\n")
		}, "counts of source books"},
		"of other reasons": {func(t *testing.T, r *replaying) {
			r.rewriteFailures(t, strings.Replace(r.store.text(t, failures), "parse_empty", "timeout", 1))
		}, "counts of source books"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := expired(t, 2)
			c.harm(t, r)
			want := r.store.sums(t)
			_, err := r.settle(t, &trial{})
			requireFinal(t, err, collection.ReasonInternal, "submission s1 cannot be settled again", "ledger is no longer kept", c.says)
			require.Equal(t, want, r.store.sums(t))
		})
	}
	// Where the ledger is whole they are made again.
	r, before := expired(t)
	r.store.remove(failures)
	_, m := r.mustSettle(t, &trial{})
	require.Equal(t, before, m)
}

// rewriteFailures changes the failures, and the manifest with them.
func (r *replaying) rewriteFailures(t require.TestingT, body string) {
	const failures, manifest = "results/acme/s1/failures.jsonl", "results/acme/s1/manifest.json"
	old := collection.Digest([]byte(r.store.text(t, failures)))
	r.store.set(t, failures, body)
	r.store.set(t, manifest, strings.Replace(r.store.text(t, manifest), old, collection.Digest([]byte(body)), 1))
}

// TestSettleAfterTheLedgerAsksTheEngine: what the engine still knows counts before the delivery that stands.
func TestSettleAfterTheLedgerAsksTheEngine(t *testing.T) {
	r, _ := expired(t, 2)
	engine := &oracle{known: map[string]func(any) error{}}
	r.settling.Engine = engine
	gone := collection.RecordResult{Outcome: collection.OutcomeGone, Reason: collection.ReasonGone, Attempts: 2}
	engine.knows(r.settling, 2, told(gone))
	engine.knows(r.settling, 3, failedWith(t, terminated()))
	_, m := r.mustSettle(t, &trial{})
	require.Equal(t, 2, m.Generation)
	require.Equal(t, collection.OutcomeGone, r.row(t, r.records[2]).Outcome)
	require.Equal(t, wasRefused.reason, r.row(t, r.records[3]).Reason, "that somebody was stopped is no news")
}

// TestSettleChecksAfterTheLedger: the checks of the delivery that stands are those that were made with its ledger.
func TestSettleChecksAfterTheLedger(t *testing.T) {
	s, _ := checking(t, collection.QualityRules{}, wasDelivered)
	s.lack(t, "price", 30)
	out, _ := s.mustSettle(t, &trial{})
	require.Len(t, out.Breaches, 1)
	for key := range s.store.dump(t) {
		if strings.HasPrefix(key, "ledger/") {
			s.store.remove(key)
		}
	}
	history := s.store.text(t, historyOfBooks)
	s.Clock = at(settledAt.Add(time.Hour))
	again, _ := s.mustSettle(t, &trial{})
	require.Equal(t, out, again)
	require.Equal(t, history, s.store.text(t, historyOfBooks))
}
