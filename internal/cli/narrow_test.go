package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/starter"
)

// TestNarrowTables: on a terminal of 60 columns no table is broken by the terminal, and what matters is still there.
func TestNarrowTables(t *testing.T) {
	t.Parallel()
	const width = 60
	row := openSource()
	row.Method, row.OldestWaiting, row.Source = "page", 90_000, "the-bookshop-of-a-long-name"
	for name, c := range map[string]struct {
		show func(s *screen.Screen)
		says []string
	}{
		"sources": {func(s *screen.Screen) { showSources(s, []lease.SourceView{row}, noon, false) }, []string{"the-", "CEILING", "IN FLIGHT", "WAITING", "PACE"}},
		"dead": {func(s *screen.Screen) {
			showDeadGroups(s, []deadGroup{{starter.DeadGroup{Source: "bookshop", Reason: "schema_violation", Customer: "acme", Records: 1200,
				Oldest: ago(26 * time.Hour), Submissions: []string{"acme-0123456789ab", "acme-0123456789ac"}}, "books team"}}, noon)
		}, []string{"bookshop", "schema_violation", "1,200", "1 d 2 h"}},
		"a trail": {func(s *screen.Screen) {
			tellTrail(s, collection.Trail{Attempts: []collection.AttemptLine{{At: noon, Permit: 61_000, Took: 30_000, Method: "page", Egress: "west", Reason: "throttled", Status: 503}}})
		}, []string{"2026-01-02 12:00:00 UTC", "throttled", "503"}},
		"a sweep": {func(s *screen.Screen) {
			showDeadLetters(s, []collection.DeadLetterCount{{Source: "bookshop", Reason: "schema_violation", Records: 1200, Oldest: noon.Add(-26 * time.Hour)}}, true, noon)
		}, []string{"at least 1,200", "1 d 2 h"}},
		"a submission": {func(s *screen.Screen) {
			s.Sources([]collection.SourceProgress{{Source: "bookshop", Records: 200_000, Released: 200_000}}, nil)
		}, []string{"200,000", "DONE"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			c.show(screen.NewTerminal(&out, width, screen.Options{NoColour: true}))
			for line := range strings.Lines(out.String()) {
				require.LessOrEqual(t, screen.Columns(strings.TrimSuffix(line, "\n")), width, out.String())
			}
			for _, s := range c.says {
				require.Contains(t, out.String(), s)
			}
		})
	}
}
