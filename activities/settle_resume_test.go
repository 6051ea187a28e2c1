package activities

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// beforeKill is what the engine knows of an attempt whose worker was lost: the heartbeats up to its last part, and no word
// about its end.
func (tr *trial) beforeKill(t testing.TB) *trial {
	for _, b := range tr.heard() {
		if p := b.(collection.AttemptProgress); p.Settle != nil && p.Ended < tr.number {
			return &trial{number: tr.number + 1, before: p}
		}
	}
	require.Fail(t, "no part was told of")
	return nil
}

// TestSettleResumes: an attempt behind one that was killed goes on behind its last part, reads nothing of it again, and
// makes the same delivery.
func TestSettleResumes(t *testing.T) {
	harm := func() *settling {
		s := newSettling(t, pages(7), wasDelivered, wasDelivered, wasEmpty, wasDelivered)
		s.store.remove(s.records[0].deliveredKey())
		return s
	}
	whole := harm()
	whole.mustSettle(t, &trial{})
	want := whole.store.sums(t)

	s := harm()
	s.store.trouble = failOnce("Create results/acme/s1/results-00002.jsonl.gz", trouble{refuse: errOutage})
	tr := &trial{number: 1}
	_, err := s.settle(t, tr)
	requireTransient(t, err, collection.ReasonStoreUnavailable, "write results/acme/s1/results-00002.jsonl.gz")

	next := tr.beforeKill(t)
	told := next.before.(collection.AttemptProgress).Settle
	require.Len(t, told.Files, 1)
	require.Equal(t, 3, told.Delivered, "two in the part, and one that is lost")
	require.Equal(t, []collection.LostDelivery{{Record: s.records[0].ID, Reason: collection.ReasonDeliveryLost, Detail: told.Lost[0].Detail}}, told.Lost)

	s.store.calls = nil
	_, m := s.mustSettle(t, next)
	require.Equal(t, want, s.store.sums(t))
	for i, r := range s.records {
		read := s.store.called("Get " + r.deliveredKey())
		require.Equal(t, i > 3, read, "record %d was read: %t", i, read)
	}
	require.False(t, s.store.called("Create results/acme/s1/results-00001.jsonl.gz"))
	require.Equal(t, 1, m.Files[0].Records-1)
}

// TestSettleResumedTimes: a part keeps the time at which it was verified; everything else is as without the interruption.
func TestSettleResumedTimes(t *testing.T) {
	whole := newSettling(t, pages(4), wasDelivered)
	_, want := whole.mustSettle(t, &trial{})

	s := newSettling(t, pages(4), wasDelivered)
	s.store.trouble = failOnce("Create results/acme/s1/results-00002.jsonl.gz", trouble{refuse: errOutage})
	tr := &trial{number: 1}
	_, err := s.settle(t, tr)
	require.Error(t, err)
	s.Clock = at(settledAt.Add(time.Hour))
	_, m := s.mustSettle(t, tr.beforeKill(t))
	require.Equal(t, settledAt, m.Files[0].VerifiedAt)
	require.Equal(t, settledAt.Add(time.Hour), m.Files[1].VerifiedAt)
	m.Files[1].VerifiedAt = settledAt
	require.Equal(t, want, m)
}

// TestSettleCrashes: whichever call to the store fails, and however, the attempt says that it may heal, and the next one,
// whether it knows how far the first came or not, makes the same delivery as an undisturbed one.
func TestSettleCrashes(t *testing.T) {
	fresh := func() *settling {
		s := newSettling(t, mixed, wasDelivered, wasGone, wasDelivered, wasEmpty, wasDelivered, wasCancelled, wasDelivered)
		s.store.remove(s.records[5].ledgerKey())
		return s
	}
	clean := fresh()
	clean.mustSettle(t, &trial{})
	want, calls := clean.store.sums(t), clean.store.count()
	require.Greater(t, calls, 25)

	for n := 1; n <= calls; n++ {
		for name, failing := range map[string]trouble{
			"refused": {refuse: errOutage}, "answer lost": {lose: errOutage},
			"denied": {refuse: fmt.Errorf("put: %w", collection.ErrStoreDenied)},
		} {
			for _, knows := range []bool{true, false} {
				s := fresh()
				s.store.trouble = func(call int, _, _ string) trouble {
					if call == n {
						return failing
					}
					return trouble{}
				}
				tr := &trial{number: 1}
				_, err := s.settle(t, tr)
				requireTransient(t, err, collection.ReasonStoreUnavailable)
				s.store.trouble = nil
				next := &trial{number: 2}
				if knows {
					next = tr.next(t)
				}
				s.mustSettle(t, next)
				require.Equal(t, want, s.store.sums(t), "call %d, %s, knows %t", n, name, knows)
			}
		}
	}
}

