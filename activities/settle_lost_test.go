package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// row is the ledger's row of a record.
func (r *replaying) row(t require.TestingT, p planned) collection.LedgerRow {
	for _, row := range lines[collection.LedgerRow](t, r.store.text(t, p.ledgerKey())) {
		if row.Record == p.ID {
			return row
		}
	}
	require.FailNow(t, "the ledger has no row of "+p.ID)
	return collection.LedgerRow{}
}

// harmed is a settled submission of which one delivered object is lost and another one was changed.
func harmed(t require.TestingT) *replaying {
	r := newReplaying(t, pages(6), wasDelivered)
	r.store.remove(r.records[1].deliveredKey())
	r.store.set(t, r.records[4].deliveredKey(), "{}")
	r.store.calls = nil
	return r
}

// TestSettleTellsTheLedger: a lost delivery is a dead letter of the ledger, which a replay takes and delivers again.
func TestSettleTellsTheLedger(t *testing.T) {
	r := harmed(t)
	before := r.row(t, r.records[1])
	_, m := r.mustSettle(t, &trial{})
	require.Equal(t, 2, m.Outcomes.Of(collection.OutcomeDeadLettered))
	lost, changed := r.row(t, r.records[1]), r.row(t, r.records[4])
	require.True(t, lost.IsDead())
	require.Equal(t, collection.ReasonDeliveryLost, lost.Reason)
	require.Equal(t, before.Delivered, lost.Lost)
	require.Nil(t, lost.Delivered)
	require.Equal(t, collection.ReasonDeliveryConflict, changed.Reason)
	require.Equal(t, collection.OutcomeDelivered, r.row(t, r.records[0]).Outcome)
	require.Contains(t, r.store.dump(t), "ledger/s1/books/00001.g1.jsonl", "what the ledger said is kept")

	// Settled again it is the same.
	want := r.store.sums(t)
	r.Clock = at(settledAt.Add(time.Hour))
	_, again := r.mustSettle(t, &trial{})
	require.Equal(t, m, again)
	require.Equal(t, want, r.store.sums(t))

	plan := r.selected(t, collection.ReplayInput{})
	require.Equal(t, 2, plan.Selected)
	require.False(t, plan.Stale)
	out, err := run(t, &trial{}, r.LoadReplay, collection.LoadReplayInput{Submission: "s1", Replay: plan.Number, Source: "books", Number: 1})
	require.NoError(t, err)
	require.True(t, out.Records[0].Replay.Redeliver, "though its workflow has ended well")

	r.replayed(t, r.records[1])
	_, m = r.mustSettle(t, &trial{})
	require.Equal(t, 1, m.Outcomes.Of(collection.OutcomeDeadLettered))
	require.Nil(t, r.row(t, r.records[1]).Lost)
}

// TestSettleTellsTheLedgerAndCrashes: whichever call fails, and whether or not the next attempt knows of this one, it comes to
// the same ledger and the same delivery.
func TestSettleTellsTheLedgerAndCrashes(t *testing.T) {
	clean := harmed(t)
	clean.mustSettle(t, &trial{})
	want, calls := clean.store.sums(t), clean.store.count()
	for n := 1; n <= calls; n++ {
		for name, failing := range map[string]trouble{"refused": {refuse: errOutage}, "answer lost": {lose: errOutage}} {
			for _, knows := range []bool{true, false} {
				r := harmed(t)
				r.store.trouble = func(call int, _, _ string) trouble {
					if call == n {
						return failing
					}
					return trouble{}
				}
				tr := &trial{number: 1}
				_, err := r.settle(t, tr)
				requireTransient(t, err, collection.ReasonStoreUnavailable)
				r.store.trouble = nil
				next := &trial{number: 2}
				if knows {
					next = tr.next(t)
				}
				r.mustSettle(t, next)
				require.Equal(t, want, r.store.sums(t), "call %d, %s, knows %t", n, name, knows)
			}
		}
	}
}

