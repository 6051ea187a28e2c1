package sweep_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/sizing"
	"github.com/weir-collect/weir/internal/sizing/sweep"
)

func studied(t *testing.T, p sizing.Params, h *sizing.History, cores int) sizing.Findings {
	t.Helper()
	f, err := sweep.Study(context.Background(), p, h, cores)
	require.NoError(t, err)
	return f
}

func TestStudyIsTheSameOnAnyCores(t *testing.T) {
	t.Parallel()
	p := short()
	p.Seeds = 2
	p.Sources = []sizing.Source{{Name: "a", Share: 0.5, Ceiling: 20}, {Name: "b", Share: 0.5}}
	require.Equal(t, studied(t, p, nil, 1), studied(t, p, nil, 3))
}

func TestStudyOfTheExperiment(t *testing.T) {
	t.Parallel()
	p := short()
	p.Months = 6
	f := studied(t, p, nil, 2)
	require.Equal(t, 8, f.Formula)
	require.InDelta(t, 4.0, f.Smooth.Wait.Value, 0.5)
	require.InDelta(t, 31, f.Recommended, 4)
	require.Len(t, f.Points, 40)
	for i, point := range f.Points {
		require.Equal(t, i+1, point.Workers)
		require.Equal(t, i+1 > 5, point.Steady)
	}
	require.Len(t, f.Curves, 4)
	require.True(t, f.Curves[0].Smooth)
	require.Equal(t, 4, f.VariantSeeds)
	require.Len(t, f.Sizes, 5)
	require.Len(t, f.Tails, 6)
	require.Len(t, f.Paces, 5)
	for _, v := range f.Sizes {
		require.Positive(t, v.Workers, v.Name)
		require.Equal(t, p.Dollars(v.Workers), v.Dollars)
		require.True(t, v.Steady)
	}
	require.InDelta(t, 8, f.Sizes[0].Workers, 1, "one by one")
	require.Greater(t, f.Sizes[4].Workers, f.Recommended, "twice the batches")
	require.Less(t, f.Paces[0].Workers, f.Recommended)

	// K11: an elastic fleet needs as many at the peak, and pays for fewer.
	small := f.Elastic.Smallest
	require.GreaterOrEqual(t, small.Workers, f.Recommended-1)
	require.Less(t, small.PaidMinutes/small.Minutes, 0.6*float64(f.Recommended))
	require.True(t, small.Kept(p.Promise))
	require.Nil(t, f.Shared)
	require.Nil(t, f.Replay)
}

func TestStudyWithCeilingsAndCustomers(t *testing.T) {
	t.Parallel()
	p := short()
	p.Elastic = nil
	p.Sources = []sizing.Source{{Name: "narrow", Share: 0.2, Ceiling: 4}, {Name: "wide", Share: 0.8}}
	p.Customers = []sizing.Customer{{Name: "a", Share: 0.5, Weight: 1}, {Name: "b", Share: 0.5, Weight: 2}}
	f := studied(t, p, nil, 2)
	require.Nil(t, f.Elastic)
	require.NotNil(t, f.Shared)
	now := f.Shared.Recommended
	require.Equal(t, f.Recommended, now.Workers)
	require.Len(t, now.Customers, 2)
	require.Greater(t, now.Sources[0].Quantile(0.95), 2*now.Sources[1].Quantile(0.95), "who waits for a ceiling waits longer")
	require.Zero(t, f.Shared.Smallest.Workers, "a fifth of the jobs waits for four permits: workers do not help")
}

func TestStudyWithRoomyCeilings(t *testing.T) {
	t.Parallel()
	p := short()
	p.Elastic = nil
	p.Customers = []sizing.Customer{{Name: "a", Share: 0.5, Weight: 1}, {Name: "b", Share: 0.5, Weight: 1}}
	f := studied(t, p, nil, 2)
	require.InDelta(t, f.Recommended, f.Shared.Smallest.Workers, 3)
	require.True(t, f.Shared.Smallest.Kept(p.Promise))
}

