package collection

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestBeforeLife(t *testing.T) {
	accepted := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		accepted, at time.Time
		want         bool
	}{
		"a life before":                         {accepted, accepted.AddDate(0, 0, -91), true},
		"just too long before":                  {accepted, accepted.Add(-clocksApart - time.Nanosecond), true},
		"by a clock that is behind":             {accepted, accepted.Add(-clocksApart), false},
		"when it was accepted":                  {accepted, accepted, false},
		"since":                                 {accepted, accepted.Add(time.Second), false},
		"before, told in another zone":          {accepted, accepted.Add(-time.Hour).In(time.FixedZone("there", 3*3600)), true},
		"nobody knows when it was accepted":     {time.Time{}, accepted.AddDate(-200, 0, 0), false},
		"nobody knows of either when that was":  {time.Time{}, time.Time{}, false},
		"nobody knows when, which is no moment": {accepted, time.Time{}, true},
	} {
		require.Equal(t, c.want, BeforeLife(c.accepted, c.at), name)
		require.Equal(t, c.want, LedgerRow{AsOf: &c.at}.IsBefore(c.accepted), name)
	}
	require.False(t, LedgerRow{}.IsBefore(accepted), "a row of an earlier version")
}

// TestRowsOfLife: what is left are the rows of one life, in their order, and the rows that were given stay as they are.
func TestRowsOfLife(t *testing.T) {
	accepted := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		rows := make([]LedgerRow, rapid.IntRange(0, 6).Draw(t, "rows"))
		var want []int
		for i := range rows {
			rows[i].Line = i + 1
			old := false
			if rapid.Bool().Draw(t, "dated") {
				minutes := rapid.IntRange(-10, 10).Draw(t, "minutes")
				at := accepted.Add(time.Duration(minutes) * time.Minute)
				rows[i].AsOf, old = &at, minutes < -5
			}
			if !old {
				want = append(want, i+1)
			}
		}
		var got []int
		for _, row := range RowsOfLife(accepted, rows) {
			got = append(got, row.Line)
		}
		require.Equal(t, want, got)
		for i, row := range rows {
			require.Equal(t, i+1, row.Line)
		}
		require.Equal(t, rows, RowsOfLife(time.Time{}, rows), "whoever knows no time of acceptance takes them all")
	})
}
