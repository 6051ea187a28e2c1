package extract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

func momentField(kind, zone string, layouts ...string) collection.Field {
	return collection.Field{Name: "v", JQ: ".", Type: kind, Zone: zone, Layouts: layouts}
}

// A layout that loses what it reads is refused before anything is read.
func TestLayoutsThatLoseTheTime(t *testing.T) {
	t.Parallel()
	for layout, why := range map[string]string{
		"02 Jan 2006 03:04":       "without AM or PM",
		"02 Jan 2006 3:04":        "without AM or PM",
		"02 Jan 2006 PM":          "without AM or PM",
		"02 Jan 2006 04":          "minutes without an hour",
		"2006-01-02 01:04":        "minutes without an hour",
		"2006-01-02 15:05":        "seconds without minutes",
		"02 Jan 2006 03:04 PM":    "",
		"02 Jan 2006 3:04pm":      "",
		"2006-01-02 15":           "",
		"2006-01-02 15:04:05 MST": "",
		"2006-01-02":              "",
		time.RFC1123Z:             "",
	} {
		_, err := Compile(collection.Parse{Type: "json", Fields: []collection.Field{momentField("datetime", "", layout)}}, nil)
		if why == "" {
			require.NoError(t, err, layout)
			continue
		}
		require.ErrorContains(t, err, why, layout)
		require.ErrorContains(t, err, "fields[0].layouts[0]", layout)
		_, err = Compile(collection.Parse{Type: "json", Fields: []collection.Field{momentField("date", "", layout)}}, nil)
		require.NoError(t, err, "the date of %s is certain", layout)
	}
}

// A text that two layouts read differently is no date, whichever stands first.
func TestLayoutsThatDisagree(t *testing.T) {
	t.Parallel()
	for _, layouts := range [][]string{{"01/02/2006", "02/01/2006"}, {"02/01/2006", "2006-01-02", "01/02/2006"}} {
		for _, kind := range []string{"date", "datetime"} {
			_, err := apply(t, "json", `"01/02/2006"`, momentField(kind, "", layouts...))
			detail := requireFailure(t, err, collection.ReasonParseInvalid).Detail
			require.Contains(t, detail, "2006-01-02")
			require.Contains(t, detail, "2006-02-01")
			require.Contains(t, detail, "layouts")
		}
		for text, want := range map[string]string{"13/01/2024": "2024-01-13", "01/13/2024": "2024-01-13", "03/03/2024": "2024-03-03"} {
			got, err := apply(t, "json", `"`+text+`"`, momentField("date", "", layouts...))
			require.NoError(t, err, text)
			require.Equal(t, want, got.Fields["v"], text)
		}
	}
}

// A time that the clocks of the zone never show, or show twice, is refused as a moment and kept as a date.
func TestTimesThatClocksSkipOrRepeat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, text, want, why, date string }{
		{"Europe/Berlin", "2024-03-31 02:30", "", "does not exist", "2024-03-31"},
		{"Europe/Berlin", "2024-03-31 01:59:59", "2024-03-31T01:59:59+01:00", "", "2024-03-31"},
		{"Europe/Berlin", "2024-03-31 03:00", "2024-03-31T03:00:00+02:00", "", "2024-03-31"},
		{"Europe/Berlin", "2024-10-27 02:30", "", "twice", "2024-10-27"},
		{"Europe/Berlin", "2024-10-27 01:59", "2024-10-27T01:59:00+02:00", "", "2024-10-27"},
		{"Europe/Berlin", "2024-10-27 03:00", "2024-10-27T03:00:00+01:00", "", "2024-10-27"},
		{"Europe/Berlin", "2024-10-27T02:30:00+01:00", "2024-10-27T02:30:00+01:00", "", "2024-10-27"},
		{"Europe/Berlin", "2024-03-31T02:30:00Z", "2024-03-31T02:30:00Z", "", "2024-03-31"},
		{"", "2024-03-31 02:30", "2024-03-31T02:30:00Z", "", "2024-03-31"},
		// Days without a midnight, with two, and a day that was left out.
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00-02:00", "", "2018-11-04"},
		{"America/Sao_Paulo", "2018-11-04 00:00", "", "does not exist", "2018-11-04"},
		{"America/Havana", "2024-11-03", "2024-11-03T00:00:00-04:00", "", "2024-11-03"},
		{"America/Havana", "2024-11-03 00:00", "", "twice", "2024-11-03"},
		{"Pacific/Apia", "2011-12-30", "", "does not exist", "2011-12-30"},
		{"Pacific/Apia", "2011-12-31", "2011-12-31T00:00:00+14:00", "", "2011-12-31"},
	} {
		got, err := apply(t, "json", `"`+c.text+`"`, momentField("datetime", c.zone))
		if c.why == "" {
			require.NoError(t, err, c.text)
			require.Equal(t, c.want, got.Fields["v"])
		} else {
			detail := requireFailure(t, err, collection.ReasonParseInvalid).Detail
			require.Contains(t, detail, c.why, c.text)
			require.Contains(t, detail, c.zone, c.text)
		}
		got, err = apply(t, "json", `"`+c.text+`"`, momentField("date", c.zone))
		require.NoError(t, err, c.text)
		require.Equal(t, c.date, got.Fields["v"], c.text)
	}
}

// A date is the one that the text names, also where the name of a zone moves its time.
func TestDateOfATextWithAZonesName(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"10 Jan 2024 00:30 CEST", "10 Jan 2024 00:30 PST", "10 Jan 2024 23:30 CET"} {
		got, err := apply(t, "json", `"`+text+`"`, momentField("date", "Europe/Berlin", "2 Jan 2006 15:04 MST"))
		require.NoError(t, err, text)
		require.Equal(t, "2024-01-10", got.Fields["v"], text)
	}
}

// However the clocks of a zone go, a local time is read as what those clocks show, or refused.
func TestLocalTimeIsWhatTheClocksShow(t *testing.T) {
	t.Parallel()
	zones := []string{"Europe/London", "America/New_York", "America/St_Johns", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Tehran", "Pacific/Apia"}
	rapid.Check(t, func(t *rapid.T) {
		zone, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		at := time.Unix(rapid.Int64Range(0, 2e9).Draw(t, "seconds"), 0).In(zone)
		text := at.Format("2006-01-02 15:04:05")
		again := 0
		for _, shift := range []time.Duration{-24 * time.Hour, -2 * time.Hour, -time.Hour, -30 * time.Minute, -20 * time.Minute, 20 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 24 * time.Hour} {
			if at.Add(shift).Format("2006-01-02 15:04:05") == text {
				again++
			}
		}
		got, err := parseMoment(text, &field{kind: typeDatetime, zone: zone})
		switch {
		case again > 0 && err == nil:
			t.Fatalf("%s comes twice in %v and gives %v", text, zone, got)
		case again == 0 && (err != nil || got != at.Format(time.RFC3339)):
			t.Fatalf("%v gives %v, %v", at, got, err)
		}
	})
}
