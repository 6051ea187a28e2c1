package config

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// start lies back far enough that the zones' rules of the years around it are history.
var start = time.Date(2019, time.March, 15, 12, 0, 0, 0, time.UTC)

const leased = `
fleet: {lease_ttl: 30s}
sources:
  - name: shop
    hosts: [shop.example]
    ceiling: 4
    pace: 0.5
    burst: 3
    timeout: 1500100us
    hours: {zone: Europe/London, windows: [22:00-06:00, "sat,Sun 0:00-24:00"]}
    breaker: {window: 2m, faults: 7, percent: 60, open: 20s, max_open: 1h}
    parse: {type: html, fields: [{name: title, css: h1}]}
    methods: [{name: page}, {name: api, request: {url: "https://api.example/{id}"}}]
    fallback_after: 3
  - name: always
    hosts: [always.example]
    parse: {type: html, fields: [{name: title, css: h1}]}
`

func offset(t *testing.T, from string, seconds int) lease.Offset {
	t.Helper()
	at, err := time.Parse(time.RFC3339, from)
	require.NoError(t, err)
	return lease.Offset{From: at, Seconds: seconds}
}

func mustWindow(t *testing.T, text string) lease.Window {
	t.Helper()
	window, err := lease.ParseWindow(text)
	require.NoError(t, err)
	return window
}

func TestLeases(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(leased)
	require.NoError(t, err)
	sources, settings := cfg.Leases(start)
	require.Equal(t, lease.Settings{TTL: 30_000}, settings)
	require.Equal(t, []lease.SourceConfig{
		{
			Source: "shop", Ceiling: 4, Rate: lease.OnePerSecond / 2, Burst: 3,
			Linger:  1501, // the timeout, rounded up
			Methods: []string{"page", "api"}, FallbackAfter: 3,
			Hours: &lease.Hours{
				Zone: lease.Zone{Name: "Europe/London", Offsets: []lease.Offset{
					offset(t, "2018-01-01T00:00:00Z", 0),
					offset(t, "2018-03-25T01:00:00Z", 3600), offset(t, "2018-10-28T01:00:00Z", 0),
					offset(t, "2019-03-31T01:00:00Z", 3600), offset(t, "2019-10-27T01:00:00Z", 0),
					offset(t, "2020-03-29T01:00:00Z", 3600), offset(t, "2020-10-25T01:00:00Z", 0),
					offset(t, "2021-03-28T01:00:00Z", 3600), offset(t, "2021-10-31T01:00:00Z", 0),
					offset(t, "2022-03-27T01:00:00Z", 3600), offset(t, "2022-10-30T01:00:00Z", 0),
					offset(t, "2023-03-26T01:00:00Z", 3600), offset(t, "2023-10-29T01:00:00Z", 0),
					offset(t, "2024-03-31T01:00:00Z", 3600), offset(t, "2024-10-27T01:00:00Z", 0),
				}},
				Windows: []lease.Window{mustWindow(t, "22:00-06:00"), mustWindow(t, "Sun,Sat 00:00-24:00")},
			},
			Breaker: lease.BreakerConfig{Window: 120_000, Faults: 7, Percent: 60, Open: 20_000, MaxOpen: 3_600_000},
		},
		{
			Source: "always", Ceiling: 1, Burst: 2, Linger: 30_000,
			Breaker: lease.BreakerConfig{Window: 60_000, Faults: 5, Percent: 50, Open: 15_000, MaxOpen: 600_000},
		},
	}, sources)
}

// TestLeasesAreTheSameAllYear: processes that start at different times must not take each other's configuration for
// another one.
func TestLeasesAreTheSameAllYear(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(leased)
	require.NoError(t, err)
	first, _ := cfg.Leases(time.Date(2019, time.January, 1, 0, 0, 0, 0, time.UTC))
	// In Berlin, the year is over already.
	last, _ := cfg.Leases(time.Date(2020, time.January, 1, 0, 59, 59, 0, time.FixedZone("CET", 3600)))
	require.Equal(t, first, last)
	next, _ := cfg.Leases(time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC))
	require.NotEqual(t, first, next)
}

