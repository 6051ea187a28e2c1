package sweep_test

import (
	"context"
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
