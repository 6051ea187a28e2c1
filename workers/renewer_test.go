package workers

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// renewing is a process that leases from an owner.
type renewing struct {
	*leased
	owner *owner
	*renewer
	stop func()
}

// renewingOf makes a process and an owner that runs and has never heard of a source.
func renewingOf(t *testing.T, sources ...lease.SourceConfig) *renewing {
	o := &owner{table: aTable(t), exists: true, existed: true}
	r := leaseFrom(t, o.table, "w", 100, sources)
	l, err := newRenewer(o, slog.New(slog.DiscardHandler), r.Permits, sources, settings, "w")
	require.NoError(t, err)
	return &renewing{leased: r, owner: o, renewer: l}
}

// begin runs the renewer until the end of the test, or until stop is called.
func (l *renewing) begin() {
	ctx, cancel := context.WithCancel(l.ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.run(ctx)
	}()
	l.stop = func() {
		cancel()
		<-done
	}
	time.Sleep(time.Second)
	synctest.Wait()
}

func (l *renewing) ended() bool {
	l.owner.mu.Lock()
	defer l.owner.mu.Unlock()
	return len(l.owner.table.View(time.Now())[0].Workers) == 0
}

// TestRenewer: a process brings its configuration, gets its permits, and then renews at the pace that the owner wishes.
func TestRenewer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := renewingOf(t, books, lease.SourceConfig{Source: "films", Ceiling: 2})
		jobs := l.collects("books", 5)
		l.begin()
		require.Equal(t, 3, running(jobs))
		calls := l.owner.seen()
		require.Equal(t, collection.UpdateLease, calls[0].update)
		require.Equal(t, collection.UpdateConfigure, calls[1].update)
		require.Equal(t, l.config, l.owner.config)
		time.Sleep(10 * time.Minute)
		renewals := len(l.owner.seen()) - len(calls)
		require.InDelta(t, 600/5, renewals, 2, "one update for all sources, every third of the lease")
		require.Equal(t, 3, running(jobs), "nothing is broken off while the lease is renewed")
		for _, j := range jobs {
			if j.runs() {
				require.NoError(t, j.permit.Err())
			}
		}
		l.stop()
		l.endAll(jobs)
	})
}

// TestRenewerRenewsEarly: a wake-up is followed at once, but not faster than the least interval, and none is lost that comes
// while a renewal is under way.
func TestRenewerRenewsEarly(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := renewingOf(t, books)
		l.begin()
		time.Sleep(time.Second)
		before := len(l.owner.seen())
		began := time.Now()
		l.Report("books", collection.ReasonThrottled, time.Minute)
		synctest.Wait()
		calls := l.owner.seen()
		require.Len(t, calls, before+1)
		require.Equal(t, began, calls[before].at)
		require.Equal(t, lease.Millis(60_000), want(t, calls[before].Request, "books").Seen.LongestRetryAfter)

		l.owner.meet(func(context.Context, int) error {
			l.owner.meet(nil)
			l.Report("books", collection.ReasonThrottled, 2*time.Minute)
			return nil
		})
		l.Report("books", collection.ReasonThrottled, 2*time.Minute)
		time.Sleep(leastRenewal)
		l.renewEarly()
		time.Sleep(time.Second)
		calls = l.owner.seen()
		for i := before + 1; i < len(calls); i++ {
			require.GreaterOrEqual(t, calls[i].at.Sub(calls[i-1].at), leastRenewal)
		}
		throttled := 0
		for _, c := range calls {
			if c.update == collection.UpdateLease {
				throttled += want(t, c.Request, "books").Seen.Throttled
			}
		}
		require.Equal(t, 3, throttled)
		l.stop()
	})
}

