package workflows_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/workflows"
)

// golden compares with a file of testdata; the flag update, which the package's other tests define, writes it anew.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if flag.Lookup("update").Value.String() == "true" {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "write it with -update")
	require.Equal(t, string(want), got)
}

// fleetOfMany configures one source for each way in which a source can be open or closed.
func fleetOfMany(t *testing.T) workflows.ConfigureInput {
	t.Helper()
	window, err := lease.ParseWindow("22:00-06:00")
	require.NoError(t, err)
	night := lease.Hours{Zone: lease.ZoneOf(time.UTC, noon, noon.AddDate(1, 0, 0)), Windows: []lease.Window{window}}
	in := books(4)
	in.Sources = append(in.Sources,
		lease.SourceConfig{Source: "breaker", Ceiling: 3},
		lease.SourceConfig{Source: "fallen", Ceiling: 3, Methods: []string{"page", "api"}, FallbackAfter: 1},
		lease.SourceConfig{Source: "held", Ceiling: 3},
		lease.SourceConfig{Source: "methods", Ceiling: 3, Methods: []string{"page", "api"}},
		lease.SourceConfig{Source: "night", Ceiling: 3, Hours: &night},
		lease.SourceConfig{Source: "paced", Ceiling: 3, Rate: lease.PerSecond(5)},
		lease.SourceConfig{Source: "paused", Ceiling: 3},
		lease.SourceConfig{Source: "quiet", Ceiling: 3},
		lease.SourceConfig{Source: "zero", Ceiling: 3},
	)
	return in
}

// TestCeilingsShowTheTable holds the table that Temporal Web shows.
func TestCeilingsShowTheTable(t *testing.T) {
	t.Parallel()
	o := firstOwner(t)
	empty := o.shown(500 * time.Millisecond)
	o.configure(time.Second, fleetOfMany(t))
	for source, command := range map[string]struct {
		update string
		in     collection.SourceCommand
	}{
		"paused":  {collection.UpdatePause, collection.SourceCommand{By: "ann", Reason: "asked | by the site\nfor today"}},
		"quiet":   {collection.UpdatePause, collection.SourceCommand{}},
		"held":    {collection.UpdateHoldBreaker, collection.SourceCommand{By: "bob"}},
		"zero":    {collection.UpdateSetCeiling, collection.SourceCommand{By: "ann", Reason: "test", Ceiling: ptr(0), Until: noon.Add(time.Hour)}},
		"methods": {collection.UpdateUseMethod, collection.SourceCommand{By: "ann", Reason: "login forms", Method: "api"}},
		"paced":   {collection.UpdateSetPace, collection.SourceCommand{By: "ann", Pace: ptr(0.5)}},
	} {
		command.in.Source = source
		o.update(2*time.Second, command.update, command.in)
	}
	in := wants("a", 1, 9)
	in.Request.Sources[0].InFlight = 1
	in.Request.Sources = append(in.Request.Sources, lease.Want{Source: "breaker", Waiting: 1})
	o.renew(3*time.Second, in)
	in = wants("a", 2, 9)
	in.Request.Sources = append(in.Request.Sources, lease.Want{Source: "breaker", Held: 2, Waiting: 1, Seen: lease.Report{Requests: 9, TargetFaults: 9}})
	in.Request.Sources = append(in.Request.Sources, lease.Want{Source: "fallen", Waiting: 1, Seen: lease.Report{Requests: 9, TargetFaults: 9}})
	in.Request.Egress = []lease.EgressReport{{Egress: "a|b", Faults: 5, Trailing: 5}, {Egress: "direct", Successes: 1}}
	o.renew(4*time.Second, in)
	shown := o.shown(5 * time.Second)
	next := o.run()
	golden(t, filepath.Join("details", "ceilings.md"), *shown)
	require.NotContains(t, *empty, "books")

	again := newOwner(t, 6*time.Second, next)
	kept := again.shown(8 * time.Second)
	again.run()
	require.Equal(t, *shown, *kept, "the next run shows it before anything has come")
}
