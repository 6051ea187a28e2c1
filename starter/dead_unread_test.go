package starter_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	workflowpb "go.temporal.io/api/workflow/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

var errRefused = errors.New("the store answers 403 Forbidden")

// badAndGood stores acme-1, whose manifest differs from what the engine remembers, and which is read therefore; before and after
// it come submissions that are not settled.
func badAndGood(t *testing.T) *trial {
	t.Helper()
	tr := setup(t).planned()
	stores(tr, collection.ManifestKey("acme", submission), deadManifest(1))
	stores(tr, collection.LedgerKey(submission, "books", 2), collection.LedgerRow{Line: 5, Key: bookURL(3), Source: "books",
		RecordResult: collection.RecordResult{Record: bookID(3), Outcome: collection.OutcomeDelivered, Delivered: &collection.Delivered{}}})
	tr.forgot(submission).Maybe()
	return tr
}

func (tr *trial) remembersDead(submissions ...string) {
	var runs []*workflowpb.WorkflowExecutionInfo
	for _, id := range submissions {
		for n := 2; n <= 3; n++ {
			runs = append(runs, failedRun(id+"/"+bookID(n), "books", collection.ReasonParseEmpty, accepted))
		}
	}
	tr.lists(allFailed, runs)
}

// TestDeadDespiteOneSubmission: one that cannot be read keeps no other from being listed, and is told as the engine remembers it.
func TestDeadDespiteOneSubmission(t *testing.T) {
	t.Parallel()
	ledger := collection.LedgerKey(submission, "books", 1)
	names := map[string]string{"manifest": collection.ManifestKey("acme", submission), "plan": "the plan of acme-1", "ledger": ledger}
	for what, key := range map[string]string{
		"manifest": collection.ManifestKey("acme", submission), "plan": collection.PlanKey(submission), "ledger": ledger,
	} {
		for how, spoil := range map[string]func(tr *trial){
			"refused": func(tr *trial) { tr.store.fails[key] = errRefused },
			"damaged": func(tr *trial) {
				_, err := tr.store.Put(t.Context(), key, []byte(`{"line":1}{"submission":`), "")
				require.NoError(t, err)
			},
		} {
			for where, ids := range map[string][]string{"first": {submission, "b-1"}, "last": {"a-1", submission}} {
				t.Run(what+" "+how+", "+where, func(t *testing.T) {
					t.Parallel()
					tr := badAndGood(t)
					spoil(tr)
					tr.remembersDead(ids...)
					got := dead(t, tr, starter.DeadFilter{})
					require.Len(t, got, 4)
					notes := map[string]bool{}
					for i, l := range got {
						require.Equal(t, ids[i/2], l.Submission, "in their order")
						require.Equal(t, "engine", l.Ground)
						require.Equal(t, l.Submission == submission, l.Note != "")
						notes[l.Note] = true
					}
					require.Len(t, notes, 2, "one note for the submission")
					require.Contains(t, got[0].Note+got[3].Note, names[what])

					groups, err := starter.GroupDead(tr.client.Dead(t.Context(), starter.DeadFilter{}))
					require.NoError(t, err)
					require.Len(t, groups, 1)
					require.Equal(t, 4, groups[0].Records)
					require.Equal(t, []string{got[0].Note + got[3].Note}, groups[0].Notes)
				})
			}
		}
	}
}

// TestDeadWhosePlanHasExpired: its manifest says that some of what the engine remembers is dead no more; which, nobody can tell.
func TestDeadWhosePlanHasExpired(t *testing.T) {
	t.Parallel()
	for dead1, noted := range map[int]bool{1: true, 2: false} {
		tr := setup(t)
		stores(tr, collection.ManifestKey("acme", submission), deadManifest(dead1))
		tr.forgot(submission).Maybe()
		tr.remembersDead(submission)
		got := dead(t, tr, starter.DeadFilter{})
		require.Len(t, got, 2)
		require.Equal(t, noted, got[0].Note != "")
	}
}

// TestDeadRowsThatCannotBeRead: which records they are is told as far as it is known.
func TestDeadRowsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	tr := setup(t).underway()
	tr.store.fails[collection.BatchKey(submission, "books", 2)] = errRefused
	tr.remembersDead(submission)
	got := dead(t, tr, starter.DeadFilter{Rows: true})
	require.Len(t, got, 2)
	require.Contains(t, got[0].Note, collection.BatchKey(submission, "books", 2))
	require.Contains(t, got[0].Note, "as far as it is known")
	require.Equal(t, 2, got[0].Line+got[1].Line, "the line of the first, of the other none")
}

// TestDeadOfAStoreThatRefusesEverything: that is one error, and not a note for each submission; so is one that is away.
func TestDeadOfAStoreThatRefusesEverything(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		ids   []string
		asked int
	}{
		"refuses":      {errRefused, []string{"a-1", "b-1"}, 2},
		"refuses many": {errRefused, []string{"a-1", "b-1", "c-1", "d-1", "e-1"}, 3},
		"is away":      {errStoreAway, []string{"a-1", "b-1", "c-1"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := setup(t)
			for _, id := range c.ids {
				tr.store.fails[collection.ManifestKey("acme", id)] = c.err
			}
			tr.remembersDead(c.ids...)
			var failure error
			for l, err := range tr.client.Dead(t.Context(), starter.DeadFilter{}) {
				require.Error(t, err, "%v", l)
				require.NoError(t, failure, "one error")
				failure = err
			}
			require.ErrorIs(t, failure, c.err)
			require.ErrorContains(t, failure, collection.ManifestKey("acme", "a-1"))
			require.Len(t, tr.store.reads, c.asked)
		})
	}
	// One that goes away in the midst of it is no note either.
	tr := badAndGood(t)
	tr.store.fails[collection.ManifestKey("acme", submission)] = errStoreAway
	tr.remembersDead("a-1", submission)
	_, err := starter.GroupDead(tr.client.Dead(t.Context(), starter.DeadFilter{}))
	require.ErrorIs(t, err, errStoreAway)
}

// TestRehearseDespiteOneSubmission: a dry run says of it why it cannot be replayed.
func TestRehearseDespiteOneSubmission(t *testing.T) {
	t.Parallel()
	tr := badAndGood(t)
	tr.store.fails[collection.ManifestKey("acme", submission)] = errRefused
	tr.forgot("b-1").Maybe()
	tr.remembersDead(submission, "b-1")
	var got []starter.Rehearsed
	for r, err := range tr.client.Rehearse(t.Context(), starter.DeadFilter{}, collection.ReplayFromCollect) {
		require.NoError(t, err)
		got = append(got, r)
	}
	require.Len(t, got, 4)
	require.ErrorIs(t, got[0].Refused, errRefused)
	require.ErrorIs(t, got[3].Refused, starter.ErrNotFound)
}
