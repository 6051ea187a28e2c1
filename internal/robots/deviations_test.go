package robots_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/robots"
)

// deviation is a place where we answer otherwise than Google's parser or the letter of RFC 9309.
type deviation struct {
	// id stands in docs/robots.md, in the row that gives the reason.
	id string
	// from is whose answer ours is not: "google" or "rfc".
	from               string
	robots, agent, url string
	// ours is our answer; theirs is the other one.
	ours   bool
	reason string
	// test is the name of Google's test whose expectations differ, and vectors how many do.
	test    string
	vectors int
}

var long = strings.Repeat("a", 17000)

var deviations = []deviation{
	{"raw-url", "google", "User-agent: a\nDisallow: /\nAllow: /%E3%83%84\n", "a", "https://example.com/ツ", true,
		"Google's parser leaves the encoding of the URL to its caller; we bring both sides into one form, as the RFC wants", "ID_Encoding", 3},
	{"index-html", "google", "User-agent: *\nDisallow: /\nAllow: /x/index.html\n", "a", "https://example.com/x/", false,
		"the RFC knows no index pages, and what is not allowed in writing stays forbidden", "GoogleOnly_IndexHTMLisDirectory", 1},
	{"long-line", "google", "User-agent: a\nDisallow: /" + long + "b\n", "a", "https://example.com/" + long + "c", true,
		"Google cuts a line after 16 KiB; a rule that was cut is one that nobody wrote", "GoogleOnly_LineTooLong", 2},
	{"typos", "google", "User-agent: a\nDissallow: /\n", "a", "https://example.com/x", true,
		"Google guesses some misspellings; we guess none, since every guess is one that the owner has not been told of", "", 0},
	{"digits", "google", "User-agent: bot7\nDisallow: /\n", "bot7", "https://example.com/x", false,
		"many names have digits, and who is named in full is meant", "", 0},
	{"query-fold", "google", "User-agent: *\nDisallow: /a?u=https://b\n", "a", "https://example.com/a?u=https%3A%2F%2Fb", false,
		"figure 4 of the RFC", "", 0},
	{"dots", "google", "User-agent: *\nDisallow: /closed\n", "a", "https://example.com/open/../closed", false,
		"a server resolves the path, so the rule of what it leads to binds", "", 0},
	{"missing-colon", "rfc", "User-agent a\nDisallow /\n", "a", "https://example.com/x", false,
		"what the owner meant is plain, and Google reads it too", "", 0},
	{"first-word", "rfc", "User-agent: a/1.0 (x)\nDisallow: /\n", "a", "https://example.com/x", false,
		"a line that gives more than the name still names; Google reads it so", "", 0},
	{"leading-star", "rfc", "User-agent: *\nDisallow: */test\n", "a", "https://example.com/test", false,
		"the RFC's paths start with a slash; a star that stands for it is plain, and Google reads it so", "", 0},
	{"utf-16", "rfc", "\xff\xfeU\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00*\x00\n\x00D\x00i\x00s\x00a\x00l\x00l\x00o\x00w\x00:\x00/\x00", "a", "https://example.com/x", false,
		"the RFC wants UTF-8, but what the owner forbids is plain to read", "", 0},
}

func TestDeviations(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/robots.md")
	require.NoError(t, err)
	for _, d := range deviations {
		t.Run(d.id, func(t *testing.T) {
			t.Parallel()
			got := robots.Parse([]byte(d.robots)).Match(d.agent, d.url)
			require.Equal(t, d.ours, got.Allowed, "%+v: %s", got, d.reason)
			require.Contains(t, string(page), "| `"+d.id+"` | "+d.from+" |", "every deviation has a row in docs/robots.md")
		})
	}
	require.Equal(t, len(deviations), strings.Count(string(page), "| google |")+strings.Count(string(page), "| rfc |"),
		"a row in docs/robots.md has no test")
}
