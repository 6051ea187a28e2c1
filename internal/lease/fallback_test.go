package lease

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fallenBack is a source whose first method has failed.
func fallenBack(t *testing.T, seen Report) *Table {
	t.Helper()
	table := newTable(t, methods("page", "api", "mirror"))
	table.Renew(noon, Request{Worker: "a", Sequence: 1, Sources: []Want{{Source: "s", Waiting: 1}}})
	table.Renew(noon, Request{Worker: "a", Sequence: 2, Sources: []Want{{Source: "s", Waiting: 1, Seen: seen}}})
	require.Equal(t, "api", table.View(noon)[0].Method)
	return table
}

func methods(names ...string) SourceConfig {
	return SourceConfig{Source: "s", Ceiling: 4, Methods: names, FallbackAfter: 1}
}

// TestFallbackFindsItsMethodAgain in whatever order the methods are configured later.
func TestFallbackFindsItsMethodAgain(t *testing.T) {
	for name, test := range map[string]struct {
		order []string
		now   string
		until time.Time
	}{
		"the same order":   {[]string{"page", "api", "mirror"}, "api", noon.Add(fallbackTime)},
		"a later place":    {[]string{"page", "mirror", "api"}, "api", noon.Add(fallbackTime)},
		"another first":    {[]string{"mirror", "page", "api"}, "api", noon.Add(fallbackTime)},
		"it is the first":  {[]string{"api", "page", "mirror"}, "api", time.Time{}},
		"it is gone":       {[]string{"page", "mirror"}, "page", time.Time{}},
		"the first is new": {[]string{"feed", "mirror"}, "feed", time.Time{}},
		"none is left":     {nil, "", time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			table := roundTrip(t, fallenBack(t, Report{Requests: 6, TargetFaults: 6}))
			require.NoError(t, table.Configure(noon, []SourceConfig{methods(test.order...)}))
			v := table.View(noon)[0]
			require.Equal(t, test.now, v.Method)
			require.Equal(t, test.until, v.MethodUntil)
			require.Equal(t, test.order, v.Methods)
		})
	}
}

// TestFallbackWaitsAsAsked: where the source fails and asks to be left alone at once, the next method is tried when that is
// over, whether the wait is longer or shorter than that of a failing source.
func TestFallbackWaitsAsAsked(t *testing.T) {
	for _, wait := range []Millis{5_000, 3_600_000} {
		table := fallenBack(t, Report{Requests: 6, TargetFaults: 5, Throttled: 1, LongestRetryAfter: wait})
		v := table.View(noon)[0]
		require.Equal(t, WhyThrottled, v.Why)
		require.Equal(t, noon.Add(wait.Std()), v.OpensAt)
		want := []Want{{Source: "s", Waiting: 1}}
		require.Zero(t, table.Renew(v.OpensAt.Add(-time.Millisecond), Request{Worker: "b", Sequence: 1, Sources: want}).Grants[0].Permits)
		grant := table.Renew(v.OpensAt.Add(time.Minute), Request{Worker: "b", Sequence: 2, Sources: want}).Grants[0]
		require.Equal(t, 1, grant.Permits, "the probe")
	}
}
