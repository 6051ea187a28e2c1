package activities

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// secondLife is when the id was used again: after everything that these tests write.
var secondLife = accepted.AddDate(200, 0, 0)

// idUsedAgain makes the plan one that was accepted later, under the id of one that has expired.
func (s *settling) idUsedAgain(t require.TestingT) {
	s.plan.AcceptedAt = secondLife
	body, err := json.Marshal(s.plan)
	require.NoError(t, err)
	s.store.set(t, collection.PlanKey("s1"), string(body))
	s.Clock = at(secondLife.Add(time.Hour))
}

// TestSettleSecondLife: the delivery of a submission before under the same id is kept with its checksum, and what is delivered now
// is the next generation, of which no file is one of that delivery's.
func TestSettleSecondLife(t *testing.T) {
	fresh := func() *replaying {
		r := newReplaying(t, pages(4), wasDelivered, wasGone, wasDelivered, wasDelivered)
		r.idUsedAgain(t)
		return r
	}
	r := fresh()
	before := r.standingManifest(t, "manifest.json")
	first := r.store.sums(t)
	_, m := r.mustSettle(t, &trial{scheduled: secondLife})
	require.Equal(t, secondLife, m.AcceptedAt)
	require.Equal(t, 2, m.Generation)
	require.Equal(t, before, r.standingManifest(t, "manifest.g1.json"))
	require.Equal(t, m, r.requireIntact(t))
	require.Equal(t, []string{"results-00001.g2.jsonl.gz", "results-00002.g2.jsonl.gz", "failures.g2.jsonl"}, fileNames(m))
	for _, f := range m.Files {
		require.NotContains(t, first, f.Key)
	}

	want, calls := r.store.sums(t), fresh().store
	_, again := r.mustSettle(t, &trial{scheduled: secondLife})
	require.Equal(t, m, again)
	require.Equal(t, want, r.store.sums(t))

	// Wherever an attempt ends, the next one makes the same.
	clean := fresh()
	clean.mustSettle(t, &trial{scheduled: secondLife})
	for n := calls.count() + 1; n <= clean.store.count(); n++ {
		r := fresh()
		r.store.trouble = func(call int, _, _ string) trouble {
			if call == n {
				return trouble{lose: errOutage}
			}
			return trouble{}
		}
		_, err := r.settle(t, &trial{number: 1, scheduled: secondLife})
		requireTransient(t, err, collection.ReasonStoreUnavailable)
		r.store.trouble = nil
		r.mustSettle(t, &trial{number: 2, scheduled: secondLife})
		require.Equal(t, want, r.store.sums(t), "call %d", n)
	}
}

// TestSettleSecondLifeKept: a manifest of the submission before that is only kept counts for the number, and for nothing else.
func TestSettleSecondLifeKept(t *testing.T) {
	r := newReplaying(t, pages(4), wasDelivered, wasEmpty, wasDelivered)
	r.replayed(t, r.records[1])
	r.mustSettle(t, &trial{})
	r.store.remove("results/acme/s1/manifest.json")
	r.idUsedAgain(t)
	_, m := r.mustSettle(t, &trial{scheduled: secondLife})
	require.Equal(t, 2, m.Generation)
	require.Equal(t, "results-00001.g3.jsonl.gz", m.Files[0].Name, "g2 is what the manifest names that was removed")
	r.standingManifest(t, "manifest.g1.json")
}

// TestReadStandingOfNoTime: who does not know when a submission was accepted takes the manifest that is there.
func TestReadStandingOfNoTime(t *testing.T) {
	r := newReplaying(t, pages(2), wasDelivered)
	for _, c := range []struct {
		at    time.Time
		valid bool
	}{{accepted, true}, {accepted.In(time.FixedZone("there", 3600)), true}, {time.Time{}, true}, {secondLife, false}} {
		st, err := readStanding(background, r.store, collection.PlanResult{Submission: "s1", Customer: "acme", AcceptedAt: c.at})
		require.NoError(t, err)
		require.Equal(t, c.valid, st.valid, c.at)
		require.Equal(t, 1, st.generation())
	}
}

// TestSettleFindsNothingOfAnotherLife: what a submission before under the same id has left in the bucket, in the engine and in the
// ledger says nothing of this one.
func TestSettleFindsNothingOfAnotherLife(t *testing.T) {
	for name, leave := range map[string]func(t *testing.T, s *settling, engine *oracle){
		"documents":  func(*testing.T, *settling, *oracle) {},
		"kept bytes": func(t *testing.T, s *settling, _ *oracle) { s.keep(t, s.records[0], "<>") },
		"an end": func(_ *testing.T, s *settling, engine *oracle) {
			engine.knows(s, 0, told(collection.RecordResult{Outcome: collection.OutcomeDelivered, Delivered: &collection.Delivered{
				Key: s.records[0].deliveredKey(), SHA256: collection.Digest([]byte(s.records[0].body)), VerifiedAt: accepted}}))
		},
		"a part of the ledger": func(t *testing.T, s *settling, _ *oracle) {
			row := collection.LedgerRow{Line: 1, Key: s.records[0].Key, Source: "books", AsOf: &accepted, RecordResult: collection.RecordResult{
				Record: s.records[0].ID, Outcome: collection.OutcomeDelivered, Delivered: &collection.Delivered{
					Key: s.records[0].deliveredKey(), SHA256: collection.Digest([]byte(s.records[0].body))}}}
			require.NoError(t, writeLedger(background, s.store.Store, s.records[0].ledgerKey(), []collection.LedgerRow{row}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, engine := terminatedBatches(t, pages(2), wasDelivered)
			leave(t, s, engine)
			s.idUsedAgain(t)
			_, m := s.mustSettle(t, &trial{scheduled: secondLife})
			require.Equal(t, collection.Tally{{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonInternal, Records: 2}}, m.Outcomes)
			for _, row := range s.ledgerOf(t, s.records[0]) {
				require.Nil(t, row.Raw)
				require.Contains(t, row.Detail, "replay the record")
			}
			_, kept := s.store.dump(t)["ledger/s1/books/00001.g1.jsonl"]
			require.Equal(t, name == "a part of the ledger", kept, "what stood is kept")
		})
	}
}

// TestIsOfAnother: where a target says that nothing has changed, the document tells when the bytes came, long before; and a bucket
// that was copied tells when that was.
func TestIsOfAnother(t *testing.T) {
	b := &books{settlement: &settlement{plan: collection.PlanResult{AcceptedAt: accepted}}}
	long, just, since := accepted.AddDate(0, -4, 0), accepted.Add(-time.Minute), accepted.Add(time.Minute)
	for name, c := range map[string]struct {
		fetched, written time.Time
		want             bool
	}{
		"of before":                 {long, long, true},
		"of now":                    {since, since, false},
		"not modified":              {long, since, false},
		"a store without times":     {long, time.Time{}, false},
		"a document without a time": {time.Time{}, long, false},
		"clocks that do not agree":  {just, just, false},
	} {
		body, err := json.Marshal(collection.DeliveredDocument{FetchedAt: c.fetched})
		require.NoError(t, err)
		require.Equal(t, c.want, b.isOfAnother(collection.ObjectInfo{LastModified: c.written}, body), name)
	}
	require.False(t, b.isOfAnother(collection.ObjectInfo{LastModified: long}, []byte("{")), "that is no document, and is said to be none")
}
