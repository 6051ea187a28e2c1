package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// lasts is how long nobody else is given what a worker holds that is lost, counted from the end of its lease. The worker has
// renewed under the first configuration; the second comes after that.
func lasts(t *testing.T, told, before, after Millis) time.Duration {
	t.Helper()
	configured := func(linger Millis) []SourceConfig {
		return []SourceConfig{{Source: "s", Ceiling: 4, Linger: linger}}
	}
	table := newTable(t, configured(before)...)
	table.Renew(noon, Request{Worker: "lost", Sequence: 1, Sources: []Want{{Source: "s", Waiting: 9, Linger: told}}})
	require.NoError(t, table.Configure(noon.Add(time.Second), configured(after)))
	ended := noon.Add(table.Settings.ownerTTL())
	for n := range int64(10_000) {
		now := ended.Add(time.Duration(n) * time.Second)
		table = roundTrip(t, table)
		if table.Renew(now, Request{Worker: "other", Sequence: n + 1, Sources: []Want{{Source: "s", Waiting: 9}}}).Grants[0].Permits > 0 {
			return now.Sub(ended)
		}
	}
	require.Fail(t, "for ever")
	return 0
}

// TestALostWorkersRequestsLastAsTheyWereMade: what is under way is not shortened by a configuration that comes later, nor by
// one in force that is not the worker's own.
func TestALostWorkersRequestsLastAsTheyWereMade(t *testing.T) {
	for name, test := range map[string]struct {
		told, before, after Millis
		lasts               time.Duration
	}{
		"the timeout stays":                            {0, 300_000, 300_000, 300 * time.Second},
		"the timeout is lowered":                       {0, 300_000, 30_000, 300 * time.Second},
		"the timeout is raised":                        {0, 30_000, 300_000, 30 * time.Second},
		"the worker has a longer one":                  {300_000, 30_000, 30_000, 300 * time.Second},
		"the worker's own is lowered":                  {300_000, 300_000, 30_000, 300 * time.Second},
		"the worker has a shorter one, and may be new": {30_000, 300_000, 300_000, 300 * time.Second},
		"none":                       {0, 0, 0, 0},
		"a year is not believed":     {366 * 24 * 3_600_000, 0, 0, time.Hour},
		"less than none is believed": {-1, 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.lasts, lasts(t, test.told, test.before, test.after))
		})
	}
}

// TestALostWorkerOfAnOldState: of a state that says nothing of it, the configuration tells.
func TestALostWorkerOfAnOldState(t *testing.T) {
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 4, Linger: 30_000})
	want := []Want{{Source: "s", Waiting: 9}}
	table.Renew(noon, Request{Worker: "lost", Sequence: 1, Sources: want})
	table.Sources[0].Holdings[0].Linger = 0
	ended := noon.Add(table.Settings.ownerTTL())
	require.Zero(t, table.Renew(ended.Add(29*time.Second), Request{Worker: "b", Sequence: 1, Sources: want}).Grants[0].Permits)
	require.Equal(t, 4, table.Renew(ended.Add(30*time.Second), Request{Worker: "b", Sequence: 2, Sources: want}).Grants[0].Permits)
}

// TestForgottenRequestsLastAsTheyWereMade: an owner that has forgotten who holds what waits for the longest requests that it
// knows of, from those whose leases have ended and from those who renew.
func TestForgottenRequestsLastAsTheyWereMade(t *testing.T) {
	config := []SourceConfig{{Source: "s", Ceiling: 4, Linger: 30_000}}
	for name, test := range map[string]struct {
		known, told Millis
		settles     time.Duration
	}{
		"nobody's":           {0, 0, 30 * time.Second},
		"one that is known":  {300_000, 0, 300 * time.Second},
		"one that is told":   {0, 200_000, 200 * time.Second},
		"a year is not told": {0, 366 * 24 * 3_600_000, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			table := newTable(t, config...)
			if test.known > 0 {
				table.Renew(noon, Request{Worker: "known", Sequence: 1, Sources: []Want{{Source: "s", Linger: test.known}}})
			}
			table.Begin(noon, "run 2", "run 1", true)
			renewal := Request{Worker: "a", Sequence: 1, Epoch: "run 0", Sources: []Want{{Source: "s", Linger: test.told}}}
			table.Renew(noon, renewal)
			table.Quarantine(noon.Add(time.Second))
			require.Equal(t, noon.Add(time.Second).Add(table.Settings.ownerTTL()+test.settles), table.SettlesAt)
			table.Expire(table.SettlesAt)
			require.Zero(t, table.ToldLinger)
		})
	}
}
