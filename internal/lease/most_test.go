package lease

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMostCeiling: nobody can make the owner share out more permits than it can in one task, nor can a state from before.
func TestMostCeiling(t *testing.T) {
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 4})
	require.NoError(t, table.SetCeiling(noon, "s", MostCeiling, time.Time{}, Note{}))
	require.EqualError(t, table.SetCeiling(noon, "s", MostCeiling+1, time.Time{}, Note{}),
		"set-ceiling s: ceiling 10001: give between 0 and 10000 requests in flight")
	require.Equal(t, MostCeiling, table.View(noon)[0].Ceiling, "a refusal changes nothing")
	require.EqualError(t, table.Configure(noon, []SourceConfig{{Source: "s", Ceiling: MostCeiling + 1}}),
		`source "s": ceiling: give between 0 and 10000 requests in flight`)

	table.source("s").Ceiling, table.source("s").Config.Ceiling = nil, 1_000_000_000
	require.Equal(t, MostCeiling, table.View(noon)[0].Ceiling)
}

// TestMostCeilingIsSharedOutInOneTask: a workflow's task is broken off after a second, which is far more than this takes. A busy
// machine is given ten, and three tries.
func TestMostCeilingIsSharedOutInOneTask(t *testing.T) {
	var took []time.Duration
	for range 3 {
		table := newTable(t, SourceConfig{Source: "s", Ceiling: 4})
		require.NoError(t, table.SetCeiling(noon, "s", MostCeiling, time.Time{}, Note{}))
		table.source("s").Ceiling.Ceiling = 1_000_000_000
		began := time.Now()
		answer := table.Renew(noon, Request{Worker: "a", Sequence: 1, Sources: []Want{{Source: "s", Waiting: 1}}})
		took = append(took, time.Since(began))
		require.Equal(t, MostCeiling, answer.Grants[0].Permits)
	}
	require.Less(t, slices.Min(took), 10*time.Second, "%v", took)
}
