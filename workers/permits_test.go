package workers

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/telemetry"
)

func somePermits(process int) *Permits {
	return NewPermits([]collection.Source{{Name: "slow", Ceiling: 2}, {Name: "books", Ceiling: 3}}, process)
}

// acquire gets a permit at once, or says that there is none to be had.
func acquire(t *testing.T, p *Permits, source string) (release func(), ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	release, err := p.Acquire(ctx, source)
	if err != nil {
		require.ErrorIs(t, err, context.DeadlineExceeded)
		return nil, false
	}
	return release, true
}

func take(t *testing.T, p *Permits, source string) (release func()) {
	t.Helper()
	release, ok := acquire(t, p, source)
	require.True(t, ok, "no permit for %s", source)
	return release
}

func takeNone(t *testing.T, p *Permits, source string) {
	t.Helper()
	_, ok := acquire(t, p, source)
	require.False(t, ok, "a permit too many for %s", source)
}

func TestPermitsKeepTheCeiling(t *testing.T) {
	t.Parallel()
	p := somePermits(100)
	first := take(t, p, "slow")
	take(t, p, "slow")
	takeNone(t, p, "slow")
	take(t, p, "books")
	first()
	take(t, p, "slow")
	takeNone(t, p, "slow")
}

func TestPermitIsGivenBackOnce(t *testing.T) {
	t.Parallel()
	p := somePermits(100)
	first := take(t, p, "slow")
	take(t, p, "slow")
	first()
	first()
	take(t, p, "slow")
	takeNone(t, p, "slow")
}

// TestPermitsBoundTheProcess: the process has room for fewer requests than its sources allow, and a slow source holds no
// more of it than its own permits, whoever waits.
func TestPermitsBoundTheProcess(t *testing.T) {
	t.Parallel()
	p := somePermits(4)
	take(t, p, "slow")
	take(t, p, "slow")
	waiting, stop := context.WithCancel(t.Context())
	gone := make(chan error, 10)
	for range cap(gone) {
		go func() {
			_, err := p.Acquire(waiting, "slow")
			gone <- err
		}()
	}
	release := take(t, p, "books")
	take(t, p, "books")
	takeNone(t, p, "books")
	require.Equal(t, telemetry.SourceLoad{Source: "books", InFlight: 2, Ceiling: 3}, p.Loads()[0],
		"who waits for room in the process in vain keeps no permit")
	release()
	take(t, p, "books")
	stop()
	for range cap(gone) {
		require.ErrorIs(t, <-gone, context.Canceled)
	}
}

func TestPermitsOfAnUnknownSource(t *testing.T) {
	t.Parallel()
	_, err := somePermits(1).Acquire(t.Context(), "films")
	require.ErrorContains(t, err, `no permits for source "films"`)
}

func TestLoads(t *testing.T) {
	t.Parallel()
	p := somePermits(100)
	release := take(t, p, "slow")
	take(t, p, "books")
	require.Equal(t, []telemetry.SourceLoad{
		{Source: "books", InFlight: 1, Ceiling: 3}, {Source: "slow", InFlight: 1, Ceiling: 2},
	}, p.Loads())
	release()
	require.Zero(t, p.Loads()[1].InFlight)
}
