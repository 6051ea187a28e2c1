package sweep_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/sizing"
	"github.com/weir-collect/weir/internal/sizing/sweep"
)

// short is the experiment cut to what a unit test has time for.
func short() sizing.Params {
	p := sizing.Default()
	p.Months, p.HoursPerMonth, p.WarmUpHours, p.Seeds = 2, 150, 24, 4
	return p
}

// TestTheSameNumbersOnAnyCores: on one core or many, with replications to share out or fleets.
func TestTheSameNumbersOnAnyCores(t *testing.T) {
	t.Parallel()
	for _, seeds := range []int{1, 3, 8} {
		p := short()
		p.Seeds = seeds
		fleets := []int{6, 8, 20, 21, 31, 40}
		want, err := sweep.Run(context.Background(), p, fleets, 1)
		require.NoError(t, err)
		for _, cores := range []int{0, 2, 5, 64} {
			got, err := sweep.Run(context.Background(), p, fleets, cores)
			require.NoError(t, err)
			require.Equal(t, want.Points(), got.Points(), "%d seeds, %d cores", seeds, cores)
			require.Equal(t, want.Arrivals, got.Arrivals, "%d seeds, %d cores", seeds, cores)
			for i := range fleets {
				require.Equal(t, want.Pools[i].Waits(), got.Pools[i].Waits())
			}
		}
	}
}

func TestRunIsReplicatePooled(t *testing.T) {
	t.Parallel()
	p := short()
	table, err := sweep.Run(context.Background(), p, []int{9}, 2)
	require.NoError(t, err)
	pool := sizing.NewPool(p, 9)
	var arrivals sizing.Arrivals
	for replication := range p.Seeds {
		a, samples := sizing.Replicate(p, replication, []int{9})
		arrivals.Merge(a)
		pool.Add(replication, samples[0])
	}
	require.Equal(t, pool.Point(), table.Points()[0])
	require.Equal(t, arrivals, table.Arrivals)
}

func TestRunStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := sweep.Run(ctx, sizing.Default(), []int{8}, 2)
	require.ErrorIs(t, err, context.Canceled)
	_, err = sweep.Smallest(ctx, sizing.Default(), 2)
	require.ErrorIs(t, err, context.Canceled)
	_, err = sweep.Shared(ctx, sizing.Default(), 8, 2)
	require.ErrorIs(t, err, context.Canceled)
	_, err = sweep.Study(ctx, sizing.Default(), nil, 2)
	require.ErrorIs(t, err, context.Canceled)
}

func TestRunWithoutFleetsCountsArrivals(t *testing.T) {
	t.Parallel()
	table, err := sweep.Run(context.Background(), short(), nil, 2)
	require.NoError(t, err)
	require.Positive(t, table.Arrivals.Jobs)
	require.Empty(t, table.Points())
}

// TestSmallestAgainstTheTable: the search finds the row that a person would.
func TestSmallestAgainstTheTable(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*sizing.Params){
		"batches":    func(*sizing.Params) {},
		"one by one": func(p *sizing.Params) { *p = p.OneByOne() },
		"one run":    func(p *sizing.Params) { p.Seeds = 1 },
		"at once":    func(p *sizing.Params) { p.Promise.Minutes = 0 },
		"patient":    func(p *sizing.Params) { p.Promise.Minutes = 600 },
		"other luck": func(p *sizing.Params) { p.Seed, p.Months = 5, 1 },
	} {
		p := short()
		change(&p)
		got, err := sweep.Smallest(context.Background(), p, 2)
		require.NoError(t, err, name)
		var fleets []int
		for n := 6; n <= 70; n++ {
			fleets = append(fleets, n)
		}
		table, err := sweep.Run(context.Background(), p, fleets, 2)
		require.NoError(t, err, name)
		want := 0
		for i, pool := range table.Pools {
			if pool.KeptAll() {
				want = fleets[i]
				break
			}
		}
		require.Equal(t, want, got, name)
	}
}

func TestNoFleetIsLargeEnough(t *testing.T) {
	t.Parallel()
	p := short()
	p.Batches = sizing.Batches{Shape: sizing.Fixed, Mean: 15_000}
	p.Months, p.HoursPerMonth, p.JobsPerHour, p.Service.MeanMinutes = 1, 200, 1500, 60
	p.Seeds, p.Workers, p.Promise.Share = 2, sizing.Range{From: 1}, 0.9
	got, err := sweep.Smallest(context.Background(), p, 2)
	require.NoError(t, err)
	require.Zero(t, got)
	_, err = sweep.Study(context.Background(), p, nil, 2)
	require.EqualError(t, err, "promise: not even 10000 workers keep it under these arrivals: promise less, or lower the load")
}

// BenchmarkSweep is the whole sweep of the experiment: 1 to 40 workers, ten months, twenty seeds. The limit is ten seconds
// on two cores.
func BenchmarkSweep(b *testing.B) {
	p := sizing.Default()
	var fleets []int
	for _, n := range p.Fleets(31) {
		if p.Steady(n) {
			fleets = append(fleets, n)
		}
	}
	starts := 0.0
	for b.Loop() {
		table, err := sweep.Run(context.Background(), p, fleets, 2)
		require.NoError(b, err)
		starts += float64(table.Arrivals.Jobs) * float64(len(fleets))
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/sweep")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/starts, "ns/start")
}

// BenchmarkStudy is everything that a report of the experiment needs.
func BenchmarkStudy(b *testing.B) {
	for b.Loop() {
		_, err := sweep.Study(context.Background(), sizing.Default(), nil, 2)
		require.NoError(b, err)
	}
}
