package robots_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/robots"
)

// TestDelaysOfOneRunOfNames: however many delays follow a run of names, it has one, the longest; the next run begins anew.
func TestDelaysOfOneRunOfNames(t *testing.T) {
	t.Parallel()
	file := robots.Parse([]byte("User-agent: a\nCrawl-delay: 3\nCrawl-delay: 7\nCrawl-delay: 5\nUser-agent: b\nCrawl-delay: 2\nDisallow: /x\nCrawl-delay: 4\n"))
	for agent, want := range map[string]time.Duration{"a": 7 * time.Second, "b": 4 * time.Second} {
		got, ok := file.CrawlDelay(agent)
		require.True(t, ok, agent)
		require.Equal(t, want, got, agent)
	}
	_, ok := file.CrawlDelay("c")
	require.False(t, ok)
}

// TestDelaysAreKeptOnce: names times delays is not what a file costs.
func TestDelaysAreKeptOnce(t *testing.T) {
	t.Parallel()
	file := robots.Parse([]byte(strings.Repeat("user-agent: a\n", 16_000) + strings.Repeat("crawl-delay: 1\n", 16_000)))
	require.Equal(t, 1, robots.Delays(file))
	got, ok := file.CrawlDelay("a")
	require.True(t, ok)
	require.Equal(t, time.Second, got)
}
