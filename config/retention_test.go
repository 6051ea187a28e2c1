package config

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

func TestRetentionDefaults(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(minimal)
	require.NoError(t, err)
	require.Equal(t, 168*time.Hour, cfg.Retention.Raw)
	require.Equal(t, 720*time.Hour, cfg.Retention.Uploads)
	require.Zero(t, cfg.Retention.Results, "a delivery is its customer's")
	ages := cfg.Retention.Ages()
	for _, class := range collection.ObjectClasses() {
		_, known := ages[class]
		require.True(t, known, "class %s has no key", class)
	}
	require.Empty(t, ages.Unsafe(cfg.LongestGiveUp(), 0), "the defaults do as lifecycle rules")
	require.Equal(t, 24*time.Hour, cfg.LongestGiveUp())
}

func TestRetentionIsChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"raw: 23h":                        "retention.raw = 23h",
		"raw: -1h":                        "retention.raw",
		"plans: 89h":                      "use at least retention.ledger, 2160h",
		"ledger: 0s":                      "retention.plans = 2400h",
		"results: 48h":                    "the manifest tells how a submission ended",
		"uploads: 30d":                    "write a duration with its unit",
		"row: 30h":                        "retention.row",
		"ledger: 2400h\n  plans: 2399h":   "retention.plans",
		"ledger: 999999h\n  plans: 9999h": "retention.ledger",
	} {
		_, err := loadText(minimal + "\nretention:\n  " + text + "\n")
		require.ErrorContains(t, err, want, text)
	}
	for _, text := range []string{"raw: 0s", "plans: 0s", "ledger: 0s\n  plans: 0s", "results: 2160h", "ledger: 24h"} {
		_, err := loadText(minimal + "\nretention:\n  " + text + "\n")
		require.NoError(t, err, text)
	}
}
