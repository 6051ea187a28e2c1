package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// throttled is a source that has asked its only worker to leave it alone for a day.
type throttled struct {
	t        *testing.T
	table    *Table
	now      time.Time
	sequence int64
	// until is when the worker's wait is over, and heard the latest release that it knows of; old workers know of none.
	until time.Time
	heard time.Time
	old   bool
}

func newThrottled(t *testing.T, old bool) *throttled {
	w := &throttled{t: t, table: newTable(t, SourceConfig{Source: "s", Ceiling: 4}), now: noon, old: old}
	w.renew(Report{})
	w.until = w.now.Add(24 * time.Hour)
	w.renew(Report{Requests: 1, Throttled: 1})
	require.Equal(t, BreakerOpen, w.row().Breaker)
	w.wait(time.Minute)
	return w
}

func (w *throttled) wait(d time.Duration) { w.now = w.now.Add(d) }

func (w *throttled) row() SourceView { return w.table.View(w.now)[0] }

func (w *throttled) release() {
	w.t.Helper()
	require.NoError(w.t, w.table.ReleaseBreaker(w.now, "s", Note{By: "ops", Reason: "a mistaken header"}))
	require.Equal(w.t, BreakerHalfOpen, w.row().Breaker)
}

// renew reports as a worker does, and returns its grant.
func (w *throttled) renew(seen Report) Grant {
	if left := w.until.Sub(w.now); left > 0 {
		seen.LongestRetryAfter = Milliseconds(left)
		if heard := w.heard; !w.old {
			seen.Heard = &heard
		}
	}
	w.sequence++
	want := Want{Source: "s", Waiting: 1, Seen: seen}
	return w.table.Renew(w.now, Request{Worker: "w", Sequence: w.sequence, Sources: []Want{want}}).Grants[0]
}

// TestReleaseLastsThoughWorkersStillWait: what is left of a wait that an operator has ended stops nobody, whatever the
// worker knows of releases; a throttle after it does.
func TestReleaseLastsThoughWorkersStillWait(t *testing.T) {
	for name, old := range map[string]bool{"a worker": false, "a worker that knows of no releases": true} {
		t.Run(name, func(t *testing.T) {
			w := newThrottled(t, old)
			w.release()
			released := w.now
			for range 3 {
				w.wait(5 * time.Second)
				g := w.renew(Report{})
				require.True(t, g.Open)
				require.Equal(t, 1, g.Permits, "the source is tried")
				require.Equal(t, released, g.ReleasedAt)
			}
			w.heard = released
			w.until = w.now.Add(time.Hour)
			w.renew(Report{Requests: 1, Throttled: 1})
			require.Equal(t, BreakerOpen, w.row().Breaker)
			require.Equal(t, w.until, w.row().OpensAt)
		})
	}
}

// TestReleaseOutweighsAThrottleFromBefore: a worker that had not heard of the release reports a throttle that it met before,
// or at least without knowing; the probe will tell.
func TestReleaseOutweighsAThrottleFromBefore(t *testing.T) {
	w := newThrottled(t, false)
	w.release()
	w.until = w.now.Add(48 * time.Hour)
	w.renew(Report{Requests: 1, Throttled: 1})
	require.Equal(t, BreakerHalfOpen, w.row().Breaker)
}

// TestOldWorkersThrottleAfterARelease: of a worker that knows of no releases, only what is left of an old wait is ignored.
func TestOldWorkersThrottleAfterARelease(t *testing.T) {
	w := newThrottled(t, true)
	w.release()
	require.Equal(t, 1, w.renew(Report{}).Permits)
	w.until = w.now.Add(time.Hour) // sooner than what was released
	w.renew(Report{Requests: 1, Throttled: 1})
	require.Equal(t, BreakerOpen, w.row().Breaker)
	require.Equal(t, w.until, w.row().OpensAt)
	w.until = w.now.Add(26 * time.Hour)
	w.release()
	w.renew(Report{})
	require.Equal(t, BreakerOpen, w.row().Breaker, "it lasts longer than any wait that was released")
}

// TestReleaseTellsWorkersAlsoWhereNothingWasOpen: they may wait by themselves.
func TestReleaseTellsWorkersAlsoWhereNothingWasOpen(t *testing.T) {
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 4})
	require.NoError(t, table.ReleaseBreaker(noon, "s", Note{}))
	require.Equal(t, BreakerClosed, table.View(noon)[0].Breaker)
	grant := table.Renew(noon, Request{Worker: "w", Sequence: 1, Sources: []Want{{Source: "s"}}}).Grants[0]
	require.Equal(t, noon, grant.ReleasedAt)
}
