package lease

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func zoneOf(t tester, name string) (Zone, *time.Location) {
	t.Helper()
	location, err := time.LoadLocation(name)
	require.NoError(t, err)
	return ZoneOf(location, time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)), location
}

// TestHoursOverClockChanges is C7 92, and its neighbours: opened and closed are all changes within the span.
func TestHoursOverClockChanges(t *testing.T) {
	cases := []struct {
		name, zone, window, from, until string
		opened, closed                  []string
	}{
		{"leapt over: once, at the change", "America/New_York", "02:30-03:30", "2025-03-09T00:00:00Z", "2025-03-10T00:00:00Z",
			[]string{"2025-03-09T07:00:00Z"}, []string{"2025-03-09T07:30:00Z"}},
		{"wholly leapt over: once, with its length", "America/New_York", "02:10-02:40", "2025-03-09T00:00:00Z", "2025-03-10T00:00:00Z",
			[]string{"2025-03-09T07:00:00Z"}, []string{"2025-03-09T07:30:00Z"}},
		{"ends where it leaps: at the change", "America/New_York", "01:00-02:30", "2025-03-09T00:00:00Z", "2025-03-10T00:00:00Z",
			[]string{"2025-03-09T06:00:00Z"}, []string{"2025-03-09T07:00:00Z"}},
		{"passed twice: once, the first time", "America/New_York", "01:30-01:45", "2025-11-02T00:00:00Z", "2025-11-03T00:00:00Z",
			[]string{"2025-11-02T05:30:00Z"}, []string{"2025-11-02T05:45:00Z"}},
		{"begins in what is passed twice", "America/New_York", "01:30-02:30", "2025-11-02T00:00:00Z", "2025-11-03T00:00:00Z",
			[]string{"2025-11-02T05:30:00Z"}, []string{"2025-11-02T07:30:00Z"}},
		{"covers the clocks going back: one stretch", "Europe/London", "22:00-06:00", "2025-10-25T12:00:00Z", "2025-10-26T12:00:00Z",
			[]string{"2025-10-25T21:00:00Z"}, []string{"2025-10-26T06:00:00Z"}},
		{"covers the clocks going forward: one stretch", "Europe/London", "22:00-06:00", "2025-03-29T12:00:00Z", "2025-03-30T12:00:00Z",
			[]string{"2025-03-29T22:00:00Z"}, []string{"2025-03-30T05:00:00Z"}},
		{"days are those on which it opens", "Europe/London", "Fri 22:00-06:00", "2025-06-01T00:00:00Z", "2025-06-15T00:00:00Z",
			[]string{"2025-06-06T21:00:00Z", "2025-06-13T21:00:00Z"}, []string{"2025-06-07T05:00:00Z", "2025-06-14T05:00:00Z"}},
		{"windows that meet are one", "Asia/Kolkata", "Mon-Sun 20:00-24:00", "2025-06-02T00:00:00Z", "2025-06-03T00:00:00Z",
			[]string{"2025-06-02T14:30:00Z"}, []string{"2025-06-02T18:30:00Z"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			w, err := ParseWindow(c.window)
			require.NoError(t, err)
			zone, _ := zoneOf(t, c.zone)
			h := Hours{Zone: zone, Windows: []Window{w}}
			at, end := moment(t, c.from), moment(t, c.until)
			var opened, closed []string
			for was, change := h.At(at); change.Before(end); {
				require.True(t, change.After(at), "the change is ahead")
				before, _ := h.At(change.Add(-time.Nanosecond))
				require.Equal(t, was, before, "nothing changes before")
				var open bool
				at = change
				if open, change = h.At(at); open {
					opened = append(opened, at.Format(time.RFC3339))
				} else {
					closed = append(closed, at.Format(time.RFC3339))
				}
				require.NotEqual(t, was, open)
				was = open
			}
			require.Equal(t, c.opened, opened)
			require.Equal(t, c.closed, closed)
		})
	}
}

