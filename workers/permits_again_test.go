package workers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// redirect asks for another request under a permit, and gives the permit back if there is none.
func (r *leased) redirect(permit *activities.Permit) chan error {
	hop := make(chan error, 1)
	go func() {
		err := permit.Again(r.ctx)
		if err != nil {
			permit.Release()
		}
		hop <- err
	}()
	synctest.Wait()
	return hop
}

func (r *leased) acquire(source string) *activities.Permit {
	permit, err := r.Acquire(r.ctx, source)
	require.NoError(r.t, err)
	return permit
}

// TestAgainAtASourceThatIsClosed: whatever closes a source for long keeps no permit and no room from others.
func TestAgainAtASourceThatIsClosed(t *testing.T) {
	for name, c := range map[string]struct {
		close func(r *leased)
		says  string
	}{
		"paused": {func(r *leased) { require.NoError(r.t, r.table.Pause(time.Now(), "books", lease.Note{})) }, "paused"},
		"held":   {func(r *leased) { require.NoError(r.t, r.table.HoldBreaker(time.Now(), "books", lease.Note{})) }, "breaker_held"},
		"zero":   {func(r *leased) { r.setCeiling("books", 0) }, "ceiling_zero"},
		"gone": {func(r *leased) {
			require.NoError(r.t, r.table.Configure(time.Now(), []lease.SourceConfig{{Source: "films", Ceiling: 1}}))
		}, "removed"},
		"failing": {func(r *leased) {
			for range 6 {
				r.Report("books", collection.ReasonServerError, 0)
			}
		}, "breaker_open"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := leaseOf(t, 1, lease.SourceConfig{Source: "books", Ceiling: 4}, lease.SourceConfig{Source: "films", Ceiling: 1})
				r.renew()
				permit := r.acquire("books")
				c.close(r)
				r.renew()
				hop := r.redirect(permit)
				require.EqualError(t, <-hop, "source books takes no requests now: "+c.says)
				other := r.collect("films")
				r.renew()
				require.True(t, other.runs(), "there is room for another source")
				r.endAll([]*job{other})
			})
		})
	}
}

// TestAgainOutsideTheHours: hours end between two renewals, and a redirect starts no request after them.
func TestAgainOutsideTheHours(t *testing.T) {
	bubble(t, func(t *testing.T) {
		window, err := lease.ParseWindow("00:00-01:00")
		require.NoError(t, err)
		at := books
		at.Hours = &lease.Hours{Zone: lease.ZoneOf(time.UTC, time.Now(), time.Now().AddDate(1, 0, 0)), Windows: []lease.Window{window}}
		r := leaseOf(t, 100, at)
		time.Sleep(time.Until(time.Now().UTC().Truncate(24 * time.Hour).Add(25*time.Hour - 5*time.Second)))
		r.renew()
		permit := r.acquire("books")
		require.NoError(t, permit.Again(t.Context()))
		time.Sleep(5 * time.Second)
		require.EqualError(t, permit.Again(t.Context()), "source books takes no requests now: hours")
		permit.Release()
		r.requireEmpty()
	})
}

// TestAgainWithoutAShare: where the fleet gives the source to others, a redirect waits for a while and no longer; a share
// that comes back in time is used.
func TestAgainWithoutAShare(t *testing.T) {
	for name, back := range map[string]time.Duration{"comes back": 4 * time.Second, "stays away": time.Hour} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := leaseOf(t, 100, books)
				r.renew()
				permit := r.acquire("books")
				grant := func(permits int, rate lease.Rate) {
					request := r.request()
					r.receive(lease.Answer{Sequence: request.Sequence, TTL: settings.TTL, RenewIn: 5000, Grants: []lease.Grant{
						{Source: "books", Permits: permits, Pace: lease.Pace{Rate: rate}, Open: true},
					}})
				}
				began := time.Now()
				grant(0, 0)
				hop := r.redirect(permit)
				for time.Since(began) < longestHold-time.Second {
					require.Empty(t, hop)
					time.Sleep(2 * time.Second)
					if time.Since(began) >= back {
						grant(1, lease.Unlimited)
						require.NoError(t, <-hop)
						require.Less(t, time.Since(began), longestHold)
						permit.Release()
						r.requireEmpty()
						return
					}
					grant(0, 0)
				}
				require.ErrorIs(t, <-hop, errNoShare)
				require.Equal(t, longestHold, time.Since(began))
				r.requireEmpty()
			})
		})
	}
}

