package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAbandoned(t *testing.T) {
	table := newTable(t, SourceConfig{Source: "s", Ceiling: 1})
	require.True(t, table.Abandoned(noon, "one"), "nobody is there")
	table.Has("a", "one")
	require.Empty(t, table.ConfigOf("a"), "nobody of that name has ever renewed")
	table.Renew(noon, Request{Worker: "a", Sequence: 1})
	require.False(t, table.Abandoned(noon, "one"), "it may have it")
	require.False(t, table.Abandoned(noon, "two"))
	table.Has("a", "one")
	require.Equal(t, "one", table.ConfigOf("a"))
	require.False(t, table.Abandoned(noon, "one"))
	require.True(t, table.Abandoned(noon, "two"))
	table.Renew(noon.Add(10*time.Second), Request{Worker: "b", Sequence: 1})
	table.Has("b", "two")
	require.False(t, roundTrip(t, table).Abandoned(noon.Add(10*time.Second), "one"))
	require.True(t, table.Abandoned(noon.Add(16500*time.Millisecond), "one"), "its lease has ended")
	require.False(t, table.Abandoned(noon.Add(16500*time.Millisecond), "two"))
	table.Release(noon.Add(17*time.Second), "b")
	require.True(t, table.Abandoned(noon.Add(17*time.Second), "two"))
}
