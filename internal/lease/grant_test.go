package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestGrantTellsTheCeiling that is configured or that an operator has set, whatever else restricts the source.
func TestGrantTellsTheCeiling(t *testing.T) {
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 4})
	sequence := int64(0)
	told := func() *int {
		sequence++
		grants := table.Renew(noon, Request{Worker: "a", Sequence: sequence, Sources: []Want{{Source: "s"}, {Source: "x"}}}).Grants
		require.Nil(t, grants[1].Ceiling, "nobody knows the source")
		return grants[0].Ceiling
	}
	require.Equal(t, 4, *told())
	require.NoError(t, table.Pause(noon, "s", Note{}))
	require.Equal(t, 4, *told())
	require.NoError(t, table.SetCeiling(noon, "s", 0, time.Time{}, Note{}))
	require.Zero(t, *told())
}
