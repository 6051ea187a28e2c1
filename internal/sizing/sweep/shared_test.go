package sweep_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/sizing"
	"github.com/weir-collect/weir/internal/sizing/sweep"
)

func TestSharedIsReplicationsAddedUp(t *testing.T) {
	t.Parallel()
	p := short()
	p.Customers = []sizing.Customer{{Name: "a", Share: 0.5, Weight: 1}, {Name: "b", Share: 0.5, Weight: 2}}
	p.Sources = []sizing.Source{{Name: "x", Share: 1, Ceiling: 18}}
	want := sizing.ReplicateShared(p, 0, 20)
	for replication := 1; replication < p.Seeds; replication++ {
		want.Merge(sizing.ReplicateShared(p, replication, 20))
	}
	for _, cores := range []int{1, 2, 16} {
		got, err := sweep.Shared(context.Background(), p, 20, cores)
		require.NoError(t, err)
		require.Equal(t, want, got, "%d cores", cores)
	}
}

// TestElasticSizeIsTheSmallest: one worker less does not keep the promise.
func TestElasticSizeIsTheSmallest(t *testing.T) {
	t.Parallel()
	p := short()
	p.Elastic = &sizing.Elastic{Floor: 4, StartDelayMinutes: 1, StopAfterIdleMinutes: 10}
	f := studied(t, p, nil, 2)
	small := f.Elastic.Smallest
	require.True(t, small.Kept(p.Promise))
	less, err := sweep.Shared(context.Background(), p, small.Workers-1, 2)
	require.NoError(t, err)
	require.False(t, less.Kept(p.Promise))
	require.Equal(t, f.Recommended, f.Elastic.Recommended.Workers)
}

func TestElasticThatIsTooLate(t *testing.T) {
	t.Parallel()
	p := short()
	p.Seeds = 2
	p.Elastic = &sizing.Elastic{Floor: 1, StartDelayMinutes: 30, StopAfterIdleMinutes: 1}
	f := studied(t, p, nil, 2)
	require.Zero(t, f.Elastic.Smallest.Workers)
}

// TestEqualCustomersAskForWhatOneDoes: of a hundred customers who are all alike some fare worse than others by chance, and that takes
// no workers.
func TestEqualCustomersAskForWhatOneDoes(t *testing.T) {
	t.Parallel()
	p := short()
	p.Elastic, p.Sources = nil, nil
	p.Months, p.HoursPerMonth, p.Seeds = 2, 720, 5
	needs := func(n int) (int, sizing.Shared) {
		p.Customers = nil
		for i := range n {
			p.Customers = append(p.Customers, sizing.Customer{Name: fmt.Sprint(i), Share: 1 / float64(n), Weight: 1})
		}
		for workers := 24; ; workers++ {
			all, err := sweep.Shared(context.Background(), p, workers, 2)
			require.NoError(t, err)
			if all.Kept(p.Promise) {
				return workers, all
			}
		}
	}
	one, _ := needs(1)
	for _, n := range []int{2, 20, 100} {
		workers, all := needs(n)
		require.InDelta(t, one, workers, 1, "%d customers", n)
		for i := range p.Customers {
			require.NotEqual(t, sizing.VerdictBroken, all.Verdict(p, i), "%d of %d", i, n)
		}
	}
}

// TestWhoIsKeptWaitingStandsOut among others, however many they are: with so little weight its jobs start when all others have. The
// others make up for it over all jobs, and that does not count.
func TestWhoIsKeptWaitingStandsOut(t *testing.T) {
	t.Parallel()
	p := short().OneByOne()
	p.Elastic = nil
	for i := range 10 {
		p.Customers = append(p.Customers, sizing.Customer{Name: fmt.Sprint(i), Share: 0.1, Weight: 1})
	}
	p.Customers[9].Weight = 0.01
	all, err := sweep.Shared(context.Background(), p, 8, 2)
	require.NoError(t, err)
	require.Greater(t, float64(all.Within), p.Promise.Share*float64(all.Jobs))
	require.Equal(t, sizing.VerdictBroken, all.Verdict(p, 9))
	require.False(t, all.Kept(p.Promise))
}
