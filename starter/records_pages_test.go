package starter_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// pages collects what Pages yields from a place on.
func pages(t require.TestingT, tr *trial, f starter.Filter, from starter.Cursor) (all []starter.Page, failed error) {
	for page, err := range tr.client.Pages(context.Background(), submission, f, from) {
		if err != nil {
			return all, err
		}
		all = append(all, page)
	}
	return all, nil
}

func TestPages(t *testing.T) {
	t.Parallel()
	tr := setup(t).underway()
	got, err := pages(t, tr, starter.Filter{}, starter.Cursor{})
	require.NoError(t, err)
	require.Len(t, got, 4, "a page for every object")
	require.Equal(t, []starter.Cursor{{Part: 1}, {Part: 1, Row: 1}}, got[0].At)
	require.Equal(t, starter.Cursor{Source: "books", Part: 1}, got[0].Next)
	require.Equal(t, booksRows, got[1].Rows)
	require.Equal(t, starter.OutcomePending, got[2].Rows[0].Outcome)
	require.Equal(t, starter.Cursor{}, got[3].Next)

	got, err = pages(t, tr, starter.Filter{Outcome: collection.OutcomeDeadLettered}, starter.Cursor{})
	require.NoError(t, err)
	require.Len(t, got, 4)
	require.Empty(t, got[0].Rows)
	require.Equal(t, []starter.Cursor{{Source: "books", Part: 1, Row: 1}}, got[1].At)
}

// TestPagesFromTheMiddle: a place is found without reading what stands before it.
func TestPagesFromTheMiddle(t *testing.T) {
	t.Parallel()
	tr := setup(t).underway()
	got, err := pages(t, tr, starter.Filter{}, starter.Cursor{Source: "films", Part: 1})
	require.NoError(t, err)
	require.Equal(t, filmsRows, got[0].Rows)
	require.Equal(t, []string{collection.PlanKey(submission), collection.LedgerKey(submission, "films", 1)}, tr.store.reads)

	got, err = pages(t, tr, starter.Filter{}, starter.Cursor{Source: "books", Part: 1, Row: 1})
	require.NoError(t, err)
	require.Equal(t, booksRows[1:], got[0].Rows)
	require.Len(t, got[1].Rows, 1, "the row counts in the first page alone")

	got, err = pages(t, tr, starter.Filter{}, starter.Cursor{Source: "films", Part: 1, Row: 99})
	require.NoError(t, err)
	require.Empty(t, got[0].Rows)

	for _, from := range []starter.Cursor{{Source: "films", Part: 2}, {Source: "none", Part: 1}, {Part: 2}} {
		_, err := pages(t, tr, starter.Filter{}, from)
		require.ErrorIs(t, err, starter.ErrNotFound)
		require.ErrorContains(t, err, "has no place "+from.String())
	}
	_, err = pages(t, tr, starter.Filter{Source: "films"}, starter.Cursor{Source: "books", Part: 1})
	require.ErrorIs(t, err, starter.ErrNotFound)
}

// TestPagesGoOn: whoever stops at any row and goes on there has seen every row once.
func TestPagesGoOn(t *testing.T) {
	t.Parallel()
	all, err := pages(t, setup(t).underway(), starter.Filter{}, starter.Cursor{})
	require.NoError(t, err)
	var rows []collection.LedgerRow
	var places []starter.Cursor
	for _, page := range all {
		rows, places = append(rows, page.Rows...), append(places, page.At...)
	}
	require.Len(t, rows, plan.Expected)
	for i, place := range places {
		parsed, err := starter.ParseCursor(place.String())
		require.NoError(t, err)
		rest, err := pages(t, setup(t).underway(), starter.Filter{}, parsed)
		require.NoError(t, err)
		seen := append([]collection.LedgerRow{}, rows[:i]...)
		for _, page := range rest {
			seen = append(seen, page.Rows...)
		}
		require.Equal(t, rows, seen, place)
	}
}

func TestParseCursor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]starter.Cursor{
		"": {}, "bookshop/7": {Source: "bookshop", Part: 7}, "bookshop/7/120": {Source: "bookshop", Part: 7, Row: 120}, "-/2/5": {Part: 2, Row: 5},
	} {
		got, err := starter.ParseCursor(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"x", "bookshop/0", "bookshop/-1/2", "bookshop/1/-2", "bookshop/1/2/3", "Shop/1", "/1/1", "a/b", "a/1/b", "../1"} {
		_, err := starter.ParseCursor(text)
		require.ErrorContains(t, err, "write SOURCE/PART", text)
	}
	rapid.Check(t, func(t *rapid.T) {
		c := starter.Cursor{Part: rapid.IntRange(1, 1e6).Draw(t, "part"), Row: rapid.IntRange(0, 1e6).Draw(t, "row")}
		if rapid.Bool().Draw(t, "batch") {
			c.Source = rapid.StringMatching(`[a-z0-9][a-z0-9_-]{0,20}`).Draw(t, "source")
		}
		got, err := starter.ParseCursor(c.String())
		require.NoError(t, err)
		require.Equal(t, c, got)
	})
}

func FuzzParseCursor(f *testing.F) {
	for _, seed := range []string{"", "bookshop/7", "-/2/5", "a/99999999999999999999", "//", "a/+1/0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := starter.ParseCursor(text)
		if err != nil {
			return
		}
		again, err := starter.ParseCursor(c.String())
		require.NoError(t, err)
		require.Equal(t, c, again)
	})
}
