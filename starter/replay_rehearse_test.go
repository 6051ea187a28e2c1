package starter_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	workflowpb "go.temporal.io/api/workflow/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// TestRehearse: a dry run says what the replay would do with each dead letter.
func TestRehearse(t *testing.T) {
	t.Parallel()
	prepare := func(t *testing.T, raw string) *trial {
		tr := setup(t).settled(collection.StatePartiallyFailed)
		stores(tr, collection.ManifestKey("acme", submission), deadManifest(1))
		tr.forgot(submission).Maybe()
		row := booksRows[1]
		if raw != "" {
			row.Raw = &collection.Raw{Key: raw}
		}
		stores(tr, collection.LedgerKey(submission, "books", 1), booksRows[0], row)
		tr.lists(allFailed, []*workflowpb.WorkflowExecutionInfo{failedRun(submission+"/"+bookID(2), "books", collection.ReasonParseEmpty, accepted)})
		return tr
	}
	for name, c := range map[string]struct {
		raw, kept string
		from      collection.ReplayFrom
		left      bool
	}{
		"kept":                     {"raw/x", "raw/x", collection.ReplayFromRaw, false},
		"kept, and parsed":         {"raw/x", "raw/x", collection.ReplayFromParse, false},
		"deleted since":            {"raw/x", "", collection.ReplayFromRaw, true},
		"never kept":               {"", "", collection.ReplayFromRaw, true},
		"asked for again":          {"", "", collection.ReplayFromCollect, false},
		"from where it has failed": {"", "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := prepare(t, c.raw)
			if c.kept != "" {
				stores(tr, c.kept, "bytes")
			}
			var got []starter.Rehearsed
			for r, err := range tr.client.Rehearse(t.Context(), starter.DeadFilter{}, c.from) {
				require.NoError(t, err)
				got = append(got, r)
			}
			require.Len(t, got, 1)
			require.Equal(t, bookID(2), got[0].Record)
			require.Equal(t, c.left, got[0].WithoutRaw)
			require.NoError(t, got[0].Refused)
		})
	}
}

// TestRehearseOfWhatRuns: a submission that has not ended is not replayed, and the dry run says so.
func TestRehearseOfWhatRuns(t *testing.T) {
	t.Parallel()
	tr := setup(t).underway()
	tr.lists(allFailed, []*workflowpb.WorkflowExecutionInfo{failedRun(submission+"/"+bookID(2), "books", collection.ReasonParseEmpty, accepted)})
	for r, err := range tr.client.Rehearse(t.Context(), starter.DeadFilter{}, collection.ReplayFromRaw) {
		require.NoError(t, err)
		require.ErrorIs(t, r.Refused, starter.ErrNotSettled)
		require.False(t, r.WithoutRaw)
	}
	require.ErrorIs(t, tr.client.Replayable(t.Context(), submission), starter.ErrNotSettled)
	require.ErrorContains(t, tr.client.Replayable(t.Context(), submission), "is still under way: wait for its end, then replay it")

	tr = setup(t).planned()
	tr.knows(terminated)
	err := tr.client.Replayable(t.Context(), submission)
	require.ErrorIs(t, err, starter.ErrNotSettled)
	require.ErrorContains(t, err, "submit it again under the same id")
	tr = setup(t).planned()
	tr.describes(submission, nil, errDown)
	require.ErrorIs(t, tr.client.Replayable(t.Context(), submission), errDown)
}
