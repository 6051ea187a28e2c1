package workers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// TestLoadsTellTheFleetsCeiling: what the owner says is in force, not what this process's configuration says; until it has said
// anything, and from an owner that does not tell, the configuration's.
func TestLoadsTellTheFleetsCeiling(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, lease.SourceConfig{Source: "books", Ceiling: 3})
		require.NoError(t, r.table.Configure(time.Now(), []lease.SourceConfig{{Source: "books", Ceiling: 5}}))
		ceiling := func() int { return r.Loads()[0].Ceiling }
		require.Equal(t, 3, ceiling(), "nobody has told yet")
		r.renew()
		require.Equal(t, 5, ceiling(), "another configuration is in force")
		r.setCeiling("books", 0)
		r.renew()
		require.Zero(t, ceiling(), "an operator has set it")
		require.NoError(t, r.table.ResetCeiling(time.Now(), "books", lease.Note{}))
		require.NoError(t, r.table.Pause(time.Now(), "books", lease.Note{}))
		r.renew()
		require.Equal(t, 5, ceiling(), "a pause is no ceiling")
		time.Sleep(ttl)
		r.lapse()
		require.Equal(t, 5, ceiling(), "the last that is known")

		answer := r.table.Renew(time.Now(), r.request())
		answer.Grants[0].Ceiling = nil
		r.receive(answer)
		require.Equal(t, 5, ceiling())
	})
}

// TestRenewalsTellHowLongRequestsLast by this process's own configuration, whichever is in force.
func TestRenewalsTellHowLongRequestsLast(t *testing.T) {
	t.Parallel()
	sources := []collection.Source{{Name: "books", Ceiling: 3, Timeout: 45 * time.Second}}
	p := NewPermits(lease.NewHolder("w"), sources, 1, time.Now)
	require.Equal(t, lease.Millis(45_000), want(t, p.request(), "books").Linger)
}
