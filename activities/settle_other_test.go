package activities

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

// delivers is what a replay does for a dead letter: it delivers it, and merges its row into the ledger.
func (s *settling) delivers(t require.TestingT, p planned, at time.Time) {
	row := s.ended(t, p.source, p.batch, p.Record, wasDelivered)
	s.records = s.records[:len(s.records)-1]
	row.Delivered.VerifiedAt = at
	_, err := run(t, &trial{scheduled: at}, (&Replayer{Store: s.store.Store}).MergeLedger, collection.MergeLedgerInput{
		Submission: "s1", Source: p.source, Number: p.batch, Rows: []collection.LedgerRow{row},
	})
	require.NoError(t, err)
}

// rival settles the same submission wholly, as somebody else would.
func (s *settling) rival(t require.TestingT, at time.Time) {
	other := &Settler{Store: s.store.Store, Engine: &oracle{}, Clock: func() time.Time { return at }, PartRecords: s.PartRecords, PartBytes: s.PartBytes}
	_, err := run(t, &trial{scheduled: at}, other.Settle, settleInput)
	require.NoError(t, err)
}

// requireWhole: the results of a manifest hold what the ledger says is delivered, each record once, and nothing else.
func (s *settling) requireWhole(t require.TestingT, m collection.Manifest) {
	want, gone := map[string]int{}, 0
	for _, p := range s.records {
		for _, row := range lines[collection.LedgerRow](t, s.store.text(t, p.ledgerKey())) {
			switch {
			case row.Record != p.ID:
			case row.Delivered != nil:
				want[p.ID] = 1
			case row.Outcome == collection.OutcomeGone:
				gone++
			}
		}
	}
	results, _ := s.results(t, m)
	got := map[string]int{}
	for _, d := range lines[collection.DeliveredDocument](t, strings.Join(results, "\n")) {
		got[d.Record]++
	}
	require.Equal(t, want, got)
	require.Equal(t, len(want), m.Outcomes.Of(collection.OutcomeDelivered))
	require.Equal(t, len(want)+gone == len(s.records), m.State == collection.StateComplete)
}

// broken is an attempt that has written its first part and is lost in the second.
func (s *settling) broken(t *testing.T) *trial {
	s.store.trouble = failOnce("Create results/acme/s1/results-00002.jsonl.gz", trouble{refuse: errOutage})
	tr := &trial{number: 1}
	_, err := s.settle(t, tr)
	requireTransient(t, err, collection.ReasonStoreUnavailable)
	s.store.trouble = nil
	return tr.beforeKill(t)
}

// TestSettleResumesAcrossMerge: a replay delivers a record before the row up to which an earlier attempt has come. As many rows
// as then are not the same rows.
func TestSettleResumesAcrossMerge(t *testing.T) {
	s := newSettling(t, pages(5), wasDelivered, wasEmpty, wasDelivered)
	next := s.broken(t)
	s.delivers(t, s.records[1], settledAt)
	_, m := s.mustSettle(t, next)
	require.Equal(t, collection.StateComplete, m.State)
	s.requireWhole(t, m)
}

// TestSettleResumesAcrossLoss: another settlement finds a delivery lost that is in the first part already.
func TestSettleResumesAcrossLoss(t *testing.T) {
	s := newSettling(t, pages(6), wasDelivered)
	next := s.broken(t)
	s.store.remove(s.records[0].deliveredKey())
	s.rival(t, settledAt)
	_, m := s.mustSettle(t, next)
	require.Equal(t, collection.StatePartiallyFailed, m.State)
	s.requireWhole(t, m)
}

// TestSettleResumesAcrossRedelivery: what an earlier attempt has found lost was delivered again meanwhile.
func TestSettleResumesAcrossRedelivery(t *testing.T) {
	s := newSettling(t, pages(6), wasDelivered)
	lost := s.records[0]
	s.store.remove(lost.deliveredKey())
	next := s.broken(t)
	require.Len(t, next.before.(collection.AttemptProgress).Settle.Lost, 1)
	s.rival(t, settledAt)
	s.delivers(t, lost, settledAt.Add(time.Minute))
	_, m := s.mustSettle(t, next)
	require.Equal(t, collection.StateComplete, m.State)
	s.requireWhole(t, m)
}

// TestSettleContestedBeginsAnew: a settlement that finds another manifest in its place is tried again, and must not go on with
// what it had read.
func TestSettleContestedBeginsAnew(t *testing.T) {
	s := newSettling(t, pages(5), wasDelivered, wasEmpty, wasDelivered)
	s.mustSettle(t, &trial{})
	s.store.remove("results/acme/s1/failures.jsonl")
	var once sync.Once
	s.store.trouble = func(_ int, op, key string) trouble {
		if op == "Get" && key == s.records[4].deliveredKey() {
			once.Do(func() {
				s.delivers(t, s.records[1], settledAt.Add(time.Minute))
				s.rival(t, settledAt.Add(2*time.Minute))
			})
		}
		return trouble{}
	}
	s.Clock = at(settledAt.Add(3 * time.Minute))
	tr := &trial{number: 1}
	_, err := s.settle(t, tr)
	requireTransient(t, err, collection.ReasonStoreUnavailable)
	require.Nil(t, tr.progress(t).Settle)
	_, m := s.mustSettle(t, tr.next(t))
	require.Equal(t, collection.StateComplete, m.State)
	s.requireWhole(t, m)
}

