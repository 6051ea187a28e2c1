package screen

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Plural is a number of things: "1 row", "2 rows", "0 rows", "1,200 rows".
func Plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Count(n) + " " + thing + "s"
}

// Count is a whole number with its thousands apart.
func Count(n int) string {
	digits := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// Percent is a share in whole per cent; it is 100 only for the whole.
func Percent(part, whole int) string {
	if whole <= 0 {
		return "0 %"
	}
	return fmt.Sprintf("%d %%", min(part*100/whole, 100))
}

// Duration is a time span as one says it, in at most two units: "0.4 s", "42 s", "3 min 5 s", "2 h 10 min", "4 d 3 h".
func Duration(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + Duration(-d)
	case d == 0:
		return "0 s"
	case d < 100*time.Millisecond:
		return "under 0.1 s"
	case d < 9950*time.Millisecond:
		return strings.Replace(fmt.Sprintf("%.1f s", d.Seconds()), ".0 s", " s", 1)
	case d < 59500*time.Millisecond:
		return fmt.Sprintf("%d s", d.Round(time.Second)/time.Second)
	case d < time.Hour-500*time.Millisecond:
		return two(d.Round(time.Second), time.Minute, "min", time.Second, "s")
	case d < 24*time.Hour-30*time.Second:
		return two(d.Round(time.Minute), time.Hour, "h", time.Minute, "min")
	}
	return two(d.Round(time.Hour), 24*time.Hour, "d", time.Hour, "h")
}

func two(d, big time.Duration, bigName string, small time.Duration, smallName string) string {
	text := fmt.Sprintf("%d %s", d/big, bigName)
	if rest := d % big / small; rest > 0 {
		text += fmt.Sprintf(" %d %s", rest, smallName)
	}
	return text
}

// Time is a moment, in UTC and to the second.
func Time(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// Since is a moment and how far it is from now: "… (3 min ago)", "… (in 5 s)".
func Since(t, now time.Time) string {
	distance := now.Sub(t)
	switch {
	case distance >= time.Second:
		return fmt.Sprintf("%s (%s ago)", Time(t), Duration(distance))
	case distance <= -time.Second:
		return fmt.Sprintf("%s (in %s)", Time(t), Duration(-distance))
	}
	return Time(t) + " (now)"
}

// Size is a number of bytes.
func Size(n int64) string {
	const step = 1024
	if n < step {
		return fmt.Sprintf("%d B", n)
	}
	value, units := float64(n)/step, []string{"KiB", "MiB", "GiB", "TiB"}
	for i, unit := range units {
		if value < step || i == len(units)-1 {
			return fmt.Sprintf("%.1f %s", value, unit)
		}
		value /= step
	}
	return ""
}

// Clean makes a text of strangers safe to show on one line: whatever is not printable is written as an escape.
func Clean(text string) string {
	if strings.IndexFunc(text, unprintable) < 0 && !strings.ContainsRune(text, unicode.ReplacementChar) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case unprintable(r):
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unprintable says whether a terminal may do anything else with a rune than show it. Format characters are among them: they
// turn the direction of what stands around them.
func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// Columns is how many columns of a terminal a text takes.
func Columns(text string) int {
	n := 0
	for _, r := range text {
		n += columnsOf(r)
	}
	return n
}

func columnsOf(r rune) int {
	if unicode.Is(unicode.Mn, r) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Clip cuts a text to a number of columns, with an ellipsis for what is gone; zero means that nothing is cut.
func Clip(text string, columns int) string {
	if columns <= 0 || Columns(text) <= columns {
		return text
	}
	room := columns - 1
	for i, r := range text {
		if room -= columnsOf(r); room < 0 {
			return text[:i] + "…"
		}
	}
	return text
}

// ClipMiddle cuts a text to a number of columns and keeps both its ends, more of the second, where addresses differ. There must
// be room for at least one column.
func ClipMiddle(text string, columns int) string {
	if Columns(text) <= columns {
		return text
	}
	head := columns / 3
	tail, from := columns-1-head, len(text)
	for from > 0 {
		r, size := utf8.DecodeLastRuneInString(text[:from])
		if tail -= columnsOf(r); tail < 0 {
			break
		}
		from -= size
	}
	if head == 0 {
		return "…"
	}
	return strings.TrimSuffix(Clip(text, head+1), "…") + "…" + text[from:]
}