// TestLeasesFollowTheClocks: in UTC, the same window opens and closes an hour earlier while London's clocks are put forward.
func TestLeasesFollowTheClocks(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(sourceWith("hours: {zone: Europe/London, windows: [22:00-06:00]}\n"))
	require.NoError(t, err)
	sources, _ := cfg.Leases(start)
	for _, test := range []struct {
		at, change string
		open       bool
	}{
		{"2019-03-30T21:59:59Z", "2019-03-30T22:00:00Z", false},
		{"2019-03-30T22:00:00Z", "2019-03-31T05:00:00Z", true},
		{"2019-03-31T05:00:00Z", "2019-03-31T21:00:00Z", false},
		{"2019-10-26T21:00:00Z", "2019-10-27T06:00:00Z", true},
		{"2019-10-27T21:00:00Z", "2019-10-27T22:00:00Z", false},
	} {
		at, err := time.Parse(time.RFC3339, test.at)
		require.NoError(t, err)
		open, change := sources[0].Hours.At(at)
		require.Equal(t, test.open, open, test.at)
		require.Equal(t, test.change, change.Format(time.RFC3339), test.at)
	}
}

func TestLeasesWithoutAZoneAreInUTC(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(sourceWith("hours: {windows: [22:00-06:00]}\n"))
	require.NoError(t, err)
	sources, _ := cfg.Leases(start)
	require.Equal(t, lease.Zone{Name: "UTC", Offsets: []lease.Offset{offset(t, "2018-01-01T00:00:00Z", 0)}}, sources[0].Hours.Zone)
}

// TestLeaseDefaultsAreTheTables: a key that nobody set means the same here and to a table that is told nothing.
func TestLeaseDefaultsAreTheTables(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(minimal)
	require.NoError(t, err)
	sources, settings := cfg.Leases(start)
	configured := configure(t, settings, sources)
	told := configure(t, lease.Settings{}, []lease.SourceConfig{{Source: "shop", Ceiling: 1, Linger: sources[0].Linger}})
	require.Equal(t, told, configured)
}

func configure(t require.TestingT, settings lease.Settings, sources []lease.SourceConfig) *lease.Table {
	table, err := lease.New(settings)
	require.NoError(t, err)
	require.NoError(t, table.Configure(start, sources))
	return table
}

// TestLeasesOfValidConfigs: a table takes whatever Validate lets through, also after its way through JSON.
func TestLeasesOfValidConfigs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		require.NoError(t, cfg.Validate())
		sources, settings := cfg.Leases(start)
		require.Len(t, sources, len(cfg.Sources))
		configure(t, settings, sources)

		text, err := json.Marshal(sources)
		require.NoError(t, err)
		var again []lease.SourceConfig
		require.NoError(t, json.Unmarshal(text, &again))
		require.Equal(t, sources, again)
	})
}

// TestLeasesOfInvalidHours: what Validate refuses does not become a source that is always open.
func TestLeasesOfInvalidHours(t *testing.T) {
	t.Parallel()
	for name, hours := range map[string]collection.Hours{
		"zone":   {Zone: "Nowhere", Windows: []string{"22:00-06:00"}},
		"window": {Zone: "UTC", Windows: []string{"22:00-06:00", "22-6"}},
	} {
		cfg, err := loadText(minimal)
		require.NoError(t, err)
		cfg.Sources[0].Hours = hours
		require.Error(t, cfg.Validate(), name)
		sources, settings := cfg.Leases(start)
		table, err := lease.New(settings)
		require.NoError(t, err)
		require.EqualError(t, table.Configure(start, sources),
			`source "shop": hours: no windows: give one such as "22:00-06:00", or leave the hours out`, name)
	}
}
