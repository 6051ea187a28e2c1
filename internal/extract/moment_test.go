package extract

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMoments(t *testing.T) {
	t.Parallel()
	london, err := time.LoadLocation("Europe/London")
	require.NoError(t, err)
	for _, c := range []struct {
		kind   fieldType
		layout string
		zone   *time.Location
		text   string
		want   string
	}{
		{typeDate, "", time.UTC, "2024-02-29", "2024-02-29"},
		{typeDate, "", time.UTC, " 2024-03-01T23:30:00-08:00 ", "2024-03-01"},
		{typeDate, "2 January 2006", time.UTC, "9 March 2025", "2025-03-09"},
		{typeDate, "02.01.2006", time.UTC, "09.03.2025", "2025-03-09"},
		{typeDatetime, "", time.UTC, "2024-03-01T23:30:00-08:00", "2024-03-01T23:30:00-08:00"},
		{typeDatetime, "", time.UTC, "2024-03-01T23:30:00.250Z", "2024-03-01T23:30:00.25Z"},
		{typeDatetime, "", time.UTC, "2024-03-01T23:30", "2024-03-01T23:30:00Z"},
		{typeDatetime, "", time.UTC, "2024-03-01T23:30:00+0530", "2024-03-01T23:30:00+05:30"},
		{typeDatetime, "", london, "2024-07-01 12:00:00", "2024-07-01T12:00:00+01:00"},
		{typeDatetime, "", london, "2024-01-01 12:00", "2024-01-01T12:00:00Z"},
		{typeDatetime, "", london, "2024-07-01", "2024-07-01T00:00:00+01:00"},
		{typeDatetime, "", london, "2024-07-01T12:00:00Z", "2024-07-01T12:00:00Z"},
		{typeDatetime, "2 Jan 2006 15:04 MST", london, "1 Jul 2024 12:00 BST", "2024-07-01T12:00:00+01:00"},
		{typeDatetime, time.RFC1123, time.UTC, "Fri, 01 Mar 2024 12:00:00 GMT", "2024-03-01T12:00:00Z"},
		{typeDatetime, "2006-01-02 15:04 MST", time.UTC, "2024-01-02 10:00 GMT+2", "2024-01-02T10:00:00+02:00"},
		{typeDatetime, "2006-01-02 15:04 MST", london, "2024-07-02 10:00 GMT-5", "2024-07-02T10:00:00-05:00"},
		{typeDatetime, "2006-01-02 15:04 MST", london, "2024-07-02 10:00 GMT+0", "2024-07-02T10:00:00Z"},
		{typeDate, "2006-01-02 15:04 MST", time.UTC, "2024-01-02 01:00 GMT+5", "2024-01-02"},
	} {
		f := &field{kind: c.kind, zone: c.zone}
		if c.layout != "" {
			f.layouts = []string{"2006/01/02", c.layout}
		}
		got, err := parseMoment(c.text, f)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, got, c.text)
	}
}

func TestMomentsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "tomorrow", "2024-02-30", "2024-13-01", "01/02/2024", "2024-03-01T25:00"} {
		_, err := parseMoment(text, &field{kind: typeDate, zone: time.UTC})
		require.ErrorContains(t, err, "is not a date", text)
	}
	_, err := parseMoment("Fri, 01 Mar 2024 12:00:00 PST", &field{kind: typeDatetime, zone: time.UTC, layouts: []string{time.RFC1123}})
	require.ErrorContains(t, err, `names the zone "PST"`, "an offset that nobody knows must not become zero")
}

func TestMomentKeepsTheInstant(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		offset := rapid.IntRange(-14*60, 14*60).Draw(t, "offset")
		at := time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "seconds"), 0).In(time.FixedZone("", offset*60))
		got, err := parseMoment(at.Format(time.RFC3339), &field{kind: typeDatetime, zone: time.UTC})
		if err != nil || got != at.Format(time.RFC3339) {
			t.Fatalf("%v gives %v, %v", at, got, err)
		}
	})
}
