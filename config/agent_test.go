package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// TestOwnAgentProblems: a user agent that a source states of its own is held to what robots.txt can address, in every method,
// while robots.txt is obeyed.
func TestOwnAgentProblems(t *testing.T) {
	t.Parallel()
	const begin = `robots.txt is obeyed: begin with a name of letters, digits, - and _, by which it can address this source, ` +
		`for instance example-bot/1.0 (+https://example.com/bot)`
	for keys, want := range map[string]string{
		"request: {headers: {user-agent: own-bot/1.0}}\n":                                                                                  "",
		"request: {headers: {user-agent: 'Mozilla/5.0 (compatible; own-bot/1)'}}\n":                                                        "",
		"request: {headers: {user-agent: ''}}\n":                                                                                           "",
		"request: {headers: {user-agent: 'Mozilla/5.0 (X11)'}}\n":                                                                          `sources[0].request.headers.User-Agent = "Mozilla/5.0 (X11)" (weir.yaml:6): ` + begin,
		"request: {secret_headers: {user-agent: 'env:AGENT'}}\n":                                                                           `sources[0].request.secret_headers.User-Agent (weir.yaml:6): ` + errSecretAgent.Error(),
		"methods:\n      - {name: a}\n      - {name: b, request: {headers: {User-Agent: 007/1}}}\n":                                        `sources[0].methods[1].request.headers.User-Agent = "007/1" (weir.yaml:8): ` + begin,
		"robots: ignore\n    robots_reason: our own site\n    request: {headers: {user-agent: 'Mozilla/5.0 (X11)'}, secret_headers: {}}\n": "",
		"robots: ignore\n    robots_reason: our own site\n    request: {secret_headers: {user-agent: 'env:AGENT'}}\n":                      "",
	} {
		_, err := loadText(sourceWith(keys))
		if want == "" {
			require.NoError(t, err, keys)
			continue
		}
		requireProblems(t, err, want)
	}
}

func TestOwnAgent(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]collection.Request{
		"":      {Headers: map[string]string{"X-User-Agent": "x"}},
		"bot/1": {Headers: map[string]string{"uSER-aGENT": "bot/1"}},
	} {
		agent, err := OwnAgent(r)
		require.NoError(t, err)
		require.Equal(t, want, agent)
	}
	_, err := OwnAgent(collection.Request{SecretHeaders: map[string]string{"user-agent": "env:X"}})
	require.ErrorIs(t, err, errSecretAgent)
}
