package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLimitProblems: what is wrong with how hard a source may be asked, and when.
func TestLimitProblems(t *testing.T) {
	t.Parallel()
	const zone = "write the name of a time zone, for instance Europe/London, or nothing for UTC"
	tests := map[string]struct {
		keys string
		want []string
	}{
		"pace": {
			"pace: fast\n    burst: 1.5\n",
			[]string{
				`sources[0].pace = "fast" (weir.yaml:6): write a number`,
				`sources[0].burst = "1.5" (weir.yaml:7): write a whole number`,
			},
		},
		"pace that is no number": {
			"pace: NaN\n",
			[]string{`sources[0].pace = NaN (weir.yaml:6): use 0 to 10000`},
		},
		"zone that does not exist": {
			"hours: {zone: Europe/Londn, windows: [22:00-06:00]}\n",
			[]string{`sources[0].hours.zone = "Europe/Londn" (weir.yaml:6): ` + zone},
		},
		"zone of the machine": {
			"hours: {zone: Local, windows: [22:00-06:00]}\n",
			[]string{`sources[0].hours.zone = "Local" (weir.yaml:6): ` + zone},
		},
		"zone that leads elsewhere": {
			"hours: {zone: ../../etc/passwd, windows: [22:00-06:00]}\n",
			[]string{`sources[0].hours.zone = "../../etc/passwd" (weir.yaml:6): ` + zone},
		},
		"zone without windows": {
			"hours:\n      zone: Europe/London\n",
			[]string{`sources[0].hours.windows (weir.yaml:6): zone is set, but there are no windows, so the source is always open: list some, or take zone away`},
		},
		"windows that cannot be read": {
			"hours:\n      zone: Europe/London\n      windows: 22:00-06:00\n",
			[]string{`sources[0].hours.windows (weir.yaml:8): write a list here, one item a line with a - before it, not a single value`},
		},
		"windows": {
			"hours:\n      windows:\n        - 22:00-06:00\n        - 22-6\n        - 25:00-26:00\n        - Mo-Fr 22:00-06:00\n        -\n        - \"\"\n",
			[]string{
				`sources[0].hours.windows[1] (weir.yaml:9): window "22-6": write it as "22:00-06:00" or "Mon-Fri 22:00-06:00"`,
				`sources[0].hours.windows[2] (weir.yaml:10): window "25:00-26:00": write it as "22:00-06:00" or "Mon-Fri 22:00-06:00"`,
				`sources[0].hours.windows[3] (weir.yaml:11): window "Mo-Fr 22:00-06:00": days "Mo-Fr": write them as "Mon", "Mon-Fri" or "Mon,Wed"`,
				`sources[0].hours.windows[4] (weir.yaml:12): this item is empty: write it, or take its - away`,
				`sources[0].hours.windows[5] (weir.yaml:13): window "": write it as "22:00-06:00" or "Mon-Fri 22:00-06:00"`,
			},
		},
		"breaker": {
			"breaker:\n      window: 61m\n      faults: 0\n      percent: 101\n      open: 0s\n      max_open: 25h\n",
			[]string{
				`sources[0].breaker.window = 1h1m (weir.yaml:7): use 1s to 1h`,
				`sources[0].breaker.faults = 0 (weir.yaml:8): use 1 to 10000`,
				`sources[0].breaker.percent = 101 (weir.yaml:9): use 1 to 100`,
				`sources[0].breaker.open = 0s (weir.yaml:10): use 1s to 1h`,
				`sources[0].breaker.max_open = 25h (weir.yaml:11): use 1s to 24h`,
			},
		},
		"breaker the wrong way round": {
			"breaker: {open: 20m}\n",
			[]string{`sources[0].breaker.max_open = 10m (weir.yaml:6): use at least breaker.open, 20m`},
		},
		"keys that are nearly right": {
			"paces: 5\n    breaker: {max-open: 1m}\n    hours: {window: [22:00-06:00], timezone: UTC}\n",
			[]string{
				`sources[0].paces (weir.yaml:6): there is no such key: did you mean pace?`,
				`sources[0].breaker.max-open (weir.yaml:7): there is no such key: did you mean max_open?`,
				`sources[0].hours.window (weir.yaml:8): there is no such key: did you mean windows?`,
				`sources[0].hours.timezone (weir.yaml:8): there is no such key: use one of zone, windows`,
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := loadText(sourceWith(test.keys))
			requireProblems(t, err, test.want...)
		})
	}
}

// TestLimitBounds: the bounds of keys within sections.
func TestLimitBounds(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{
		"breaker: {window: 1s, faults: 1, percent: 1, open: 1s, max_open: 1s}\n",
		"breaker: {window: 1h, faults: 10000, percent: 100, open: 1h, max_open: 24h}\n",
		"hours: {windows: []}\n",
		"hours: {windows: [Mon-Fri 22:00-06:00, 'Sat,Sun 00:00-24:00']}\n",
		"hours: {zone: Asia/Kathmandu, windows: [0:00-24:00]}\n",
		"pace: 0.0001\n",
	} {
		_, err := loadText(sourceWith(keys))
		require.NoError(t, err, keys)
	}
	for _, ttl := range []string{"3s", "5m"} {
		_, err := loadText("fleet: {lease_ttl: " + ttl + "}\n")
		require.NoError(t, err, ttl)
	}
	_, err := loadText("fleet: {lease_ttl: 301s}\n")
	requireProblems(t, err, `fleet.lease_ttl = 5m1s (weir.yaml:1): use 3s to 5m`)
}
