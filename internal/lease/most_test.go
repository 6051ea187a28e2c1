package lease

import (
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

	want := []Want{{Source: "s", Waiting: 1}}
	renew := func(worker string) int {
		return table.Renew(noon, Request{Worker: worker, Sequence: 1, Sources: want}).Grants[0].Permits
	}
	table.source("s").Ceiling.Ceiling = 1_000_000_000
	began := time.Now()
	require.Equal(t, MostCeiling, renew("a"))
	require.Less(t, time.Since(began), time.Second, "a workflow's task is broken off after a second")
	table.source("s").Ceiling, table.source("s").Config.Ceiling = nil, 1_000_000_000
	require.Equal(t, MostCeiling, table.View(noon)[0].Ceiling)
}
