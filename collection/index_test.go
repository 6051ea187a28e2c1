package collection

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestIndexFindsEveryRecord(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100, 5000} {
		var entries []IndexEntry
		for i := range n {
			entries = append(entries, IndexEntry{Record: RecordID("books", fmt.Sprint(i)), Source: i % 3, Batch: 1 + i/500})
		}
		index, err := EncodeIndex(entries)
		require.NoError(t, err)
		require.Len(t, index, n*IndexEntrySize)
		widest := 0
		for _, e := range entries {
			from, to := IndexWindow(n, e.Record)
			widest = max(widest, to-from)
			got, ok, sure := FindInIndex(index[from*IndexEntrySize:to*IndexEntrySize], e.Record, from == 0, to == n)
			require.True(t, ok, "record %s of %d", e.Record, n)
			require.True(t, sure)
			require.Equal(t, e, got)
		}
		for i := range 200 {
			stranger := RecordID("films", fmt.Sprint(i))
			from, to := IndexWindow(n, stranger)
			_, ok, sure := FindInIndex(index[from*IndexEntrySize:to*IndexEntrySize], stranger, from == 0, to == n)
			require.False(t, ok)
			require.True(t, sure, "one read tells that it is not there")
		}
		if n == 5000 {
			require.Less(t, widest, 500, "a tenth of the index")
		}
	}
}

// TestIndexIsNeverWrong: whatever the ids and the window, what is found is right, and what is surely not there is not.
func TestIndexIsNeverWrong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`[0-9a-f]{2}0{18}`), 0, 40, rapid.ID[string]).Draw(t, "ids")
		places := map[string]IndexEntry{}
		var entries []IndexEntry
		for i, id := range ids {
			e := IndexEntry{Record: id, Source: i, Batch: i + 1}
			places[id] = e
			entries = append(entries, e)
		}
		index, err := EncodeIndex(entries)
		if err != nil {
			t.Fatal(err)
		}
		wanted := rapid.StringMatching(`[0-9a-f]{2}0{18}`).Draw(t, "wanted")
		from := rapid.IntRange(0, len(ids)).Draw(t, "from")
		to := rapid.IntRange(from, len(ids)).Draw(t, "to")
		got, ok, sure := FindInIndex(index[from*IndexEntrySize:to*IndexEntrySize], wanted, from == 0, to == len(ids))
		want, there := places[wanted]
		if ok && (!there || got != want) {
			t.Fatalf("found %+v, want %+v %t", got, want, there)
		}
		if !ok && sure && there {
			t.Fatalf("%s is there, and was surely not", wanted)
		}
	})
}

func TestIndexRefuses(t *testing.T) {
	for _, e := range []IndexEntry{{Record: "x", Batch: 1}, {Record: RecordID("a", "b")}, {Record: RecordID("a", "b"), Batch: 1 << 16}, {Record: RecordID("a", "b"), Source: -1, Batch: 1}} {
		_, err := EncodeIndex([]IndexEntry{e})
		require.Error(t, err, "%+v", e)
	}
	from, to := IndexWindow(100, "no id")
	require.Zero(t, to-from)
	_, ok, sure := FindInIndex(nil, "no id", false, false)
	require.False(t, ok)
	require.True(t, sure)
}
