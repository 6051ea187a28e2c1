package activities

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// TestHistoryRaces: submissions of one source that are settled at the same time lose nothing.
func TestHistoryRaces(t *testing.T) {
	t.Parallel()
	store := newShaky()
	const settlements = 12
	var group sync.WaitGroup
	for n := range settlements {
		group.Go(func() {
			for remember(background, store, earlier(n)) != nil {
			}
		})
	}
	group.Wait()
	h, _, err := readHistory(background, store, "books")
	require.NoError(t, err)
	require.Len(t, h.Submissions, settlements)
	for n, e := range h.Submissions {
		require.Equal(t, earlier(n), e, "in the order of acceptance, whoever was first")
	}
}

// TestHistoryLostRaces: another one is always a little quicker. That is no conflict of the delivery, however long it goes on.
func TestHistoryLostRaces(t *testing.T) {
	for _, lost := range []int{1, historyRounds - 1, 3 * historyRounds} {
		s, _ := checking(t, collection.QualityRules{}, wasDelivered)
		races := 0
		s.store.trouble = func(_ int, op, key string) trouble {
			if op == "Replace" && key == historyOfBooks && races < lost {
				races++
				rival := earlier(4)
				rival.Submission = fmt.Sprint("rival-", races%8)
				rival.Records += races
				s.remember(t, rival)
			}
			return trouble{}
		}
		tr := &trial{number: 1}
		_, err := s.settle(t, tr)
		attempts := 1
		for ; err != nil; attempts++ {
			requireTransient(t, err, collection.ReasonStoreUnavailable, historyOfBooks, "many settlements")
			tr = tr.next(t)
			_, err = s.settle(t, tr)
		}
		require.Equal(t, 1+lost/historyRounds, attempts)
		h := s.history(t)
		require.Len(t, h.Submissions, 4+min(lost, 8))
		require.Equal(t, "s1", h.Submissions[len(h.Submissions)-1].Submission)
	}
}

// TestHistoryIsDeleted: a history that goes away between two looks is begun anew.
func TestHistoryIsDeleted(t *testing.T) {
	s, _ := checking(t, collection.QualityRules{}, wasDelivered)
	s.store.trouble = failOnce("Replace "+historyOfBooks, trouble{refuse: fmt.Errorf("replace: %w", collection.ErrObjectMissing)})
	s.mustSettle(t, &trial{})
	require.Len(t, s.history(t).Submissions, 4)
}

// TestHistoryIsDamaged: statistics that cannot be read stop no delivery.
func TestHistoryIsDamaged(t *testing.T) {
	for _, rubbish := range []string{"", "{", "[]", `{"source":"films","submissions":[]}`} {
		s, _ := checking(t, collection.QualityRules{}, wasDelivered)
		s.store.set(t, historyOfBooks, rubbish)
		_, m := s.mustSettle(t, &trial{})
		require.Equal(t, collection.StateComplete, m.State)
		h := s.history(t)
		require.Len(t, h.Submissions, 1)
		require.Equal(t, "books", h.Source)
	}
}

// TestReportOfAnother: of two settlements that make the same checks at the same time, the first one's word holds.
func TestReportOfAnother(t *testing.T) {
	clean, _ := checking(t, collection.QualityRules{}, wasDelivered)
	clean.mustSettle(t, &trial{})
	key := clean.reports(t)[0]

	s, metrics := checking(t, collection.QualityRules{}, wasDelivered)
	s.store.trouble = func(_ int, op, object string) trouble {
		if op == "Create" && object == key {
			s.store.set(t, key, `{"submission":"s1","entries":[],"checks":[{"source":"books","check":"empty","result":"breach","observed":1,"allowed":0,"of":1,"detail":"theirs"}]}`)
		}
		return trouble{}
	}
	out, m := s.mustSettle(t, &trial{})
	require.Equal(t, "theirs", m.Checks[0].Detail)
	require.Len(t, out.Breaches, 1)
	require.Empty(t, metrics.told, "it was theirs to count")
}

// TestReportIsDamaged: what stands in the place of the checks and is none is not believed.
func TestReportIsDamaged(t *testing.T) {
	clean, _ := checking(t, collection.QualityRules{}, wasDelivered)
	clean.mustSettle(t, &trial{})
	key := clean.reports(t)[0]
	for _, rubbish := range []string{"", "{", `{"submission":"s2"}`} {
		s, _ := checking(t, collection.QualityRules{}, wasDelivered)
		s.store.set(t, key, rubbish)
		_, err := s.settle(t, &trial{})
		requireFinal(t, err, collection.ReasonInternal, key, "delete it")
	}
}

// TestChecksWithRulesThatCannotBeRead: the default rules hold.
func TestChecksWithRulesThatCannotBeRead(t *testing.T) {
	s, _ := checking(t, collection.QualityRules{MaxEmpty: "a lot", MinRecords: 1000}, wasDelivered)
	_, m := s.mustSettle(t, &trial{})
	require.Equal(t, []string{"stored: ok", "empty: ok", "invalid: ok", "duplicates: ok"}, verdicts(m.Checks))
	require.InDelta(t, 0.05, m.Checks[1].Allowed, 1e-9)
}
