package guard_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/robots"
	"github.com/weir-collect/weir/internal/robots/guard"
)

const shop = "https://shop.example"

func TestCheckFillsTheDecision(t *testing.T) {
	t.Parallel()
	w := newWeb()
	w.set(shop, 200, closedX)
	g := w.guard(t)
	at := w.now

	d, err := g.Check(t.Context(), shop+"/x/1?secret=s3cret")
	require.Equal(t, collection.RobotsDecision{Rule: "Disallow: /x", Line: 2, FetchedAt: &at}, d)
	require.Equal(t, `https://shop.example/robots.txt forbids this URL to example-collector: line 2, "Disallow: /x"`,
		requireRefused(t, err, collection.ReasonRobotsDenied))

	d, err = g.Check(t.Context(), shop+"/y")
	require.NoError(t, err)
	require.Equal(t, collection.RobotsDecision{Allowed: true, Why: "no rule", FetchedAt: &at}, d)
	require.Equal(t, 1, w.count(shop))
}

func TestCheckUnreachable(t *testing.T) {
	t.Parallel()
	for trouble, status := range map[string]int{"status 503": 503, "status 429": 429, "connection refused": 0} {
		w := newWeb()
		w.set(shop, status, closedX)
		if status == 0 {
			w.fail(errors.New(trouble))
		}
		g := w.guard(t)
		d, err := g.Check(t.Context(), shop+"/y")
		require.Equal(t, collection.RobotsDecision{Why: "unreachable"}, d)
		require.Contains(t, requireRefused(t, err, collection.ReasonRobotsUnreachable), trouble)

		w.pass(robots.ErrorTTL - 1)
		_, err = g.Check(t.Context(), shop+"/y")
		requireRefused(t, err, collection.ReasonRobotsUnreachable)
		require.Equal(t, 1, w.count(shop), "an error is kept for a minute")
		w.pass(1)
		w.set(shop, 200, "")
		_, err = g.Check(t.Context(), shop+"/y")
		require.NoError(t, err, "and no longer")
	}
}

func TestNeverOpenByTimeAlone(t *testing.T) {
	t.Parallel()
	w := newWeb()
	w.fail(errors.New("no route"))
	g := w.guard(t)
	for range 100 {
		w.pass(24 * time.Hour)
		_, err := g.Check(t.Context(), shop+"/y")
		requireRefused(t, err, collection.ReasonRobotsUnreachable)
	}
}

func TestEachOriginHasItsOwnFile(t *testing.T) {
	t.Parallel()
	w := newWeb()
	w.set("http://example.com:8080", 200, closedX)
	g := w.guard(t)
	_, err := g.Check(t.Context(), "http://EXAMPLE.com:8080/x?c")
	requireRefused(t, err, collection.ReasonRobotsDenied)
	for _, url := range []string{"http://example.com/x", "https://example.com:8080/x", "http://www.example.com:8080/x"} {
		d, err := g.Check(t.Context(), url)
		require.NoError(t, err, url)
		require.Equal(t, "no robots.txt", d.Why)
	}
	_, err = g.Check(t.Context(), "http://example.com:80/x")
	require.NoError(t, err)
	require.Equal(t, 1, w.count("http://example.com"), "the default port is no other origin")
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://Example.COM/a/b?c#d":      "https://example.com",
		"http://example.com:8080/a":        "http://example.com:8080",
		"https://example.com:443":          "https://example.com",
		"https://example.com/90%+of+x":     "https://example.com",
		"https://тест.тест:33/x":           "https://xn--e1aybc.xn--e1aybc:33",
		"http://[::1]:80/":                 "http://[::1]",
		"https://example.com?u=http://x/y": "https://example.com",
	} {
		origin, err := guard.Origin(url)
		require.NoError(t, err, url)
		require.Equal(t, want, origin, url)
		again, err := guard.Origin(origin)
		require.NoError(t, err)
		require.Equal(t, origin, again)
	}
}

func TestCheckOfWhatIsNoURL(t *testing.T) {
	t.Parallel()
	w := newWeb()
	g := w.guard(t)
	for _, url := range []string{"", "/x", "ftp://example.com/x", "https://u:p@example.com/"} {
		_, err := g.Check(t.Context(), url)
		require.ErrorContains(t, err, "cannot say whose robots.txt binds the URL", url)
		require.NotContains(t, err.Error(), "u:p")
	}
	require.Empty(t, w.asked)
}

// TestCrawlDelayIsReported whenever it is read, also that there is none any more.
func TestCrawlDelayIsReported(t *testing.T) {
	t.Parallel()
	w := newWeb()
	g := w.guard(t)
	for _, answer := range []struct {
		status int
		body   string
	}{{200, closedX}, {503, ""}, {404, ""}} {
		w.set(shop, answer.status, answer.body)
		_, err := g.Check(t.Context(), shop+"/y")
		require.NoError(t, err)
		w.pass(robots.DefaultTTL)
	}
	require.Equal(t, []report{{shop, 2 * time.Second, true}, {shop, 0, false}}, w.reads, "what could not be read is not reported")
}

func TestKnownFetchesNothing(t *testing.T) {
	t.Parallel()
	w := newWeb()
	w.set(shop, 200, closedX)
	g := w.guard(t)
	for _, url := range []string{shop + "/x", "no URL"} {
		_, known, err := g.Known(url)
		require.NoError(t, err)
		require.False(t, known)
	}
	require.Empty(t, w.asked)

	checked, _ := g.Check(t.Context(), shop+"/x")
	d, known, err := g.Known(shop + "/x")
	require.True(t, known)
	require.Equal(t, checked, d)
	requireRefused(t, err, collection.ReasonRobotsDenied)
	d, known, err = g.Known(shop + "/y")
	require.NoError(t, err)
	require.True(t, known && d.Allowed)

	w.pass(robots.DefaultTTL)
	_, known, err = g.Known(shop + "/x")
	require.NoError(t, err)
	require.False(t, known, "what is old has to be asked for")
	require.Equal(t, 1, w.count(shop))
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	w := newWeb()
	o := w.options()
	o.Agent = "Mozilla/5.0 (X11)"
	_, err := guard.New(o)
	require.ErrorContains(t, err, "has no product token")
	for _, o := range []guard.Options{{Agent: "a", Now: w.clock}, {Agent: "a", Fetch: w.fetch}} {
		_, err = guard.New(o)
		require.ErrorContains(t, err, "set Options.Fetch and Options.Now")
	}
	g := build(t, guard.Options{Agent: "a", Now: w.clock, Fetch: w.fetch})
	_, err = g.Check(context.Background(), shop)
	require.NoError(t, err, "a report is not a must")
}