// TestStudyKeepsThePromiseToEveryCustomer: the fleet found breaks it for nobody, and with one worker less it does, or for all.
func TestStudyKeepsThePromiseToEveryCustomer(t *testing.T) {
	t.Parallel()
	p := short()
	p.Elastic = nil
	p.Customers = []sizing.Customer{{Name: "large", Share: 0.6, Weight: 100}, {Name: "small", Share: 0.4, Weight: 0.1}}
	f := studied(t, p, nil, 2)
	small := f.Shared.Smallest
	require.NotEqual(t, sizing.VerdictBroken, small.Verdict(p, 0))
	require.NotEqual(t, sizing.VerdictBroken, small.Verdict(p, 1))
	require.GreaterOrEqual(t, float64(small.Within), p.Promise.Share*float64(small.Jobs))
	less, err := sweep.Shared(context.Background(), p, small.Workers-1, 2)
	require.NoError(t, err)
	require.False(t, less.Kept(p.Promise))
	require.Equal(t, less.Jobs, less.PerCustomer[0].Jobs+less.PerCustomer[1].Jobs)
	require.Equal(t, less.Within, less.PerCustomer[0].Within+less.PerCustomer[1].Within)
}

// TestStudyOutsideItsRange: the answer is found and shown, wherever the table ends.
func TestStudyOutsideItsRange(t *testing.T) {
	t.Parallel()
	p := short()
	p.Workers, p.Elastic = sizing.Range{From: 10, To: 14}, nil
	f := studied(t, p, nil, 2)
	require.Greater(t, f.Recommended, 20)
	first := map[int]bool{}
	for _, point := range f.Points {
		require.False(t, first[point.Workers], "a fleet twice")
		first[point.Workers] = true
	}
	for _, n := range []int{8, 10, 14, f.Recommended} {
		require.True(t, first[n], "%d workers are missing", n)
	}
}

// TestVariantsAreSizedAsTheAnswerIs: the variant that assumes nothing else has the same answer, and so the others compare.
func TestVariantsAreSizedAsTheAnswerIs(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{2, 3} {
		p := short()
		p.Seed, p.Seeds, p.Elastic = seed, 7, nil
		f := studied(t, p, nil, 2)
		require.Equal(t, 7, f.VariantSeeds)
		as := f.Sizes[len(f.Sizes)-2]
		require.Contains(t, as.Name, "as assumed")
		require.Equal(t, f.Recommended, as.Workers, "seed %d", seed)
		for _, v := range slices.Concat(f.Sizes, f.Tails, f.Paces) {
			table, err := sweep.Run(context.Background(), v.Params, []int{v.Workers - 1, v.Workers, f.Recommended}, 2)
			require.NoError(t, err)
			points := table.Points()
			require.Less(t, points[0].Within.Lower(), p.Promise.Share, v.Name)
			require.GreaterOrEqual(t, points[1].Within.Lower(), p.Promise.Share, v.Name)
			require.Equal(t, points[2].Within.Value, v.Within, v.Name)
		}
	}
}

// TestStudyCutsNoRecording: what batches.max changes is not replayed, and that is said; pacing is.
func TestStudyCutsNoRecording(t *testing.T) {
	t.Parallel()
	h := &sizing.History{}
	for hour := range 24 * 14 {
		h.Batches = append(h.Batches, sizing.Recorded{At: time.Date(2026, time.March, 2, hour, 0, 0, 0, time.UTC), Jobs: 20})
	}
	p := short()
	p.Seeds, p.Elastic, p.Batches.Max = 2, nil, 19
	cut, err := h.Params(p)
	require.NoError(t, err)
	f := studied(t, cut, h, 2)
	require.Nil(t, f.Replay)
	require.True(t, f.NotReplayed)

	p.Batches.Max, p.Batches.PaceMinutes = 20, 3
	paced, err := h.Params(p)
	require.NoError(t, err)
	f = studied(t, paced, h, 2)
	require.False(t, f.NotReplayed)
	require.Less(t, f.Replay.Smallest.Workers, 10, "twenty at once would take many more")
}

func TestStudyRefusesBadParameters(t *testing.T) {
	t.Parallel()
	p := short()
	p.Workers.To = 4
	_, err := sweep.Study(context.Background(), p, nil, 2)
	require.ErrorContains(t, err, "4 never catch up")
}

