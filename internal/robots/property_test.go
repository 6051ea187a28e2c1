package robots_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/internal/robots"
)

// requireLaws holds for any bytes, agent and URL: reading is repeatable, every decision gives one cause, and rules written
// out and read again decide the same.
func requireLaws(t require.TestingT, body []byte, agent, url string) {
	before := string(body)
	file := robots.Parse(body)
	require.Equal(t, before, string(body), "the input is left alone")
	d := file.Match(agent, url)
	require.Equal(t, d, robots.Parse(body).Match(agent, url))
	require.True(t, (d.Rule == "") == (d.Line == 0) && (d.Rule == "") == (d.Why != ""), "%+v", d)
	require.True(t, d.Allowed || d.Rule != "", "only a line forbids: %+v", d)
	require.True(t, utf8.ValidString(d.Rule) && len(d.Rule) <= 210, "%q", d.Rule)

	rules := file.For(agent)
	written := robots.Render(rules)
	if len(written) >= robots.MaxBytes {
		return
	}
	again := robots.Parse([]byte(written)).For("*")
	require.Equal(t, written, robots.Render(again), "normal form is its own normal form")
	e := again.Match(url)
	require.Equal(t, d.Allowed, e.Allowed, "%+v, rewritten %+v", d, e)
	delay, ok := rules.CrawlDelay()
	delayAgain, okAgain := again.CrawlDelay()
	require.Equal(t, ok, okAgain)
	require.Equal(t, delay, delayAgain)
}

// The generators are made anew for each test: rapid reads a generator's name outside the lock under which it writes it, so
// parallel tests must not share one.

func fileLine() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.Map(rapid.SampledFrom([]string{"*", "a", "A/1", "b", "bot7", ""}), func(s string) string { return "User-agent: " + s }),
		rapid.Map(path(), func(s string) string { return "Disallow: " + s }),
		rapid.Map(path(), func(s string) string { return "Allow: " + s }),
		rapid.Map(rapid.StringMatching(`[0-9.]{0,5}`), func(s string) string { return "crawl-delay: " + s }),
		rapid.SampledFrom([]string{"", "# x", "Sitemap: /s", "Disallow /a", "<html>"}),
	)
}

func path() *rapid.Generator[string] {
	return rapid.StringMatching(`[/*a](/|a|b|\*|\$|\?|%2[fF]|%61|%2A|%|é|\.\.|=| ){0,8}`)
}

func fileText() *rapid.Generator[string] {
	lines := rapid.SliceOfN(fileLine(), 0, 12)
	return rapid.Custom(func(t *rapid.T) string {
		end := rapid.SampledFrom([]string{"\n", "\r", "\r\n"}).Draw(t, "end")
		return strings.Join(lines.Draw(t, "lines"), end)
	})
}

func TestLaws(t *testing.T) {
	t.Parallel()
	file, url := fileText(), path()
	rapid.Check(t, func(t *rapid.T) {
		requireLaws(t, []byte(file.Draw(t, "file")), rapid.SampledFrom([]string{"a", "b", "bot7", "bot", "*", ""}).Draw(t, "agent"), url.Draw(t, "url"))
	})
}

// TestMatchesLikeARegularExpression compares the matcher with the slow and obvious one, on text that needs no encoding.
func TestMatchesLikeARegularExpression(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern := "/" + rapid.StringMatching(`[ab*]{0,8}\$?`).Draw(t, "pattern")
		url := "/" + rapid.StringMatching(`[ab]{0,10}`).Draw(t, "url")
		slow := "^" + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSuffix(pattern, "$")), `\*`, ".*")
		if strings.HasSuffix(pattern, "$") {
			slow += "$"
		}
		d := robots.Parse([]byte("User-agent: *\nDisallow: "+pattern)).Match("x", url)
		require.Equal(t, regexp.MustCompile(slow).MatchString(url), !d.Allowed, "%q on %q", pattern, url)
	})
}

// TestOrderDecidesNothing: the groups of a file may stand in any order, and case and spelling of what is encoded too.
func TestOrderDecidesNothing(t *testing.T) {
	t.Parallel()
	path := path()
	rapid.Check(t, func(t *rapid.T) {
		groups := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			name := rapid.SampledFrom([]string{"a", "b", "*"}).Draw(t, "name")
			return "User-agent: " + name + "\nDisallow: " + path.Draw(t, "no") + "\nAllow: " + path.Draw(t, "yes") + "\nCrawl-delay: 2\n"
		}), 1, 5).Draw(t, "groups")
		shuffled := rapid.Permutation(groups).Draw(t, "shuffled")
		url := path.Draw(t, "url")
		one := robots.Parse([]byte(strings.Join(groups, ""))).Match("a", url)
		other := robots.Parse([]byte(strings.Join(shuffled, ""))).Match("A", url)
		require.Equal(t, one.Allowed, other.Allowed)
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a*b$\nAllow: /%2F?x\nCrawl-delay: 1.5\n"), "a", "https://example.com/a?b#c")
	f.Add([]byte("\xef\xbb\xbfUser-agent a\rUser-agent: b7/1\r\nDisallow: /é%\n"), "b", "//x/..%2e/%")
	f.Add([]byte("\xff\xfeU\x00s\x00"), "*", "")
	f.Add([]byte("User-agent: *\nDisallow: $\nDisallow: *\nDisallow:\n"), "", "/robots.txt")
	f.Fuzz(func(t *testing.T, body []byte, agent, url string) { requireLaws(t, body, agent, url) })
}
