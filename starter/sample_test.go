package starter_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// manyRows stores a submission of n delivered records, lines 1 to n.
func manyRows(t *testing.T, n int) *trial {
	t.Helper()
	tr := setup(t)
	rows := make([]collection.LedgerRow, n)
	for i := range rows {
		rows[i] = collection.LedgerRow{Line: i + 1, Source: "books", RecordResult: collection.RecordResult{
			Record: collection.RecordID("books", fmt.Sprint(i)), Outcome: collection.OutcomeDelivered}}
	}
	stores(tr, collection.PlanKey(submission), collection.PlanResult{Submission: submission, Sources: []collection.SourcePlan{
		{Source: "books", Records: n, Batches: []collection.BatchPlan{{Number: 1, Records: n}}}}})
	stores(tr, collection.LedgerKey(submission, "books", 1), rows...)
	return tr
}

func linesOf(s starter.Sample) []int {
	var lines []int
	for _, row := range s.Rows {
		lines = append(lines, row.Line)
	}
	return lines
}

func TestSample(t *testing.T) {
	t.Parallel()
	tr := manyRows(t, 100)
	one, err := tr.client.Sample(t.Context(), submission, starter.Filter{}, 5, 7)
	require.NoError(t, err)
	require.Equal(t, 100, one.Of)
	require.Len(t, one.Rows, 5)
	require.IsIncreasing(t, linesOf(one), "in the order of the plan, and none twice")
	again, err := tr.client.Sample(t.Context(), submission, starter.Filter{}, 5, 7)
	require.NoError(t, err)
	require.Equal(t, one, again, "the same seed")
	other, err := tr.client.Sample(t.Context(), submission, starter.Filter{}, 5, 8)
	require.NoError(t, err)
	require.NotEqual(t, one, other)

	all, err := tr.client.Sample(t.Context(), submission, starter.Filter{}, 1000, 7)
	require.NoError(t, err)
	require.Len(t, all.Rows, 100)
	none, err := tr.client.Sample(t.Context(), submission, starter.Filter{Outcome: collection.OutcomeGone}, 5, 7)
	require.NoError(t, err)
	require.Equal(t, starter.Sample{}, none)
	for _, n := range []int{0, -1, 1001} {
		_, err := tr.client.Sample(t.Context(), submission, starter.Filter{}, n, 7)
		require.ErrorContains(t, err, "use 1 to 1000")
	}
	_, err = setup(t).planned().failing(collection.LedgerKey(submission, "books", 1)).client.Sample(t.Context(), submission, starter.Filter{}, 5, 7)
	require.ErrorIs(t, err, errDown)
}

// TestSampleIsFair: over many seeds every row is chosen about as often as any other.
func TestSampleIsFair(t *testing.T) {
	t.Parallel()
	tr := manyRows(t, 20)
	times := map[int]int{}
	for seed := range uint64(4000) {
		s, err := tr.client.Sample(t.Context(), submission, starter.Filter{}, 5, seed)
		require.NoError(t, err)
		for _, line := range linesOf(s) {
			times[line]++
		}
	}
	for line := 1; line <= 20; line++ {
		// 1000 are expected, with a deviation of 27.
		require.InDelta(t, 1000, times[line], 140, "line %d", line)
	}
}

func TestCapturedAndDocument(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	_, err := tr.store.Put(t.Context(), "raw/x", []byte("<h1>"), "")
	require.NoError(t, err)
	stores(tr, "results/x.json", collection.DeliveredDocument{Record: "r", Fields: map[string]any{"title": "A"}})
	_, err = tr.store.Put(t.Context(), "results/bad.json", []byte("{"), "")
	require.NoError(t, err)

	body, err := tr.client.Captured(t.Context(), collection.Raw{Key: "raw/x"})
	require.NoError(t, err)
	require.Equal(t, "<h1>", string(body))
	document, err := tr.client.Document(t.Context(), collection.Delivered{Key: "results/x.json"})
	require.NoError(t, err)
	require.Equal(t, "A", document.Fields["title"])

	_, err = tr.client.Captured(t.Context(), collection.Raw{Key: "raw/none"})
	require.ErrorIs(t, err, starter.ErrNotFound)
	require.ErrorContains(t, err, "raw/none")
	_, err = tr.client.Document(t.Context(), collection.Delivered{Key: "results/none.json"})
	require.ErrorIs(t, err, starter.ErrNotFound)
	_, err = tr.client.Document(t.Context(), collection.Delivered{Key: "results/bad.json"})
	require.ErrorContains(t, err, "results/bad.json")
	tr.failing("raw/x")
	_, err = tr.client.Captured(t.Context(), collection.Raw{Key: "raw/x"})
	require.ErrorIs(t, err, errDown)
	require.NotErrorIs(t, err, starter.ErrNotFound)
}

// failing lets the store fail with one object.
func (tr *trial) failing(key string) *trial {
	tr.store.fails[key] = errDown
	return tr
}
