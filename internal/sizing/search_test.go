package sizing

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSmallestFindsTheFirst(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.IntRange(1, 500).Draw(t, "low")
		high := rapid.IntRange(low, MaxWorkers).Draw(t, "high")
		first := rapid.IntRange(1, MaxWorkers+1).Draw(t, "first")
		asked := 0
		got := Smallest(low, high, func(workers int) bool {
			asked++
			require.GreaterOrEqual(t, workers, low)
			require.LessOrEqual(t, workers, high)
			return workers >= first
		})
		want := max(low, first)
		if first > high {
			want = 0
		}
		require.Equal(t, want, got)
		require.LessOrEqual(t, asked, 30)
	})
}

func TestFleetsOfTheTable(t *testing.T) {
	t.Parallel()
	require.Equal(t, sequence(1, 40), Default().Fleets(31), "the experiment has a row for each")

	p := Default()
	p.Workers = Range{From: 10, To: 20}
	require.Equal(t, append(sequence(10, 20), sequence(29, 35)...), p.Fleets(31), "and the answer, wherever it is")

	p.Workers = Range{From: 1}
	require.Equal(t, sequence(5, 38), p.Fleets(31), "left to the study: from the load to a quarter beyond the answer")

	p.Workers = Range{From: 1, To: MaxWorkers}
	many := p.Fleets(500)
	require.Less(t, len(many), 80)
	require.Subset(t, many, sequence(498, 504))
	require.Equal(t, 1, many[0])
}

func sequence(from, to int) []int {
	var out []int
	for n := from; n <= to; n++ {
		out = append(out, n)
	}
	return out
}

func TestFleetsLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := Default()
		p.JobsPerHour = rapid.Float64Range(1, 50_000).Draw(t, "rate")
		p.Workers.From = rapid.IntRange(1, MaxWorkers).Draw(t, "from")
		if rapid.Bool().Draw(t, "to") {
			p.Workers.To = rapid.IntRange(p.Workers.From, MaxWorkers).Draw(t, "last")
		}
		answer := rapid.IntRange(min(int(p.Load())+1, MaxWorkers), MaxWorkers).Draw(t, "answer")
		fleets := p.Fleets(answer)
		require.True(t, slices.IsSorted(fleets))
		require.Len(t, slices.Compact(slices.Clone(fleets)), len(fleets))
		require.Contains(t, fleets, answer)
		require.GreaterOrEqual(t, fleets[0], 1)
		require.LessOrEqual(t, fleets[len(fleets)-1], MaxWorkers)
		require.Less(t, len(fleets), 2*wholeTable)
	})
}

func TestRecommendWantsConfidence(t *testing.T) {
	t.Parallel()
	promise := Promise{Share: 0.95, Minutes: 5}
	points := []Point{
		{Workers: 5},
		{Workers: 29, Steady: true, Within: Interval{Value: 0.940, HalfWidth: 0.002}},
		{Workers: 30, Steady: true, Within: Interval{Value: 0.951, HalfWidth: 0.002}, StrictRuns: 1},
		{Workers: 31, Steady: true, Within: Interval{Value: 0.953, HalfWidth: 0.002}, StrictRuns: 9},
		{Workers: 32, Steady: true, Within: Interval{Value: 0.960, HalfWidth: 0.002}, StrictRuns: 10},
	}
	require.Equal(t, 31, Recommend(points, promise), "30 is as likely luck")
	require.Equal(t, 32, Strict(points, 20))
	require.Zero(t, Strict(points, 22))
	require.Zero(t, Recommend(points[:3], promise))
	require.Zero(t, Recommend(nil, promise))
}

func TestVotes(t *testing.T) {
	t.Parallel()
	points := []Point{
		{Workers: 5}, {Workers: 30, Steady: true, KeptRuns: 3}, {Workers: 31, Steady: true, KeptRuns: 17},
		{Workers: 32, Steady: true, KeptRuns: 17}, {Workers: 33, Steady: true, KeptRuns: 19},
	}
	kept := func(p Point) int { return p.KeptRuns }
	require.Equal(t, []Votes{{30, 3, 5}, {31, 14, 30}, {33, 2, 32}, {0, 1, 33}}, VotesOf(points, 20, kept))
	require.Equal(t, []Votes{{30, 3, 5}, {31, 14, 30}, {33, 2, 32}}, VotesOf(points, 19, kept))
}
