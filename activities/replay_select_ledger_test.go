package activities

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// TestSelectDeadReadsNoMoreThanItMust: every part of the ledger once, whatever the manifest counts, some at a time; and they are
// gone through in their order.
func TestSelectDeadReadsNoMoreThanItMust(t *testing.T) {
	r := newReplaying(t, pages(40), wasDelivered)
	var inside, most atomic.Int64
	r.store.trouble = func(_ int, op, key string) trouble {
		if op != "Get" || !strings.HasPrefix(key, "ledger/") {
			return trouble{}
		}
		now := inside.Add(1)
		defer inside.Add(-1)
		for was := most.Load(); now > was && !most.CompareAndSwap(was, now); was = most.Load() {
		}
		time.Sleep(5 * time.Millisecond)
		return trouble{}
	}
	plan := r.selected(t, collection.ReplayInput{})
	require.Zero(t, plan.Selected)
	require.False(t, plan.Stale)
	read := map[string]int{}
	for _, call := range r.store.calls {
		if strings.Contains(call, "ledger/") {
			read[call]++
		}
	}
	require.Len(t, read, 20)
	for call, times := range read {
		require.Equal(t, 1, times, call)
	}
	require.Greater(t, most.Load(), int64(1))
	require.LessOrEqual(t, most.Load(), int64(partsAhead))

	dead := newReplaying(t, pages(40), wasEmpty)
	for i, batch := range dead.selected(t, collection.ReplayInput{}).Sources[0].Batches {
		require.Equal(t, collection.BatchPlan{Number: i + 1, Records: 2}, batch)
	}
}

// TestSelectDeadOfACompleteManifest: a settlement that finds a delivery lost tells the ledger before it writes its manifest. One
// that ended in between leaves a dead letter behind that no manifest counts.
func TestSelectDeadOfACompleteManifest(t *testing.T) {
	r := newReplaying(t, pages(4), wasDelivered)
	r.store.remove(r.records[0].deliveredKey())
	r.store.trouble = failOnce("Replace results/acme/s1/manifest.json", trouble{refuse: errOutage})
	_, err := r.settle(t, &trial{number: 1})
	requireTransient(t, err, collection.ReasonStoreUnavailable)
	r.store.trouble = nil
	plan := r.selected(t, collection.ReplayInput{})
	require.Equal(t, 1, plan.Dead)
	require.Equal(t, 1, plan.Selected)
	require.True(t, plan.Stale)
	require.Equal(t, []collection.BatchPlan{{Number: 1, Records: 1}}, plan.Sources[0].Batches)
}

// TestSelectDeadOfACompleteManifestWithoutAPart: where the manifest counts no dead letters there are none in a part of the ledger
// that is gone, for instance because it is kept no longer, and nothing has to be settled for it. What is left still counts.
func TestSelectDeadOfACompleteManifestWithoutAPart(t *testing.T) {
	r := newReplaying(t, pages(4), wasDelivered)
	r.store.remove(r.records[0].ledgerKey())
	before := r.store.sums(t)
	plan := r.selected(t, collection.ReplayInput{})
	require.Equal(t, [3]int{}, [3]int{plan.Dead, plan.Selected, plan.LostParts})
	require.False(t, plan.Stale)
	require.Equal(t, before, r.store.sums(t), "nothing is left behind")

	r.edit(t, r.records[2], func(row *collection.LedgerRow) {
		(lostRow{LostDelivery: collection.LostDelivery{Reason: collection.ReasonDeliveryLost}}).demote(row)
	})
	plan = r.selected(t, collection.ReplayInput{})
	require.Equal(t, [3]int{1, 1, 0}, [3]int{plan.Dead, plan.Selected, plan.LostParts})
	require.True(t, plan.Stale)
}

// TestSelectDeadOfAnEarlierSubmission: an id may be used again once its plan has expired. The manifest of before does not say that
// this submission is settled, nor that it was cancelled.
func TestSelectDeadOfAnEarlierSubmission(t *testing.T) {
	r := newReplaying(t, pages(2), wasEmpty)
	r.acceptedAgain(t)
	_, err := run(t, &trial{}, r.SelectDead, collection.ReplayInput{Submission: "s1"})
	requireFinal(t, err, collection.ReasonCommandRefused, "submission s1 is not settled")

	r = newReplaying(t, pages(2), wasEmpty)
	first := r.selected(t, collection.ReplayInput{})
	r.stateNow(t, collection.StateCancelled)
	require.True(t, r.selected(t, collection.ReplayInput{}).Cancelled)
	r.acceptedAgain(t)
	require.Equal(t, first, r.selected(t, collection.ReplayInput{}))
}
