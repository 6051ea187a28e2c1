package workers

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/workflows"
)

// notingOwner is an owner that notes how old a configuration is said to be.
type notingOwner struct {
	*owner
	since []int64
}

func (l *notingOwner) UpdateWorkflow(ctx context.Context, in client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	l.mu.Lock()
	switch in := in.Args[0].(type) {
	case workflows.LeaseInput:
		l.since = append(l.since, in.Since)
	case workflows.ConfigureInput:
		l.since = append(l.since, in.Since)
	}
	l.mu.Unlock()
	return l.owner.UpdateWorkflow(ctx, in)
}

// TestLeaseSource: who is no worker gets permits like one, and gives them back.
func TestLeaseSource(t *testing.T) {
	cfg := load(t, nil)
	bubble(t, func(t *testing.T) {
		o := &notingOwner{owner: &owner{table: aTable(t, books), exists: true, existed: true}}
		leased, err := LeaseSource(o, cfg, "films", 2, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		require.Zero(t, leased.Grant().Permits, "no lease, no request")
		time.Sleep(time.Second)
		require.True(t, leased.Grant().Open)
		require.Equal(t, 2, leased.Grant().Permits)
		var releases []func()
		for range 2 {
			permit, err := leased.Acquire(t.Context(), "films")
			require.NoError(t, err)
			releases = append(releases, permit.Release)
		}
		_, err = leased.Acquire(t.Context(), "books")
		require.ErrorContains(t, err, `no permits for source "books"`, "it holds nothing of other sources")
		o.mu.Lock()
		require.Equal(t, make([]int64, len(o.since)), o.since, "its configuration never counts as younger than a worker's")
		o.mu.Unlock()
		time.Sleep(time.Minute)
		require.Equal(t, 2, leased.Grant().Permits, "it is renewed")
		held := o.table.View(time.Now())
		require.Equal(t, 2, held[1].InFlight, "and the owner counts it")
		for _, release := range releases {
			time.AfterFunc(time.Second, release) // it waits for the last request
		}
		leased.Return()
		leased.Return()
		require.Zero(t, leased.Grant().Permits)
		calls := o.seen()
		require.True(t, calls[len(calls)-1].released)
		require.Empty(t, o.table.View(time.Now())[1].Workers, "everything is given back")
	})
}

// TestLeaseSourceOfAnUnknownSource leaves the owner alone.
func TestLeaseSourceOfAnUnknownSource(t *testing.T) {
	t.Parallel()
	_, err := LeaseSource(nil, load(t, nil), "songs", 1, nil)
	require.EqualError(t, err, `source "songs" is not in the configuration`)
}