// TestSettleOlderProgress: what an earlier version has told of its progress can be read, and is not gone on behind.
func TestSettleOlderProgress(t *testing.T) {
	s := newSettling(t, pages(4), wasDelivered)
	var before collection.AttemptProgress
	require.NoError(t, json.Unmarshal([]byte(`{"ended":1,"settle":{"files":[{"key":"k","name":"n","size":1,"records":2,"sha256":"ab"}],"delivered":2}}`), &before))
	_, m := s.mustSettle(t, &trial{number: 2, before: before})
	require.Equal(t, collection.StateComplete, m.State)
	s.requireWhole(t, m)
}

// TestSettlePartsDisagree: progress that tells of parts which do not hold what is booked is found out, though it has read the
// same rows, and as many.
func TestSettlePartsDisagree(t *testing.T) {
	for name, change := range map[string]func(*collection.SettleProgress){
		"others": func(p *collection.SettleProgress) {
			p.Packed = packedDigest("", collection.LedgerRow{
				RecordResult: collection.RecordResult{Record: "another", Delivered: &collection.Delivered{}}})
		},
		"fewer":              func(p *collection.SettleProgress) { p.Files[0].Records-- },
		"more rows than are": func(p *collection.SettleProgress) { p.Delivered = 9 },
		"other rows":         func(p *collection.SettleProgress) { p.Read = "ab" },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSettling(t, pages(5), wasDelivered)
			next := s.broken(t)
			before := next.before.(collection.AttemptProgress)
			change(before.Settle)
			next.before = before
			_, m := s.mustSettle(t, next)
			require.Equal(t, collection.StateComplete, m.State)
			s.requireWhole(t, m)
		})
	}
}

// TestComparePartsFailsClosed: where no earlier attempt is to blame, a difference is final.
func TestComparePartsFailsClosed(t *testing.T) {
	var booked collection.Tally
	booked.Add(collection.OutcomeDelivered, "", 2)
	for says, p := range map[string]*partWriter{
		"2 records are delivered, the parts of the results of s1 hold 1":                  {files: []collection.ManifestFile{{Records: 1}}, packed: "a"},
		"2 records are delivered, and the parts of the results of s1 hold as many others": {files: []collection.ManifestFile{{Records: 2}}, packed: "b"},
	} {
		b := &books{parts: p, total: booked, booked: "a", settlement: &settlement{plan: collection.PlanResult{Submission: "s1"}}}
		requireFinal(t, b.compareParts(), collection.ReasonInternal, says)
		p.before.Delivered = 1
		require.ErrorIs(t, b.compareParts(), errOtherLedger)
	}
	require.NoError(t, (&books{parts: &partWriter{files: []collection.ManifestFile{{Records: 2}}, packed: "a"}, total: booked, booked: "a"}).compareParts())
}

// TestSettleLooksAtItsParts: no manifest names a part that is not there as it was written, whoever has written it.
func TestSettleLooksAtItsParts(t *testing.T) {
	const part = "results/acme/s1/results-00001.jsonl.gz"
	for name, harm := range map[string]func(s *settling){
		"gone":    func(s *settling) { s.store.remove(part) },
		"changed": func(s *settling) { s.store.set(t, part, "something else") },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSettling(t, pages(5), wasDelivered)
			next := s.broken(t)
			harm(s)
			_, err := s.settle(t, next)
			requireTransient(t, err, collection.ReasonStoreUnavailable, part, "somebody else writes the delivery")
			require.NotContains(t, s.store.dump(t), "results/acme/s1/manifest.json")
			_, m := s.mustSettle(t, next.next(t))
			require.Equal(t, collection.StateComplete, m.State)
			s.requireWhole(t, m)
		})
	}
}

// TestSettleAmongOthers: whatever replays and other settlements do between the attempts of a settlement, and wherever these
// end, the delivery holds what the ledger says, each record once.
func TestSettleAmongOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "rows")
		ends := rapid.SliceOfN(rapid.SampledFrom([]end{wasDelivered, wasDelivered, wasGone, wasEmpty}), n, n).Draw(t, "ends")
		s := newSettling(t, pages(n), ends...)
		s.PartRecords = rapid.IntRange(1, 4).Draw(t, "part")
		now := settledAt
		tr := &trial{number: 1}
		for i := range rapid.IntRange(1, 4).Draw(t, "attempts") {
			stop := rapid.IntRange(1, 60).Draw(t, fmt.Sprint("stop", i))
			before := s.store.count()
			s.store.trouble = func(call int, _, _ string) trouble {
				if call-before >= stop {
					return trouble{refuse: errOutage}
				}
				return trouble{}
			}
			_, err := s.settle(t, tr)
			s.store.trouble = nil
			if err != nil {
				tr = tr.next(t)
			}
			now = now.Add(time.Minute)
			s.meddle(t, now, fmt.Sprint("meddle", i))
		}
		// One attempt may find that it was crossed; the next one, which the engine makes, must not.
		if _, err := s.settle(t, tr); err != nil {
			tr = tr.next(t)
		}
		_, m := s.mustSettle(t, tr)
		s.requireWhole(t, m)
	})
}

// meddle does to a submission what others do at any time.
func (s *settling) meddle(t *rapid.T, now time.Time, label string) {
	p := s.records[rapid.IntRange(0, len(s.records)-1).Draw(t, label)]
	switch rapid.SampledFrom([]string{"nothing", "deliver", "lose", "settle", "lose and settle"}).Draw(t, label+"how") {
	case "deliver":
		s.delivers(t, p, now)
	case "lose":
		s.store.remove(p.deliveredKey())
	case "settle":
		s.rival(t, now)
	case "lose and settle":
		s.store.remove(p.deliveredKey())
		s.rival(t, now)
	}
}
