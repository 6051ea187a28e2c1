package guard_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/robots"
	"github.com/weir-collect/weir/internal/robots/guard"
)

func TestAnswerExpires(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ wanted, kept time.Duration }{
		{0, time.Hour}, {5 * time.Minute, 5 * time.Minute}, {100 * time.Hour, 24 * time.Hour},
	} {
		for _, status := range []int{200, 404} {
			w := newWeb()
			w.set(shop, status, closedX)
			o := w.options()
			o.TTL = c.wanted
			g := build(t, o)
			for _, step := range []time.Duration{0, c.kept - 1, 1} {
				w.pass(step)
				_, err := g.Check(t.Context(), shop+"/y")
				require.NoError(t, err)
			}
			require.Equal(t, 2, w.count(shop), "%+v", c)
		}
	}
}

// TestAgeCountsFromTheFetch: an answer that is already old when it comes, or that claims to be from the future.
func TestAgeCountsFromTheFetch(t *testing.T) {
	t.Parallel()
	w := newWeb()
	g := w.guard(t)
	fetched := w.now.Add(-50 * time.Minute)
	w.answers[shop] = guard.Answer{Status: 200, FetchedAt: fetched}
	d, err := g.Check(t.Context(), shop)
	require.NoError(t, err)
	require.Equal(t, fetched, *d.FetchedAt)

	w.pass(10 * time.Minute)
	w.answers[shop] = guard.Answer{Status: 200, FetchedAt: w.now.Add(time.Hour)}
	now := w.now
	d, err = g.Check(t.Context(), shop)
	require.NoError(t, err)
	require.Equal(t, 2, w.count(shop))
	require.Equal(t, now, *d.FetchedAt)
}

func TestCopyServesOnWhileUnreachable(t *testing.T) {
	t.Parallel()
	w := newWeb()
	w.set(shop, 200, closedX)
	g := w.guard(t)
	read := w.now
	_, err := g.Check(t.Context(), shop+"/y")
	require.NoError(t, err)
	w.set(shop, 503, "")
	for w.pass(time.Hour); w.now.Before(read.Add(robots.MaxTTL)); w.pass(17 * time.Minute) {
		d, err := g.Check(t.Context(), shop+"/y")
		require.NoError(t, err)
		require.Equal(t, read, *d.FetchedAt, "the trail tells how old it is")
		_, err = g.Check(t.Context(), shop+"/x")
		requireRefused(t, err, collection.ReasonRobotsDenied)
	}
	require.Greater(t, w.count(shop), 50, "it is asked for again and again")
	w.now = read.Add(robots.MaxTTL)
	_, err = g.Check(t.Context(), shop+"/y")
	requireRefused(t, err, collection.ReasonRobotsUnreachable)
	w.pass(robots.ErrorTTL)
	_, err = g.Check(t.Context(), shop+"/y")
	requireRefused(t, err, collection.ReasonRobotsUnreachable)
}

func TestCopyEndsAfterADayToTheInstant(t *testing.T) {
	t.Parallel()
	w := newWeb()
	w.set(shop, 200, closedX)
	g := w.guard(t)
	_, err := g.Check(t.Context(), shop+"/y")
	require.NoError(t, err)
	w.set(shop, 503, "")
	w.pass(robots.MaxTTL - time.Second)
	_, err = g.Check(t.Context(), shop+"/y")
	require.NoError(t, err)
	w.pass(time.Second)
	_, err = g.Check(t.Context(), shop+"/y")
	requireRefused(t, err, collection.ReasonRobotsUnreachable)
}

func TestAbsenceDoesNotServeOn(t *testing.T) {
	t.Parallel()
	w := newWeb()
	g := w.guard(t)
	_, err := g.Check(t.Context(), shop+"/x")
	require.NoError(t, err)
	w.set(shop, 503, "")
	w.pass(robots.DefaultTTL)
	_, err = g.Check(t.Context(), shop+"/x")
	requireRefused(t, err, collection.ReasonRobotsUnreachable)
}

// TestWhatIsServedIsTrue: whatever a site does over time, a URL passes only by an answer that the site gave within a day.
func TestWhatIsServedIsTrue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := newWeb()
		g, err := guard.New(w.options())
		require.NoError(t, err)
		gave := map[time.Time]int{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			w.pass(time.Duration(rapid.Int64Range(0, int64(30*time.Hour)).Draw(t, "pause")))
			status := rapid.SampledFrom([]int{200, 200, 404, 429, 500, 503}).Draw(t, "status")
			w.set(shop, status, closedX)
			before := w.count(shop)
			open, openErr := g.Check(t.Context(), shop+"/y")
			if w.count(shop) > before {
				gave[w.now] = status
			}
			closed, closedErr := g.Check(t.Context(), shop+"/x")
			if openErr != nil {
				require.Error(t, closedErr)
				require.Equal(t, "unreachable", open.Why)
				continue
			}
			require.LessOrEqual(t, w.now.Sub(*open.FetchedAt), robots.MaxTTL)
			require.Equal(t, gave[*open.FetchedAt] == 404, closed.Allowed)
			require.Contains(t, []int{200, 404}, gave[*open.FetchedAt])
		}
	})
}
