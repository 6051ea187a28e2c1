package workers

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// blind is an engine that cannot say what there was.
type blind struct{ *owner }

func (blind) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return nil, errDown
}

// last is the last call that the owner has seen.
func (l *renewing) last() call {
	calls := l.owner.seen()
	return calls[len(calls)-1]
}

// TestRelease: at its end a process gives everything back, once.
func TestRelease(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := renewingOf(t, books)
		l.begin()
		require.False(t, l.ended())
		l.stop()
		l.release()
		require.True(t, l.last().released)
		require.Equal(t, l.config, l.last().config)
		require.True(t, l.ended())
		calls := len(l.owner.seen())
		time.Sleep(time.Minute)
		require.Len(t, l.owner.seen(), calls)
	})
}

// TestReleaseWaitsForWhatRuns: permits are given back when the last request has ended. The SDK cancels what outlasts the
// grace, and does not wait for it.
func TestReleaseWaitsForWhatRuns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := renewingOf(t, books)
		j := l.collect("books")
		l.begin()
		l.stop()
		ended := make(chan time.Time, 1)
		go func() {
			<-j.permit.Done()
			time.Sleep(time.Second)
			j.release()
			ended <- time.Now()
		}()
		l.release()
		atEnd := <-ended
		require.True(t, l.last().released)
		require.WithinRange(t, l.last().at, atEnd, atEnd.Add(drainInterval))
	})
}

// TestReleaseOfWhatDoesNotEnd: what goes on is not given back; the owner counts it until the lease has run out.
func TestReleaseOfWhatDoesNotEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := renewingOf(t, books)
		j := l.collect("books")
		l.begin()
		l.stop()
		l.release()
		require.False(t, l.last().released)
		require.False(t, l.ended())
		l.endAll([]*job{j})
	})
}

// TestReleaseStartsNoOwner: a process that ends starts nothing, and does not wait for an engine that is gone.
func TestReleaseStartsNoOwner(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := renewingOf(t, books)
		l.owner.exists, l.owner.existed = false, false
		l.release()
		require.Empty(t, l.owner.first)
		l.owner.meet(hang)
		began := time.Now()
		l.release()
		require.Equal(t, callTimeout, time.Since(began))
	})
}

// TestReleasedByTheOwner: a process that the owner holds to have ended makes no request any more, and stops asking.
func TestReleasedByTheOwner(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := renewingOf(t, books)
		j := l.collect("books")
		l.begin()
		l.owner.with(func() { l.owner.table.Release(time.Now(), "w") })
		<-j.permit.Done()
		time.Sleep(time.Second)
		calls := len(l.owner.seen())
		time.Sleep(time.Hour)
		require.Len(t, l.owner.seen(), calls)
		l.stop()
		l.endAll([]*job{j})
	})
}

// TestConfigurationIsRefused: that stops no process that has permits, and is not tried in a hurry.
func TestConfigurationIsRefused(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := renewingOf(t, books)
		j := l.collect("books")
		l.begin()
		refused := errors.New("source \"books\": ceiling: give between 0 and 10000 requests in flight")
		l.owner.with(func() { l.owner.config = "somebody else's" })
		l.owner.meet(func(_ context.Context, n int) error {
			if l.last().update == collection.UpdateConfigure {
				return refused
			}
			return nil
		})
		before := len(l.owner.seen())
		time.Sleep(10 * time.Minute)
		require.NoError(t, j.permit.Err())
		require.InDelta(t, 2*600/5, len(l.owner.seen())-before, 4)
		l.stop()
		l.endAll([]*job{j})
	})
}

// TestConfigurationHasAName: processes with the same configuration call it the same, others do not.
func TestConfigurationHasAName(t *testing.T) {
	t.Parallel()
	name := func(s lease.Settings, sources ...lease.SourceConfig) string {
		l, err := newRenewer(nil, slog.New(slog.DiscardHandler), nil, sources, s, "w")
		require.NoError(t, err)
		return l.config
	}
	more := books
	more.Ceiling++
	require.Equal(t, name(settings, books), name(settings, books))
	require.NotEqual(t, name(settings, books), name(settings, more))
	require.NotEqual(t, name(settings, books), name(settings))
	require.NotEqual(t, name(settings, books), name(lease.Settings{TTL: 3_000}, books))
}

// TestKeepLeases: a process renews until it has stopped working, not only until it is told to stop; then it gives
// everything back. One that collects nothing leases nothing.
func TestKeepLeases(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := renewingOf(t, books)
		p := &process{sources: collected([]lease.SourceConfig{books}), permits: l.Permits, renewer: l.renewer}
		p.keepLeases(t.Context())()
		require.Empty(t, l.owner.seen())

		ctx, told := context.WithCancel(t.Context())
		j := l.collect("books")
		p.collects = true
		stop := p.keepLeases(ctx)
		<-j.done
		told()
		time.Sleep(10 * ttl)
		require.NoError(t, j.permit.Err(), "running work may finish")
		j.end()
		stop()
		synctest.Wait()
		require.True(t, l.last().released)
		l.requireEmpty()
	})
}
