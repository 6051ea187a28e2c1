package screen

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestDuration(t *testing.T) {
	t.Parallel()
	for text, d := range map[string]time.Duration{
		"0 s":         0,
		"under 0.1 s": 3 * time.Millisecond,
		"0.4 s":       400 * time.Millisecond,
		"2 s":         2 * time.Second,
		"9.9 s":       9940 * time.Millisecond,
		"10 s":        9950 * time.Millisecond,
		"42 s":        42 * time.Second,
		"1 min":       59500 * time.Millisecond,
		"3 min 5 s":   3*time.Minute + 5*time.Second,
		"59 min 59 s": time.Hour - time.Second,
		"1 h":         time.Hour - time.Millisecond,
		"2 h 10 min":  2*time.Hour + 10*time.Minute,
		"1 d":         24*time.Hour - time.Second,
		"4 d 3 h":     99 * time.Hour,
		"7 d":         168 * time.Hour,
		"-2 s":        -2 * time.Second,
	} {
		require.Equal(t, text, Duration(d))
	}
}

func TestCountsAndShares(t *testing.T) {
	t.Parallel()
	for text, n := range map[string]int{"0": 0, "12": 12, "999": 999, "1,000": 1000, "200,000": 200_000, "-1,234,567": -1_234_567} {
		require.Equal(t, text, Count(n))
	}
	require.Equal(t, "1 row", Plural(1, "row"))
	require.Equal(t, "0 rows", Plural(0, "row"))
	require.Equal(t, "1,200 rows", Plural(1200, "row"))
	require.Equal(t, "0 %", Percent(0, 0))
	require.Equal(t, "99 %", Percent(999, 1000), "not 100 while something is missing")
	require.Equal(t, "100 %", Percent(40, 40))
}

func TestSize(t *testing.T) {
	t.Parallel()
	for text, n := range map[string]int64{
		"0 B": 0, "1023 B": 1023, "1.0 KiB": 1024, "2.5 MiB": 5 << 19, "3.0 GiB": 3 << 30, "4096.0 TiB": 4 << 50,
	} {
		require.Equal(t, text, Size(n))
	}
}

func TestSince(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("", 3600))
	require.Equal(t, "2026-03-04 04:06:07 UTC (3 min ago)", Since(at, at.Add(3*time.Minute)))
	require.Equal(t, "2026-03-04 04:06:07 UTC (in 5 s)", Since(at, at.Add(-5*time.Second)))
	require.Equal(t, "2026-03-04 04:06:07 UTC (now)", Since(at, at))
}

func TestCleanShowsWhatSteers(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"plain – ordinary, 価格":   "plain – ordinary, 価格",
		"a\x1b[31mred":           `a\x1b[31mred`,
		"one\ntwo\tthree\r":      "one two three ",
		"abc\u202edef":           `abc\u202edef`,
		"bell\a, nul\x00":        `bell\a, nul\x00`,
		"broken \xff\xfe":        "broken \ufffd\ufffd",
		"c1 \u009b31m":           `c1 \u009b31m`,
		"a quote ' stays as \"'": "a quote ' stays as \"'",
	} {
		require.Equal(t, want, Clean(raw))
	}
}

func TestCleanIsSafe(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := Clean(string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")))
		require.True(t, utf8.ValidString(text))
		require.True(t, strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0, "%q", text)
		require.Equal(t, text, Clean(text))
	})
}

func TestClip(t *testing.T) {
	t.Parallel()
	require.Equal(t, "abcdef", Clip("abcdef", 6))
	require.Equal(t, "abcd…", Clip("abcdef", 5))
	require.Equal(t, "abcdef", Clip("abcdef", 0), "zero cuts nothing")
	require.Equal(t, "価…", Clip("価格表", 4), "a wide character needs two columns")
	require.Equal(t, 6, Columns("価格表"))
	require.Equal(t, 1, Columns("e\u0301"), "an accent of its own needs none")
	require.Equal(t, "http:…le/17.html", ClipMiddle("http://www.bookshop.example/17.html", 16))
	require.Equal(t, "abc", ClipMiddle("abc", 3))
	require.Equal(t, "…", ClipMiddle("abc", 1))
	rapid.Check(t, func(t *rapid.T) {
		text, columns := rapid.String().Draw(t, "text"), rapid.IntRange(1, 20).Draw(t, "columns")
		require.LessOrEqual(t, Columns(Clip(text, columns)), columns)
		require.LessOrEqual(t, Columns(ClipMiddle(text, columns)), columns)
	})
}
