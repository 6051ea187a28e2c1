package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestConfigureReportsEverything(t *testing.T) {
	table := newTable(t, SourceConfig{Source: "kept", Ceiling: 3})
	err := table.Configure(noon, []SourceConfig{
		{Source: "", Ceiling: -1},
		{Source: "a", Rate: FastestRate + 1, Burst: -1, MinInterval: -1, Linger: -1, FallbackAfter: -1, Methods: []string{""}},
		{Source: "b", Breaker: BreakerConfig{Window: -1, Percent: 101}, Hours: &Hours{}},
		{Source: "c", Hours: &Hours{Windows: []Window{{days: everyDay, from: 1, until: 2}}}},
		{Source: "d", Hours: &Hours{Windows: []Window{{}}, Zone: Zone{Offsets: []Offset{{}}}}},
		{Source: "e"}, {Source: "e"},
	})
	for _, part := range []string{
		`source "": source:`, `source "": ceiling:`, `"a": rate:`, `"a": burst:`, `"a": min_interval_ms:`, `"a": linger_ms:`, `"a": fallback_after:`,
		`"a": methods:`, `"b": breaker:`, `"b": breaker.percent:`, `"b": hours: no windows`, `"c": hours: the time zone has no offsets`,
		`"d": hours: an empty window`, `"e": configured twice`,
	} {
		require.ErrorContains(t, err, part)
	}
	require.Len(t, table.Sources, 1, "nothing has changed")
	require.Equal(t, "kept", table.Sources[0].Config.Source)
}

func TestZoneOrder(t *testing.T) {
	zone := Zone{Offsets: []Offset{{From: noon}, {From: noon}}}
	require.ErrorContains(t, zone.check(), "order of time")
}

func TestSettings(t *testing.T) {
	_, err := New(Settings{TTL: 1})
	require.ErrorContains(t, err, "ttl_ms is 1")
	table, err := New(Settings{})
	require.NoError(t, err)
	require.Equal(t, Settings{TTL: 15_000, EgressProbation: 60_000}, table.Settings)

	// A shorter lease does not shorten those that were granted.
	require.NoError(t, table.Configure(noon, []SourceConfig{{Source: "s", Ceiling: 1}}))
	want := []Want{{Source: "s", Waiting: 1}}
	require.Equal(t, Millis(15_000), table.Renew(noon, Request{Worker: "a", Sequence: 1, Sources: want}).TTL)
	require.NoError(t, table.Use(noon, Settings{TTL: 3_000}))
	require.Equal(t, Millis(3_000), table.Renew(noon, Request{Worker: "a", Sequence: 2, Sources: []Want{{Source: "s", Held: 1}}}).TTL)
	require.Zero(t, table.Renew(noon.Add(16*time.Second), Request{Worker: "b", Sequence: 1, Sources: want}).Grants[0].Permits)
	require.Equal(t, 1, table.Renew(noon.Add(17*time.Second), Request{Worker: "b", Sequence: 2, Sources: want}).Grants[0].Permits)
	require.Error(t, table.Use(noon, Settings{TTL: -1}))
}

// TestRequestsThatMakeNoSense do no harm: a source that is named twice counts once, negative numbers count as none.
func TestRequestsThatMakeNoSense(t *testing.T) {
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 4})
	answer := table.Renew(noon, Request{Worker: "a", Sequence: 1, Sources: []Want{
		{Source: "s", Held: 2, InFlight: 2, Waiting: 1}, {Source: "s"},
	}, Egress: []EgressReport{{Egress: "", Faults: 9}, {Egress: "p", Faults: -9}}})
	require.Len(t, answer.Grants, 1)
	require.Equal(t, 4, answer.Grants[0].Permits)
	require.Empty(t, table.Egresses)

	negative := Millis(-5)
	answer = table.Renew(noon, Request{Worker: "b", Sequence: 1, Sources: []Want{{
		Source: "s", Held: -3, Rate: -3, InFlight: -3, Peak: -3, Waiting: -3, CrawlDelay: &negative,
		Seen: Report{Requests: -1, Successes: -99, TargetFaults: -1, Throttled: -1, LongestRetryAfter: -1},
	}}})
	require.Zero(t, answer.Grants[0].Permits)
	v := table.View(noon)[0]
	require.Equal(t, 4, v.Exposed)
	require.Equal(t, BreakerClosed, v.Breaker)
	require.Zero(t, v.Requests)
	require.Equal(t, Unlimited, v.Pace)
}

// TestCommandsAreChecked has an override that is over before it begins refused, and its words say so.
func TestCommandsAreChecked(t *testing.T) {
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 4})
	require.ErrorContains(t, table.SetCeiling(noon, "s", 1, noon, Note{}), "give a time after now")
	require.ErrorContains(t, table.SetPace(noon, "s", OnePerSecond, noon.Add(-time.Hour), Note{}), "give a time after now")
	require.ErrorContains(t, table.SetPace(noon, "s", FastestRate+1, time.Time{}, Note{}), "pause the source")
	require.NoError(t, table.SetPace(noon, "s", Unlimited, time.Time{}, Note{}))
	require.NoError(t, table.ResetPace(noon, "s", Note{}))
	require.NoError(t, table.ResetCeiling(noon, "s", Note{}))

	var unknown UnknownSourceError
	require.ErrorAs(t, table.HoldBreaker(noon, "x", Note{}), &unknown)
	require.Equal(t, UnknownSourceError{Source: "x", Known: []string{"s"}}, unknown)
	empty, err := New(Settings{})
	require.NoError(t, err)
	require.ErrorContains(t, empty.Pause(noon, "x", Note{}), "none yet")
}
