package failure

import (
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func readCorpus(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile("../../../shared/corpora/http/" + name)
	if os.IsNotExist(err) {
		t.Skipf("the corpus %s is not beside this tree", name)
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into))
}

// Where we differ from a corpus, and why.
var (
	retryAfterDiffers = map[string]string{
		"Fri, 29 Sep 2023 16:26:27 GMT": "a date in the past is no hint at all, rather than a wait of nothing",
		"9223372036854775807":           "a Duration cannot hold it; it becomes the longest Duration",
	}
	dateDiffers = map[string]string{
		"Mon Jan  1 02:00:60 2024": "the grammar of RFC 9110 allows a leap second",
		"Sun Nov 10 08:00:00 1000": "four digits are a year; that it is long past shows when it is used",
	}
)

func TestCorpusRetryAfter(t *testing.T) {
	var rows []struct {
		Value string `json:"value"`
		Now   int64  `json:"now_unix"`
		Delay *int64 `json:"delay_s"`
	}
	readCorpus(t, "retry_after.json", &rows)
	differences := 0
	for _, row := range rows {
		d, ok := ParseRetryAfter(row.Value, time.Unix(row.Now, 0))
		agrees := ok == (row.Delay != nil) && (row.Delay == nil || d/time.Second == time.Duration(*row.Delay) && d%time.Second == 0)
		why, listed := retryAfterDiffers[row.Value]
		require.Equal(t, !listed, agrees, "%q gives %v, %v (%s)", row.Value, d, ok, why)
		if listed {
			differences++
		}
	}
	require.Len(t, retryAfterDiffers, differences)
	t.Logf("figure: %d of %d rows agree", len(rows)-differences, len(rows))
}

func TestCorpusDates(t *testing.T) {
	var rows []struct {
		Source string `json:"source"`
		Input  string `json:"input"`
		Unix   *int64 `json:"unix"`
	}
	readCorpus(t, "http_dates.json", &rows)
	now := time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)
	differences := 0
	for _, row := range rows {
		at, ok := parseHTTPDate(row.Input, now)
		agrees := ok == (row.Unix != nil) && (row.Unix == nil || at.Unix() == *row.Unix)
		why, listed := dateDiffers[row.Input]
		require.Equal(t, !listed, agrees, "%s: %q gives %v, %v (%s)", row.Source, row.Input, at, ok, why)
		if listed {
			differences++
		}
	}
	require.Len(t, dateDiffers, differences)
	t.Logf("figure: %d of %d rows agree", len(rows)-differences, len(rows))
}

func TestParseRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, value string
		want        time.Duration
		ok          bool
	}{
		{"seconds", "7", 7 * time.Second, true},
		{"zero", "0", 0, true},
		{"C3 35: negative", "-5", 0, false},
		{"C3 36: long past", "Wed, 21 Oct 2015 07:28:00 GMT", 0, false},
		{"now", "Sun, 29 Nov 2026 10:00:00 GMT", 0, true},
		{"IMF date", "Sun, 29 Nov 2026 10:02:00 GMT", 2 * time.Minute, true},
		{"RFC 850 date", "Sunday, 29-Nov-26 10:02:00 GMT", 2 * time.Minute, true},
		{"asctime date", "Sun Nov 29 10:02:00 2026", 2 * time.Minute, true},
		{"wrong day's name", "Mon, 29 Nov 2026 10:02:00 GMT", 2 * time.Minute, true},
		{"no such day", "Sun, 30 Feb 2027 10:02:00 GMT", 0, false},
		{"day zero", "Sun, 00 Feb 2027 10:02:00 GMT", 0, false},
		{"nothing", "", 0, false},
		{"a space", " ", 0, false},
		{"a fraction", "1.5", 0, false},
		{"other digits", "१२", 0, false},
		{"more than a Duration", "9223372037", math.MaxInt64, true},
		{"more than 64 bits", "99999999999999999999", 0, false},
		{"far future date", "Fri, 31 Dec 9999 23:59:59 GMT", math.MaxInt64, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, ok := ParseRetryAfter(tt.value, now)
			require.Equal(t, tt.ok, ok)
			require.Equal(t, tt.want, d)
		})
	}
}

// RFC 9110, section 5.6.7: a year of two digits is never more than 50 years ahead.
func TestTwoDigitYears(t *testing.T) {
	for _, tt := range []struct {
		now  int
		text string
		want int
	}{
		{2026, "Tuesday, 01-Jan-75 00:00:00 GMT", 2075},
		{2026, "Tuesday, 01-Jan-78 00:00:00 GMT", 1978},
		{2026, "Tuesday, 01-Jan-26 00:00:00 GMT", 2026},
		{1999, "Tuesday, 01-Jan-00 00:00:00 GMT", 1900},
	} {
		at, ok := parseHTTPDate(tt.text, time.Date(tt.now, 6, 1, 0, 0, 0, 0, time.UTC))
		require.True(t, ok)
		require.Equal(t, tt.want, at.Year(), tt.text)
	}
}

func FuzzParseRetryAfter(f *testing.F) {
	for _, seed := range []string{"7", "-5", "", "Sun, 29 Nov 2026 10:02:00 GMT", "Sunday, 29-Nov-26 10:02:00 GMT", "Sun Nov 29 10:02:00 2026", "99999999999999999999"} {
		f.Add(seed, int64(1795946400))
	}
	f.Fuzz(func(t *testing.T, value string, unix int64) {
		now := time.Unix(unix%(1<<36), 0)
		d, ok := ParseRetryAfter(value, now)
		if d < 0 || !ok && d != 0 {
			t.Fatalf("%q gives %v, %v", value, d, ok)
		}
		if at, valid := parseHTTPDate(value, now); valid && ok && d < math.MaxInt64 && !at.Equal(now.Add(d)) {
			t.Fatalf("%q is %v, but the wait ends at %v", value, at, now.Add(d))
		}
	})
}