// TestRenewerOutage: when the engine no longer answers, in whatever way, everything is broken off as soon as the lease has
// ended, not before and hardly after; and work goes on by itself once it answers again.
func TestRenewerOutage(t *testing.T) {
	for name, trouble := range map[string]func(context.Context, int) error{"refuses": down, "hangs": hang} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				l := renewingOf(t, books)
				j := l.collect("books")
				l.begin()
				require.True(t, j.runs())
				l.owner.meet(trouble)
				calls := l.owner.seen()
				ends := calls[len(calls)-1].at.Add(ttl)
				<-j.permit.Done()
				require.ErrorIs(t, context.Cause(j.permit), errLeaseEnded)
				require.WithinRange(t, time.Now(), ends, ends.Add(watchInterval))
				j.end()

				waiting := l.collect("books")
				time.Sleep(time.Hour)
				require.False(t, waiting.runs())
				l.owner.meet(nil)
				began := time.Now()
				<-waiting.done
				require.Less(t, time.Since(began), l.timeout()+2*time.Second)
				require.NoError(t, waiting.permit.Err())
				l.stop()
				l.endAll([]*job{waiting})
			})
		})
	}
}

// TestRenewerOutlastsTwoLostRenewals: nothing is broken off when two renewals in a row get no answer.
func TestRenewerOutlastsTwoLostRenewals(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := renewingOf(t, books)
		j := l.collect("books")
		l.begin()
		from := len(l.owner.seen())
		l.owner.meet(func(ctx context.Context, n int) error {
			if n <= from+2 {
				return hang(ctx, n)
			}
			return nil
		})
		time.Sleep(time.Minute)
		require.NoError(t, j.permit.Err())
		l.stop()
		l.endAll([]*job{j})
	})
}

// TestRenewerTimeout: the time for one call follows the lease, or a short lease would not outlive a call without an answer.
func TestRenewerTimeout(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		own, inForce lease.Millis
		timeout      time.Duration
	}{
		{0, 0, callTimeout}, {3_000, 0, time.Second}, {9_000, 0, 3 * time.Second}, {15_000, 0, callTimeout}, {300_000, 0, callTimeout},
		{15_000, 15_000, callTimeout}, {300_000, 3_000, time.Second}, {15_000, 3_000, time.Second}, {3_000, 300_000, time.Second}, {0, 6_000, 2 * time.Second},
	} {
		holder := lease.NewHolder("w")
		l := &renewer{settings: lease.Settings{TTL: test.own}, permits: NewPermits(holder, nil, 1, func() time.Time { return now })}
		holder.Receive(now, lease.Answer{Sequence: holder.Next(now, nil, nil).Sequence, TTL: test.inForce})
		require.Equal(t, test.timeout, l.timeout(), "%+v", test)
	}
}

// TestRenewerOutlastsALostRenewalOfAShorterLease: the lease in force is much shorter than this process's configuration says,
// and still nothing is broken off when a renewal gets no answer.
func TestRenewerOutlastsALostRenewalOfAShorterLease(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := renewingOf(t, books)
		l.settings.TTL = 300_000
		j := l.collect("books")
		l.begin()
		l.owner.with(func() { require.NoError(t, l.owner.table.Use(time.Now(), lease.Settings{TTL: 6_000})) })
		time.Sleep(2 * time.Minute) // by now it has a lease of those
		require.Equal(t, 6*time.Second, l.permits.leaseTTL())
		from := len(l.owner.seen())
		l.owner.meet(func(ctx context.Context, n int) error {
			if n <= from+1 {
				return hang(ctx, n)
			}
			return nil
		})
		time.Sleep(time.Minute)
		require.NoError(t, j.permit.Err())
		l.stop()
		l.endAll([]*job{j})
	})
}

// TestRenewerStartsTheOwner: where there is no owner, it is started with the update; only where there never was one may it
// grant at once.
func TestRenewerStartsTheOwner(t *testing.T) {
	for name, existed := range map[string]bool{"never": false, "once": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				l := renewingOf(t, books)
				l.owner.exists, l.owner.existed = false, existed
				l.begin()
				require.Equal(t, []bool{!existed}, l.owner.first)
				require.Equal(t, l.config, l.owner.config)
				l.stop()
				l.release()
				require.True(t, l.ended())
			})
		})
	}
}

// TestRenewerStartsNoOwnerInTheDark: when nobody can say whether there was an owner, none is started.
func TestRenewerStartsNoOwnerInTheDark(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := renewingOf(t, books)
		l.owner.exists = false
		l.engine = &blind{l.owner}
		require.ErrorIs(t, l.renewer.renew(t.Context()), errDown)
		require.Empty(t, l.owner.first)
	})
}
