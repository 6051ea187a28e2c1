package starter_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// replaysOf starts a replay of some names and returns which records it was started with.
func (tr *trial) replaysOf(t *testing.T, names ...string) []string {
	t.Helper()
	_, in := tr.replays(nil)
	_, err := tr.client.Replay(t.Context(), collection.ReplayInput{Submission: submission, Select: collection.ReplaySelect{Records: names}})
	require.NoError(t, err)
	require.NoError(t, in.Check(), "the workflow refuses no list that was accepted")
	return in.Select.Records
}

// TestReplayNames: a name is a record in each source of the plan, and of no other that is configured.
func TestReplayNames(t *testing.T) {
	t.Parallel()
	tr := setup(t).settled(collection.StatePartiallyFailed)
	var sources []collection.Source
	for i := range 40 {
		sources = append(sources, collection.Source{Name: fmt.Sprintf("source-%d", i)})
	}
	tr.client = starter.New(tr.engine, tr.store, "weir-test", sources)
	require.ElementsMatch(t, []string{collection.RecordID("books", "k"), collection.RecordID("films", "k"), bookID(1)},
		tr.replaysOf(t, "k", bookID(1), "k"))

	tr = setup(t).settled(collection.StatePartiallyFailed)
	require.Empty(t, tr.replaysOf(t), "without names all are meant")
}

// TestReplayOfALongList: as many names as a replay may list are as many records, whatever they could be in all sources.
func TestReplayOfALongList(t *testing.T) {
	t.Parallel()
	const n = collection.MaxReplayRecords
	tr := setup(t)
	tr.large(t, n+1)
	stores(tr, collection.ManifestKey("acme", submission), manifest)
	var names, ids []string
	for i := range n {
		names = append(names, fmt.Sprintf("https://books.example/%d#part", i))
		ids = append(ids, collection.RecordID("books", fmt.Sprintf("https://books.example/%d", i)))
	}
	require.ElementsMatch(t, ids, tr.replaysOf(t, names...))

	_, err := tr.client.Replay(t.Context(), collection.ReplayInput{Submission: submission, Select: collection.ReplaySelect{Records: append(names, "one more")}})
	require.ErrorContains(t, err, "5001 records are listed, more than 5000")

	unknown := make([]string, n)
	for i := range unknown {
		unknown[i] = fmt.Sprintf("https://nowhere.example/%d#part", i)
	}
	_, err = tr.client.Replay(t.Context(), collection.ReplayInput{Submission: submission, Select: collection.ReplaySelect{Records: unknown}})
	require.ErrorIs(t, err, starter.ErrNotFound, "nothing is never everything")

	// One that was planned without an index cannot be cut down.
	tr = setup(t).settled(collection.StatePartiallyFailed)
	_, err = tr.client.Replay(t.Context(), collection.ReplayInput{Submission: submission, Select: collection.ReplaySelect{Records: names}})
	require.ErrorContains(t, err, "the 5000 names in the list are 20000 records in the sources of "+submission)
	tr.store.fails[collection.IndexKey(submission)] = errDown
	_, err = tr.client.Replay(t.Context(), collection.ReplayInput{Submission: submission, Select: collection.ReplaySelect{Records: names}})
	require.ErrorIs(t, err, errDown)
}

// TestUnlisted: names that are no record in any source of the plan.
func TestUnlisted(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	tr.large(t, 20)
	id := collection.RecordID("books", "https://books.example/3")
	none := collection.RecordID("books", "nosuch")
	got, err := tr.client.Unlisted(t.Context(), submission, []string{"nosuch", "https://books.example/2#part", id, none, "https://books.example/20"})
	require.NoError(t, err)
	require.Equal(t, []string{"nosuch", none, "https://books.example/20"}, got)

	tr.store.fails[collection.IndexKey(submission)] = errDown
	_, err = tr.client.Unlisted(t.Context(), submission, []string{"nosuch"})
	require.ErrorIs(t, err, errDown)

	tr = setup(t).settled(collection.StatePartiallyFailed)
	got, err = tr.client.Unlisted(t.Context(), submission, []string{"nosuch"})
	require.NoError(t, err)
	require.Empty(t, got, "nobody can say so without an index")
}
