package robots_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/robots"
)

// requireDecisions checks what a file says of paths: true for allowed.
func requireDecisions(t *testing.T, file, agent string, want map[string]bool) {
	t.Helper()
	parsed := robots.Parse([]byte(file))
	for path, allowed := range want {
		d := parsed.Match(agent, "https://example.com"+path)
		require.Equal(t, allowed, d.Allowed, "%s for %s in\n%s\n%+v", path, agent, file, d)
	}
}

func TestFieldCaseC1Row2TieAllows(t *testing.T) {
	t.Parallel()
	for _, file := range []string{
		"User-agent: *\nDisallow: /test.html\nAllow: /test.html\n",
		"User-agent: *\nAllow: /test.html\nDisallow: /test.html\n",
		"User-agent: *\nDisallow: /%74est.html\nAllow: /test.html\n",
	} {
		requireDecisions(t, file, "mybot", map[string]bool{"/test.html": true})
	}
}

func TestFieldCaseC1Row3EmptyDisallowShieldsFromStar(t *testing.T) {
	t.Parallel()
	file := "User-agent: Google\nDisallow:\n\nUser-agent: *\nDisallow: /\n"
	requireDecisions(t, file, "Google", map[string]bool{"/": true, "/x": true})
	requireDecisions(t, file, "other", map[string]bool{"/": false})
}

func TestFieldCaseC1Row5TrailingStars(t *testing.T) {
	t.Parallel()
	requireDecisions(t, "User-agent: *\nDisallow: /inventory/srp.html?*\nDisallow: /search/*\n", "mybot", map[string]bool{
		"/inventory/srp.html?x=1": false, "/inventory/srp.html?": false, "/inventory/srp.html": true,
		"/search/abc": false, "/search/": false, "/search": true,
	})
}

func TestFieldCaseC1Row6StarFirst(t *testing.T) {
	t.Parallel()
	requireDecisions(t, "User-agent: *\ndisallow: */test\n", "mybot", map[string]bool{"/test": false, "/a/test": false, "/tes": true})
	requireDecisions(t, "User-agent: *\nDisallow: /users/*/replies\n", "mybot", map[string]bool{
		"/anything": true, "/users/7/replies": false, "/users/replies": true,
	})
}

func TestFieldCaseC1Row8BadCrawlDelayIsOnlyThatLine(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"abc", "", "-1", "NaN", "Inf", "1e3", "0x10", "1,5", "10 minutes", "500ms", "."} {
		file := robots.Parse([]byte("User-agent: *\nDisallow: /a\nCrawl-delay: " + bad + "\nDisallow: /b\n"))
		_, ok := file.CrawlDelay("mybot")
		require.False(t, ok, "%q", bad)
		require.False(t, file.Match("mybot", "/a").Allowed, "%q", bad)
		require.False(t, file.Match("mybot", "/b").Allowed, "%q", bad)
	}
	file := robots.Parse([]byte("User-agent: *\nCrawl-delay: abc\nCrawl-delay: 4\n"))
	delay, ok := file.CrawlDelay("mybot")
	require.True(t, ok)
	require.Equal(t, 4*time.Second, delay)
}

func TestFieldCaseC1Row9OwnDelayReplacesThatOfStar(t *testing.T) {
	t.Parallel()
	own, star := "User-agent: mybot\nCrawl-delay: 0\n\n", "User-agent: *\nCrawl-delay: 60\n\n"
	for _, file := range []string{own + star, star + own} {
		delay, ok := robots.Parse([]byte(file)).CrawlDelay("mybot")
		require.True(t, ok, file)
		require.Zero(t, delay, file)
		delay, ok = robots.Parse([]byte(file)).CrawlDelay("other")
		require.True(t, ok, file)
		require.Equal(t, time.Minute, delay, file)
	}
	_, ok := robots.Parse([]byte("User-agent: mybot\nDisallow: /x\n" + star)).CrawlDelay("mybot")
	require.False(t, ok, "a group of one's own that says nothing of a delay asks for none")
}

func TestFieldCaseC1Row11EncodedSlash(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"/*%2F*", "/*%2f*"} {
		requireDecisions(t, "User-agent: *\nDisallow: "+pattern+"\n", "mybot", map[string]bool{
			"/a/b": true, "/a%2Fb": false, "/a%2fb": false, "/a%252Fb": true,
		})
	}
}

func TestFieldCaseC1Row12GroupsMerge(t *testing.T) {
	t.Parallel()
	requireDecisions(t, "User-agent: mybot\nDisallow: /a\n\nUser-agent: *\nDisallow: /c\n\nUser-agent: MyBot\nDisallow: /b\n", "mybot",
		map[string]bool{"/a": false, "/b": false, "/c": true})
	for _, between := range []string{"Sitemap: https://example.com/s.xml", "Crawl-delay: 3", "Host: example.com", "Unknown: x", "no record", "", "# comment"} {
		file := "User-agent: a\n" + between + "\nUser-agent: b\nDisallow: /x\n"
		requireDecisions(t, file, "a", map[string]bool{"/x": false})
		requireDecisions(t, file, "b", map[string]bool{"/x": false})
	}
}

func TestFieldCaseC1Row14LastRuleOfALongFile(t *testing.T) {
	t.Parallel()
	for _, size := range []int{5 << 10, 500 << 10, robots.MaxBytes - 100} {
		var b strings.Builder
		b.WriteString("User-agent: *\n")
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, "Disallow: /page/%d/\n", i)
		}
		b.WriteString("Disallow: /secret/")
		requireDecisions(t, b.String(), "mybot", map[string]bool{"/secret/x": false, "/secre": true})
	}
}

func TestFieldCaseC1Row15AccessResults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		verdict robots.Verdict
		allowed bool
		why     string
		ttl     time.Duration
	}{
		"503":           {robots.From(503, nil), false, robots.WhyUnreachable, time.Minute},
		"connect error": {robots.Unreachable(), false, robots.WhyUnreachable, time.Minute},
		"404":           {robots.From(404, []byte("User-agent: *\nDisallow: /\n")), true, robots.WhyNoFile, time.Hour},
		"200 empty":     {robots.From(200, nil), true, robots.WhyNoRule, time.Hour},
	} {
		d := c.verdict.For("mybot").Match("https://example.com/x")
		require.Equal(t, robots.Decision{Allowed: c.allowed, Why: c.why}, d, name)
		require.Equal(t, c.ttl, c.verdict.TTL(0), name)
	}
}