// TestAgainLetsTheProbeThrough: what is left from before a source was closed must not keep the only worker from trying it.
func TestAgainLetsTheProbeThrough(t *testing.T) {
	for _, how := range []string{"held", "failing"} {
		t.Run(how, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := leaseOf(t, 100, lease.SourceConfig{Source: "books", Ceiling: 4})
				r.renew()
				permit := r.acquire("books")
				closing := func() {
					if how == "held" {
						require.NoError(t, r.table.HoldBreaker(time.Now(), "books", lease.Note{}))
						return
					}
					for range 6 {
						r.Report("books", collection.ReasonServerError, 0)
					}
				}
				closing()
				r.renew()
				require.Zero(t, r.granted("books"))
				r.redirect(permit)
				if how == "held" {
					require.NoError(t, r.table.ReleaseBreaker(time.Now(), "books", lease.Note{}))
				}
				waiting := r.collects("books", 2)
				began := time.Now()
				for running(waiting) == 0 {
					require.Less(t, time.Since(began), 40*time.Second, "nobody tries the source")
					time.Sleep(time.Second)
					r.renew()
				}
				require.Equal(t, lease.BreakerHalfOpen, r.table.View(time.Now())[0].Breaker)
				r.endAll(waiting)
			})
		})
	}
}

// TestAgainAtAHalfOpenSource: the probe itself may follow its redirects; a redirect that waits while another worker probes
// gives way.
func TestAgainAtAHalfOpenSource(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, lease.SourceConfig{Source: "books", Ceiling: 4})
		require.NoError(t, r.table.HoldBreaker(time.Now(), "books", lease.Note{}))
		require.NoError(t, r.table.ReleaseBreaker(time.Now(), "books", lease.Note{}))
		waiting := r.collect("books")
		r.renew()
		require.Equal(t, lease.BreakerHalfOpen, r.table.View(time.Now())[0].Breaker)
		require.True(t, waiting.runs())
		waiting.end()
		probe := r.acquire("books")
		r.renew()
		require.NoError(t, <-r.redirect(probe))
		probe.Release()
		r.requireEmpty()
	})
}

// TestAgainAfterAThrottle: a source that wants to be left alone for long is not waited for with a permit in hand.
func TestAgainAfterAThrottle(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, books)
		r.renew()
		permit := r.acquire("books")
		r.Report("books", collection.ReasonThrottled, longestHold)
		began := time.Now()
		require.NoError(t, permit.Again(t.Context()))
		require.Equal(t, longestHold, time.Since(began))
		r.Report("books", collection.ReasonThrottled, longestHold+time.Second)
		require.EqualError(t, permit.Again(t.Context()), "source books wants to be left alone for 11s")
		permit.Release()
		r.requireEmpty()
	})
}

// TestFrozenBeforeTheWrite: a process that was stopped between its permit and its request, for so long that others hold the
// whole ceiling, neither writes the request nor follows a redirect when it goes on, though nobody has looked at the lease.
func TestFrozenBeforeTheWrite(t *testing.T) {
	bubble(t, func(t *testing.T) {
		at := lease.SourceConfig{Source: "books", Ceiling: 4, Linger: 30_000}
		r := leaseOf(t, 100, at)
		r.renew()
		permit, other := r.acquire("books"), r.acquire("books")
		require.NoError(t, permit.Still())
		time.Sleep(time.Hour)
		w2 := leaseFrom(t, r.table, "w2", 100, []lease.SourceConfig{at})
		jobs := w2.collects("books", 4)
		w2.renew()
		require.Equal(t, 4, w2.taken("books"))
		require.NoError(t, permit.Context.Err(), "nobody has looked yet")
		require.ErrorIs(t, permit.Still(), errLeaseEnded)
		require.ErrorIs(t, context.Cause(permit.Context), errLeaseEnded)
		require.ErrorIs(t, other.Again(t.Context()), errLeaseEnded)
		require.ErrorIs(t, context.Cause(other.Context), errLeaseEnded)
		// A lease that follows at once does not save them.
		r.renew()
		require.ErrorIs(t, permit.Still(), errLeaseEnded)
		permit.Release()
		other.Release()
		r.requireEmpty()
		w2.endAll(jobs)
	})
}

// TestStillAfterTheEnd: nothing is written under a permit that was given back.
func TestStillAfterTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := leaseOf(t, 100, books)
		r.renew()
		permit := r.acquire("books")
		permit.Release()
		require.ErrorIs(t, permit.Still(), context.Canceled)
		require.ErrorIs(t, permit.Again(t.Context()), context.Canceled)
	})
}