// TestStudyOfARecording: weekly rushes that batches forget show in the replay.
func TestStudyOfARecording(t *testing.T) {
	t.Parallel()
	h := &sizing.History{}
	begin := time.Date(2026, time.March, 2, 8, 0, 0, 0, time.UTC)
	for day := range 90 {
		for hour := range 8 {
			h.Batches = append(h.Batches, sizing.Recorded{At: begin.Add(time.Duration(24*day+hour) * time.Hour), Jobs: 20})
		}
	}
	p, err := h.Params(short())
	require.NoError(t, err)
	f := studied(t, p, h, 2)
	require.Equal(t, 90*8*20, f.Replay.Jobs)
	require.Equal(t, 720, f.Replay.Batches)
	require.InDelta(t, 89.3, f.Replay.Days, 0.1)
	require.Equal(t, f.Recommended, f.Replay.Recommended.Workers)
	require.Equal(t, 3, f.Replay.Recommended.Months)
	require.Positive(t, f.Replay.Smallest.Workers)
	require.True(t, f.Replay.Smallest.Kept)
	require.Less(t, f.Replay.Smallest.Workers, f.Recommended, "batches that keep an hour apart take fewer than drawn ones")
}

// TestStudyOfALargeFleet: rows stand apart, but not around the answer, which is still the smallest that lasts.
func TestStudyOfALargeFleet(t *testing.T) {
	t.Parallel()
	p := short()
	p.JobsPerHour, p.Batches.Mean, p.Seeds, p.Months = 900, 60, 3, 1
	p.Workers, p.Elastic = sizing.Range{From: 1}, nil
	f := studied(t, p, nil, 2)
	require.Greater(t, f.Recommended, 250)
	require.Less(t, len(f.Points), 110)
	rows := map[int]sizing.Point{}
	for _, point := range f.Points {
		rows[point.Workers] = point
	}
	before, ok := rows[f.Recommended-1]
	require.True(t, ok, "the row before the answer is missing")
	require.Less(t, before.Within.Lower(), p.Promise.Share)
	require.GreaterOrEqual(t, rows[f.Recommended].Within.Lower(), p.Promise.Share)
	require.True(t, f.Strict == 0 || f.Strict >= f.Recommended)
	if f.Strict > f.Recommended {
		before, ok := rows[f.Strict-1]
		require.True(t, ok, "the row before the strict answer is missing")
		require.Less(t, 2*before.StrictRuns, p.Seeds)
	}
}

// TestStudyGivesTheAnswerARow: customers who come together at nine take more than the simulation says, and the table has that fleet.
func TestStudyGivesTheAnswerARow(t *testing.T) {
	t.Parallel()
	h := &sizing.History{}
	for day := range 30 {
		for minute := range 5 {
			h.Batches = append(h.Batches, sizing.Recorded{At: time.Date(2026, time.March, 1+day, 9, minute, 0, 0, time.UTC), Jobs: 24})
		}
	}
	p := short()
	p.Elastic, p.Workers = nil, sizing.Range{From: 1}
	p, err := h.Params(p)
	require.NoError(t, err)
	f := studied(t, p, h, 2)
	workers, because := f.Answer()
	require.Equal(t, sizing.BecauseReplay, because)
	require.Greater(t, workers, f.Recommended+10)
	last := f.Points[len(f.Points)-1]
	require.Equal(t, workers, last.Workers)
	require.Equal(t, p.Dollars(workers), last.Dollars)
	require.True(t, last.Steady)
}

// TestStudyThatCannotBeSure: few runs without a late job end the search, not the largest fleet.
func TestStudyThatCannotBeSure(t *testing.T) {
	t.Parallel()
	p := short()
	p.Elastic, p.Seeds, p.Months = nil, 2, 1
	p.Batches = sizing.Batches{Shape: sizing.Fixed, Mean: 30}
	p.Promise.Share = 1 - 3.01/(p.JobsPerMonth()*2/30)
	f, err := sweep.Study(context.Background(), p, nil, 2)
	if err != nil { // fewer batches were drawn than expected
		require.EqualError(t, err, "seeds: so few runs leave the answer open: use more seeds or months")
		return
	}
	require.Less(t, f.Recommended, 100)
}
