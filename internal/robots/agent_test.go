package robots_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/robots"
)

func TestToken(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"example-collector/1.0 (+https://example.com/bot)": "example-collector",
		"weir/dev (+https://example.com)":                  "weir",
		"bot/1":                                            "bot",
		"  Under_Score  ":                                  "Under_Score",
		"name(+https://example.com)":                       "name",
		"MJ12bot/v1.4":                                     "MJ12bot",
		"Mozilla/5.0 (compatible; example-bot/2.1; +https://e.example)": "example-bot",
		"mozilla/5.0 (compatible;example-bot)":                          "example-bot",
	} {
		token, err := robots.Token(agent)
		require.NoError(t, err, agent)
		require.Equal(t, want, token, agent)
		again, err := robots.Token(token)
		require.NoError(t, err)
		require.Equal(t, token, again, "a token is its own token")
	}
}

func TestTokenRefuses(t *testing.T) {
	t.Parallel()
	for _, agent := range []string{
		"", " ", "*", "/1.0", "(+https://example.com)", "ツ/1", "a.b/1", "bot*", "https://example.com", "12/3",
		"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/120.0", "Mozilla/5.0 (compatible; )", "Mozilla",
	} {
		_, err := robots.Token(agent)
		require.ErrorContains(t, err, "has no product token", "%q", agent)
		require.ErrorContains(t, err, "example-bot/1.0", "the error says what to write")
	}
	_, err := robots.Token(strings.Repeat("ツ", 10000))
	require.Less(t, len(err.Error()), 1500, "the error stays readable")
}

func TestAgentNames(t *testing.T) {
	t.Parallel()
	for line, agents := range map[string]map[string]bool{
		"ExampleBot":           {"examplebot": true, "EXAMPLEBOT": true, "example": false, "examplebots": false},
		"examplebot/2.0 (+x)":  {"examplebot": true},
		"examplebot otherbot":  {"examplebot": true, "otherbot": false},
		"bot7":                 {"bot7": true, "bot": true, "bot8": false},
		"360spider":            {"360spider": true, "spider": false, "": false},
		"* everybody":          {"anybot": true, "": true},
		"*":                    {"anybot": true, "": true, "*": true},
		"*bot":                 {"anybot": false, "": false, "*": false},
		"":                     {"anybot": false, "": false},
		"ツ":                    {"anybot": false, "": false},
		"examplebot # comment": {"examplebot": true},
	} {
		file := robots.Parse([]byte("User-agent: " + line + "\nDisallow: /\n"))
		for agent, named := range agents {
			require.Equal(t, !named, file.Match(agent, "https://example.com/x").Allowed, "line %q, agent %q", line, agent)
		}
	}
}
