package robots_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/robots"
)

func TestFromStatus(t *testing.T) {
	t.Parallel()
	closed := []byte("User-agent: *\nDisallow: /\n")
	for status := -1; status <= 1000; status++ {
		want := robots.Unread
		switch {
		case status >= 200 && status <= 299:
			want = robots.Read
		case status >= 300 && status <= 499 && status != 429:
			want = robots.Absent
		}
		v := robots.From(status, closed)
		require.Equal(t, want, v.Outcome, "status %d", status)
		d := v.For("mybot").Match("https://example.com/x")
		require.Equal(t, want == robots.Absent, d.Allowed, "status %d", status)
		require.True(t, v.For("mybot").Match("https://example.com/robots.txt").Allowed, "status %d", status)
		_, ok := v.For("mybot").CrawlDelay()
		require.False(t, ok)
	}
}

func TestTTL(t *testing.T) {
	t.Parallel()
	for _, v := range []robots.Verdict{robots.From(200, nil), robots.From(404, nil)} {
		require.Equal(t, time.Hour, v.TTL(0))
		require.Equal(t, time.Hour, v.TTL(-time.Second))
		require.Equal(t, 5*time.Minute, v.TTL(5*time.Minute))
		require.Equal(t, 24*time.Hour, v.TTL(48*time.Hour))
	}
	require.Equal(t, time.Minute, robots.Unreachable().TTL(48*time.Hour), "an error is not kept for long, whatever is wanted")
}