// TestSettleLeavesWhatWasDeliveredAgain: a replay delivers a lost record between the look at its object and the word to the
// ledger.
func TestSettleLeavesWhatWasDeliveredAgain(t *testing.T) {
	r := harmed(t)
	again := r.row(t, r.records[1]).RecordResult
	delivered := *again.Delivered
	delivered.VerifiedAt = settledAt
	again.Delivered = &delivered
	r.store.trouble = func(_ int, op, key string) trouble {
		if op == "Open" && key == r.records[1].ledgerKey() {
			r.edit(t, r.records[1], func(row *collection.LedgerRow) { row.RecordResult = again })
		}
		return trouble{}
	}
	r.mustSettle(t, &trial{})
	require.Equal(t, again, r.row(t, r.records[1]).RecordResult)
	require.Equal(t, collection.ReasonDeliveryConflict, r.row(t, r.records[4]).Reason)
}

// TestSettleBesideAnother: two settlements make the same generation at the same time. What the other one has written is left
// alone, since its manifest may be the one that stands.
func TestSettleBesideAnother(t *testing.T) {
	r := newReplaying(t, pages(4), wasDelivered, wasDelivered, wasDelivered, wasEmpty)
	r.replayed(t, r.records[3])
	const others = "results/acme/s1/results-00002.g2.jsonl.gz"
	r.store.set(t, others, "of another settlement")
	_, m := r.mustSettle(t, &trial{})
	require.Equal(t, "of another settlement", r.store.text(t, others))
	require.Equal(t, []string{"results-00001.jsonl.gz", "results-00002.g3.jsonl.gz"}, fileNames(m))
	require.Equal(t, 2, m.Generation)
	results, _ := r.results(t, m)
	require.Len(t, results, 4)

	// It keeps its name as long as it is the same.
	want := r.store.sums(t)
	_, again := r.mustSettle(t, &trial{})
	require.Equal(t, m, again)
	require.Equal(t, want, r.store.sums(t))
}

// TestSettleChecksumOfAnother: the checksum is of the manifest that stands, whoever has written that.
func TestSettleChecksumOfAnother(t *testing.T) {
	r := newReplaying(t, pages(2), wasDelivered, wasEmpty)
	r.replayed(t, r.records[1])
	r.store.trouble = func(_ int, op, key string) trouble {
		if key == "results/acme/s1/manifest.sha256" {
			r.store.trouble = nil
			r.store.set(t, "results/acme/s1/manifest.json", `{"version":1,"generation":7,"submission":"s1","customer":"acme"}`)
		}
		return trouble{}
	}
	_, err := r.settle(t, &trial{})
	requireTransient(t, err, collection.ReasonStoreUnavailable, "manifest.json")
	_, m := r.mustSettle(t, &trial{})
	require.Equal(t, m, r.standingManifest(t, "manifest.json"))
}

// TestSettleResumesBehindManyLost: an attempt that has told the ledger of more lost deliveries than a heartbeat carries is
// followed by one that begins again where the heartbeat was, and finds dead letters where delivered rows were counted.
func TestSettleResumesBehindManyLost(t *testing.T) {
	s := newSettling(t, pages(maxLostCarried+8), wasDelivered)
	for i, p := range s.records {
		if i < 2 || i >= 4 && i < maxLostCarried+4 {
			s.store.remove(p.deliveredKey())
		}
	}
	s.store.trouble = failOnce("Create results/acme/s1/manifest.json", trouble{refuse: errOutage})
	tr := &trial{number: 1}
	_, err := s.settle(t, tr)
	requireTransient(t, err, collection.ReasonStoreUnavailable)
	next := tr.next(t)
	require.Equal(t, 4, next.before.(collection.AttemptProgress).Settle.Delivered)
	_, m := s.mustSettle(t, next)
	require.Equal(t, maxLostCarried+2, m.Outcomes.Of(collection.OutcomeDeadLettered))
	results, _ := s.results(t, m)
	require.Len(t, results, 6)
}