// TestSettleManyLost: progress that would not fit into a heartbeat is not told; what was told before still holds.
func TestSettleManyLost(t *testing.T) {
	const rows = maxLostCarried + 60
	fresh := func() *settling {
		s := newSettling(t, pages(rows), wasDelivered)
		for i, r := range s.records {
			if i >= 10 && i < rows-10 {
				s.store.remove(r.deliveredKey())
			}
		}
		return s
	}
	clean := fresh()
	clean.mustSettle(t, &trial{})
	want := clean.store.sums(t)

	s := fresh()
	s.store.trouble = failOnce("Create results/acme/s1/manifest.json", trouble{refuse: errOutage})
	tr := &trial{number: 1}
	_, err := s.settle(t, tr)
	requireTransient(t, err, collection.ReasonStoreUnavailable)
	told := tr.progress(t).Settle
	require.Len(t, told.Files, 5, "the parts before the loss")
	require.Empty(t, told.Lost)
	_, m := s.mustSettle(t, tr.next(t))
	require.Equal(t, want, s.store.sums(t))
	require.Equal(t, rows-20, m.Outcomes.Of(collection.OutcomeDeadLettered))
}

// TestSettleCrossed: two settlements of one submission at the same time, of which one was thought lost, do not fail it.
func TestSettleCrossed(t *testing.T) {
	s := newSettling(t, pages(3), wasDelivered)
	rival := &Settler{Store: s.store.Store, Engine: &oracle{}, Clock: at(settledAt.Add(time.Minute)), PartRecords: 2, PartBytes: 1 << 20}
	rivalled := false
	s.store.trouble = func(_ int, op, key string) trouble {
		if !rivalled && op == "Head" && strings.HasSuffix(key, "/manifest.json") {
			// The rival settles wholly between our write of the manifest and the question whether it is there. Its manifest
			// would be ours; a third one of another time stands there instead.
			rivalled = true
			_, err := run(t, &trial{}, rival.Settle, collection.SettleInput{Submission: "s1", Cancelled: true})
			require.NoError(t, err)
		}
		return trouble{}
	}
	tr := &trial{number: 1}
	_, err := s.settle(t, tr)
	requireTransient(t, err, collection.ReasonStoreUnavailable, "manifest.json holds", "somebody else writes it")
	_, m := s.mustSettle(t, tr.next(t))
	require.Equal(t, collection.StateComplete, m.State)
}

// TestSettleReplaceCrossed: a manifest that changes under our hands is not overwritten unseen.
func TestSettleReplaceCrossed(t *testing.T) {
	s := newSettling(t, pages(1), wasDelivered)
	s.store.set(t, "results/acme/s1/manifest.json", "old")
	n := 0
	s.store.trouble = func(_ int, op, key string) trouble {
		if op == "Replace" {
			n++
			s.store.set(t, key, fmt.Sprint("stranger ", n))
		}
		return trouble{}
	}
	tr := &trial{number: 1}
	for range maxContested - 1 {
		_, err := s.settle(t, tr)
		requireTransient(t, err, collection.ReasonStoreUnavailable, "exists with another content")
		tr = tr.next(t)
	}
	_, err := s.settle(t, tr)
	requireFinal(t, err, collection.ReasonDeliveryConflict, "exists with another content")
}

// TestSettleCancelled: a cancellation in the middle ends the attempt as one, and a later attempt goes on.
func TestSettleCancelled(t *testing.T) {
	for _, n := range []int{1, 3, 6, 10, 14} {
		ctx, cancel := stoppable(t)
		s := newSettling(t, pages(5), wasDelivered)
		s.store.trouble = func(call int, _, _ string) trouble {
			if call == n {
				cancel(temporal.NewCanceledError())
			}
			return trouble{}
		}
		tr := &trial{number: 1, ctx: ctx}
		_, err := s.settle(t, tr)
		requireCancelled(t, err)
		s.store.trouble = nil
		_, m := s.mustSettle(t, tr.next(t))
		require.Equal(t, collection.StateComplete, m.State)
	}
}
