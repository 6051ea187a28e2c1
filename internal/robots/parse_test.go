package robots_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/robots"
)

func TestDecisionTellsTheLine(t *testing.T) {
	t.Parallel()
	file := robots.Parse([]byte("# ours\r\n\r\nUser-agent: *\rDISALLOW :  /a b  # why\n\nAllow /c\n"))
	require.Equal(t, robots.Decision{Rule: "DISALLOW :  /a b", Line: 4}, file.Match("x", "https://example.com/a%20b"))
	require.Equal(t, robots.Decision{Allowed: true, Rule: "Allow /c", Line: 6}, file.Match("x", "https://example.com/c"))
	require.Equal(t, robots.Decision{Allowed: true, Why: robots.WhyNoRule}, file.Match("x", "https://example.com/d"))
	require.Equal(t, robots.Decision{Allowed: true, Why: robots.WhyItself}, file.Match("x", "https://example.com/robots.txt"))
}

// TestRuleIsKeptShort: a rule enters histories, so a stranger must not decide how long it is.
func TestRuleIsKeptShort(t *testing.T) {
	t.Parallel()
	path := "/" + strings.Repeat("ä\xff", 100_000)
	d := robots.Parse([]byte("User-agent: *\nDisallow: "+path)).Match("x", path)
	require.False(t, d.Allowed)
	require.LessOrEqual(t, len(d.Rule), 210)
	require.True(t, strings.HasPrefix(d.Rule, "Disallow: /ä"), d.Rule)
}

// TestCutLine: a rule that the bound cuts through is not half a rule.
func TestCutLine(t *testing.T) {
	t.Parallel()
	head := "User-agent: *\nDisallow: /first\n"
	filler := strings.Repeat("#", robots.MaxBytes-len(head)-len("\nAllow: /")) + "\n"
	for _, end := range []string{"\n", "\r", "\r\n", ""} {
		body := head + filler + "Allow: /first" + end
		require.Greater(t, len(body), robots.MaxBytes)
		file := robots.Parse([]byte(body))
		require.Equal(t, robots.Decision{Rule: "Disallow: /first", Line: 2}, file.Match("x", "/first"))
		require.Equal(t, file.Match("x", "/"), robots.Parse([]byte(body[:robots.MaxBytes])).Match("x", "/"), "whoever fetches may cut there")
	}
	require.True(t, robots.Parse([]byte(strings.Repeat("x", 3*robots.MaxBytes))).Match("x", "/").Allowed)
}

func TestUTF16(t *testing.T) {
	t.Parallel()
	plain := "User-agent: *\r\nDisallow: /é\r\n"
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		var b strings.Builder
		b.WriteString(mark)
		for _, r := range plain {
			if mark == "\xff\xfe" {
				b.Write([]byte{byte(r), byte(r >> 8)})
			} else {
				b.Write([]byte{byte(r >> 8), byte(r)})
			}
		}
		require.Equal(t, 2, robots.Parse([]byte(b.String())).Match("x", "/%C3%A9").Line)
		require.Equal(t, 2, robots.Parse([]byte(b.String()+"x")).Match("x", "/%C3%A9").Line, "an odd byte at the end")
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, url string
		matches   bool
	}{
		{"/a", "https://example.com/\ta", true}, // no client sends the tab
		{"/a", " https://example.com/a ", true},
		{"/a/b", "/a/./b", true},
		{"/a/$", "/a/b/..", true},
		{"/a/$", "/a/.", true},
		{"/$", "/../..", true},
		{"/b", "/a/%2e%2E/b", true},
		{"/a", "/a/../b", false},
		{"/b?u=/a/../c", "/b?u=/a/../c", true}, // dots in a query are nobody's business
		{"/.well-known/", "/.well-known/x", true},
		{"//x", "https://example.com//x", true},
		{"/x", "https://example.com//x", false},
		{"/a", "/a#/b", true},
		{"/*/b", "/a?u=/b", true},
		{"/a%3Fb", "/a?b", false},
		{"/a?b%3Fc", "/a?b?c", true},
		{"/a%26b", "/a&b", false},
		{"/a?f[0]=", "/a?f%5B0%5D=x", true},
		{"/@me", "/%40me", true},
		{"/100%", "/100%25", true},
		{"/100%25", "/100%", true},
		{"/a%2", "/a%2", true},
		{"/a|b", "/a%7Cb", true},
		{"/a$b$", "/a$b", true},
		{"/a$b$", "/a$bc", false},
		{"/a%24", "/a$", true},
		{"/a*b*c$", "/axbxbc", true},
		{"/a*b*c$", "/axbxbcd", false},
		{"/a*bc$", "/abcbc", true},
		{"/ab*ba$", "/aba", false}, // the pieces must not overlap
		{"*", "/x", true},
		{"*$", "/x", true},
		{"$", "/", false},
		{"**a", "/xa", true},
		{"a", "/a", false}, // a path starts with a slash
		{"https://example.com/a", "https://example.com/a", false},
	} {
		d := robots.Parse([]byte("User-agent: *\nDisallow: "+c.rule+"\n")).Match("x", c.url)
		require.Equal(t, c.matches, !d.Allowed, "rule %q, URL %q", c.rule, c.url)
	}
}

func TestLongestRuleDecides(t *testing.T) {
	t.Parallel()
	file := robots.Parse([]byte("User-agent: *\nDisallow: /\nAllow: /a\nDisallow: /a/*.gif\nAllow: /a/b.gif$\nDisallow: /a/b.gif?\n"))
	for url, line := range map[string]int{"/": 2, "/a": 3, "/a/x.gif": 4, "/a/b.gif": 5, "/a/b.gif?x": 6} {
		require.Equal(t, line, file.Match("x", url).Line, url)
	}
}

func TestCrawlDelay(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"0": 0, "10": 10 * time.Second, "10.0": 10 * time.Second, "1.5": 1500 * time.Millisecond, ".5": 500 * time.Millisecond,
		"2.": 2 * time.Second, "3s": 3 * time.Second, "3 Seconds": 3 * time.Second, "120 # slow": 2 * time.Minute,
		"99999999999999999999": 365 * 24 * time.Hour, strings.Repeat("9", 400): 365 * 24 * time.Hour,
	} {
		delay, ok := robots.Parse([]byte("User-agent: *\nCrawl-Delay: " + value + "\n")).CrawlDelay("x")
		require.True(t, ok, value)
		require.Equal(t, want, delay, value)
	}
}

func TestCrawlDelayIsForTheNamesAboveIt(t *testing.T) {
	t.Parallel()
	file := robots.Parse([]byte("Crawl-delay: 9\nUser-agent: a\nUser-agent: b\nCrawl-delay: 3\nUser-agent: c\nDisallow: /x\nCrawl-delay: 5\nUser-agent: a\nCrawl-delay: 4\n"))
	for agent, want := range map[string]time.Duration{"a": 4 * time.Second, "b": 3 * time.Second, "c": 5 * time.Second} {
		delay, ok := file.CrawlDelay(agent)
		require.True(t, ok, agent)
		require.Equal(t, want, delay, agent)
		require.Equal(t, agent == "", file.Match(agent, "/x").Allowed, "a, b and c are one group all the same")
	}
	_, ok := file.CrawlDelay("d")
	require.False(t, ok, "nobody named d, and there is no *")
}
