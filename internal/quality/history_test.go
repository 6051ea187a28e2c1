package quality

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

// settledAs is an entry of the history of books: so many documents, of which some lack the price.
func settledAs(n int, stored, missing int) collection.QualityEntry {
	e := collection.QualityEntry{Fields: []string{"price", "title"}, QualityCounts: collection.QualityCounts{
		Source: "books", Submission: fmt.Sprintf("s%02d", n), AcceptedAt: accepted.Add(time.Duration(n) * time.Hour),
		Records: stored, Completed: stored, Stored: stored,
	}}
	if missing > 0 {
		e.Missing = map[string]int{"price": missing}
	}
	return e
}

func TestRememberKeepsTheLatest(t *testing.T) {
	t.Parallel()
	var h collection.QualityHistory
	for n := range MaxHistory + 5 {
		var changed bool
		h, changed = Remember(h, settledAs(n, 10, 0))
		require.True(t, changed)
	}
	require.Equal(t, "books", h.Source)
	require.Len(t, h.Submissions, MaxHistory)
	require.Equal(t, "s05", h.Submissions[0].Submission)

	_, changed := Remember(h, settledAs(2, 10, 0))
	require.False(t, changed, "one that is older than all of a full history")
	_, changed = Remember(h, settledAs(20, 10, 0))
	require.False(t, changed, "one that is there already")
	h, changed = Remember(h, settledAs(20, 10, 3))
	require.True(t, changed, "a replay has changed it")
	require.Len(t, h.Submissions, MaxHistory)
	require.Equal(t, 3, h.Submissions[15].Missing["price"])
}

// TestRememberInAnyOrder: whoever comes first, the history is the same, and what is read back of it is what was written.
func TestRememberInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var entries []collection.QualityEntry
		for n := range rapid.IntRange(1, MaxHistory+10).Draw(t, "submissions") {
			entries = append(entries, settledAs(n, 10, rapid.IntRange(0, 2).Draw(t, "missing")))
		}
		var a, b collection.QualityHistory
		for _, e := range entries {
			a, _ = Remember(a, e)
		}
		for _, e := range rapid.Permutation(entries).Draw(t, "order") {
			b, _ = Remember(b, e)
			text, err := json.Marshal(b)
			require.NoError(t, err)
			b = collection.QualityHistory{}
			require.NoError(t, json.Unmarshal(text, &b))
			if _, changed := Remember(b, e); changed {
				t.Fatal("entering an entry twice changes the history")
			}
		}
		require.Equal(t, a, b)
	})
}

func TestReference(t *testing.T) {
	t.Parallel()
	older := settledAs(4, 100, 0)
	older.Fields = []string{"title"}
	breached := settledAs(5, 100, 90)
	breached.Breached = []string{"price"}
	history := []collection.QualityEntry{
		settledAs(1, 100, 5), settledAs(2, 300, 7), settledAs(3, 10, 1), older, breached, settledAs(6, 0, 0), settledAs(7, 100, 50),
	}
	r := referenceFor("price", "s07", history, 20)
	require.Equal(t, reference{missing: 13, of: 410, shares: []float64{0.05, 7.0 / 300}}, r,
		"not its own, not one in breach, not one whose rules had no such field; a small one says little of the spread")
	require.Zero(t, referenceFor("stock", "s07", history, 20))
}
