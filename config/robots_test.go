package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRobotsProblems(t *testing.T) {
	t.Parallel()
	const why = "robots.txt is ignored: write who has allowed it and why, in a few words, or set robots to obey"
	for keys, want := range map[string]string{
		"robots: obey\n": "",
		"robots: ignore\n    robots_reason: our own site\n": "",
		"robots: ignore\n":                         `sources[0].robots_reason (weir.yaml:3): ` + why,
		"robots: ignore\n    robots_reason: ok\n":  `sources[0].robots_reason = "ok" (weir.yaml:7): ` + why,
		"robots: ignore\n    robots_reason: ' '\n": `sources[0].robots_reason (weir.yaml:7): ` + why,
		"robots_reason: we were told to\n":         `sources[0].robots_reason = "we were told to" (weir.yaml:6): robots.txt is obeyed, which needs no reason: take it away, or set robots to ignore`,
		"robots: yes\n":                            `sources[0].robots = "yes" (weir.yaml:6): use obey or ignore`,
		"robots: ''\n":                             `sources[0].robots = "" (weir.yaml:6): use obey or ignore`,
	} {
		_, err := loadText(sourceWith(keys))
		if want == "" {
			require.NoError(t, err, keys)
			continue
		}
		requireProblems(t, err, want)
	}
}

func TestUserAgents(t *testing.T) {
	t.Parallel()
	for agent, good := range map[string]bool{
		"weir/1.2.3 (+https://example.com)": true, "weir-test (+https://example.com)": true, "my_bot": true, "Bot/2": true, "bot2/1.0": true,
		"Mozilla/5.0 (compatible; example-bot/1.0)": true, "Mozilla/5.0 (X11)": false, "007/1": false,
		"crawler.example/1": false, "(+https://example.com)": false, "/1.0": false, " bot/1.0": true, "böt/1": false,
	} {
		cfg, err := loadText(minimal)
		require.NoError(t, err)
		cfg.UserAgent = agent
		require.Equal(t, good, cfg.Validate() == nil, agent)
	}
}