// TestLondonNight has interval work go on through the hour that is passed twice.
func TestLondonNight(t *testing.T) {
	w, err := ParseWindow("22:00-06:00")
	require.NoError(t, err)
	zone, _ := zoneOf(t, "Europe/London")
	h := Hours{Zone: zone, Windows: []Window{w}}
	for at := moment(t, "2025-10-26T00:00:00Z"); at.Before(moment(t, "2025-10-26T02:00:00Z")); at = at.Add(15 * time.Second) {
		open, _ := h.At(at)
		require.True(t, open, at)
	}
}

func TestHoursThatNeverClose(t *testing.T) {
	w, err := ParseWindow("00:00-24:00")
	require.NoError(t, err)
	open, change := Hours{Zone: Zone{Offsets: []Offset{{}}}, Windows: []Window{w}}.At(noon)
	require.True(t, open)
	require.True(t, change.IsZero())
}

// TestZoneAgreesWithTime holds Zone against Go's own: what the clocks show, and back.
func TestZoneAgreesWithTime(t *testing.T) {
	names := []string{"Europe/London", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Africa/Casablanca", "UTC"}
	zones, locations := map[string]Zone{}, map[string]*time.Location{}
	for _, name := range names {
		zones[name], locations[name] = zoneOf(t, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "zone")
		at := time.Unix(rapid.Int64Range(1_704_067_200, 1_798_761_599).Draw(t, "at"), 0).UTC()
		zone, local := zones[name], at.In(locations[name])
		wall := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), 0, time.UTC)
		require.Equal(t, wall, zone.wall(at))
		back := zone.moment(wall)
		require.False(t, back.After(at), "the first moment at which the clocks show it")
		require.Equal(t, wall, zone.wall(back))
	})
}

func TestParseWindow(t *testing.T) {
	for text, want := range map[string]string{
		"22:00-06:00":             "22:00-06:00",
		"mon-fri 9:00-17:30":      "Mon,Tue,Wed,Thu,Fri 09:00-17:30",
		"Fri-Mon 00:00-24:00":     "Sun,Mon,Fri,Sat 00:00-24:00",
		"Wed,Sun 22:00-00:00":     "Sun,Wed 22:00-24:00",
		"Sun-Sat 06:00-06:00":     "06:00-06:00",
		" Tue   01:05-01:06 ":     "Tue 01:05-01:06",
		"":                        "",
		"22:00":                   "",
		"22-06":                   "",
		"24:00-06:00":             "",
		"22:60-06:00":             "",
		"22:0-06:00":              "",
		"25:00-06:00":             "",
		"-1:00-06:00":             "",
		"Mon Tue 22:00-06:00":     "",
		"Mon- 22:00-06:00":        "",
		"onm 22:00-06:00":         "",
		"Mon,,Tue 22:00-06:00":    "",
		"22:00-06:00 Europe/Rome": "",
	} {
		w, err := ParseWindow(text)
		if want == "" {
			require.Error(t, err, text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want, w.String())
		again, err := ParseWindow(want)
		require.NoError(t, err)
		require.Equal(t, w, again)
		b, err := json.Marshal(w)
		require.NoError(t, err)
		var read Window
		require.NoError(t, json.Unmarshal(b, &read))
		require.Equal(t, w, read)
	}
	var w Window
	require.Error(t, json.Unmarshal([]byte(`7`), &w))
	require.Error(t, json.Unmarshal([]byte(`"7"`), &w))
}

func FuzzParseWindow(f *testing.F) {
	f.Add("Mon-Fri 22:00-06:00")
	f.Add("00:00-24:00")
	f.Fuzz(func(t *testing.T, text string) {
		w, err := ParseWindow(text)
		if err != nil {
			return
		}
		again, err := ParseWindow(w.String())
		require.NoError(t, err, w.String())
		require.Equal(t, w, again)
	})
}

func moment(t tester, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	require.NoError(t, err)
	return at
}
