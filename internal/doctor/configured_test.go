package doctor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/doctor"
)

// TestOwnUserAgents: whatever name a site is asked under is looked at, a method's as well; a name that is a secret cannot be.
func TestOwnUserAgents(t *testing.T) {
	t.Parallel()
	const parse = "parse: {type: json, fields: [{name: t, jq: .t}]}"
	for name, c := range map[string]struct {
		source string
		what   []string
	}{
		"a source's": {
			"{name: books, hosts: [books.example], ceiling: 2, request: {headers: {user-agent: shelf/1.0}}, " + parse + "}",
			[]string{`the user agent of source books is "shelf/1.0", which holds no contact`},
		},
		"a method's": {
			"{name: books, hosts: [books.example], ceiling: 2, " + parse + ", methods: [{name: page}, " +
				"{name: api, request: {headers: {User-Agent: shelf/1.0}}}, {name: app, request: {headers: {User-Agent: app/2 (+https://example.com)}}}]}",
			[]string{`the user agent of source books, method api is "shelf/1.0", which holds no contact`},
		},
		"a method's that nobody can address": {
			"{name: books, hosts: [books.example], ceiling: 2, robots: ignore, robots_reason: the site is our own, " + parse + ", methods: [{name: page}, " +
				`{name: api, request: {headers: {User-Agent: "7 (+https://example.com)"}}}]}`,
			[]string{"the user agent of source books, method api: "},
		},
		"a secret": {
			"{name: books, hosts: [books.example], ceiling: 2, robots: ignore, robots_reason: the site is our own, " +
				`request: {secret_headers: {User-Agent: "env:NAME"}}, ` + parse + "}",
			[]string{"example-bot/1.0 (+https://example.com/bot), with a contact"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := "user_agent: example-bot/1.0 (+https://example.com/bot)\ns3: {bucket: weir}\nsources:\n  - " + c.source + "\n"
			found := examined(t, patient(t, config, healthy(), goodBucket()), "user-agent")
			require.Len(t, found, len(c.what), "%+v", found)
			for i, what := range c.what {
				require.Contains(t, found[i].What, what)
				require.Equal(t, name == "a secret", found[i].Level == doctor.OK)
			}
		})
	}
}
