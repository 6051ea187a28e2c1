package failure

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	dayNames = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
	months   = []string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}
)

// parseHTTPDate reads the three forms of a date in HTTP (RFC 9110, section 5.6.7) and nothing near them: the standard
// library's layouts also take one-digit hours, other zones and fractions. now resolves years of two digits. The day's
// name must be one, but need not be that day's.
func parseHTTPDate(s string, now time.Time) (time.Time, bool) {
	name, rest, found := strings.Cut(s, " ")
	if !found {
		return time.Time{}, false
	}
	day, comma := strings.CutSuffix(name, ",")
	switch {
	case comma && slices.Contains(dayNames, day):
		return parseRFC850(rest, now)
	case comma && isShortDay(day):
		return parseIMF(rest)
	case isShortDay(day):
		return parseAsctime(rest)
	}
	return time.Time{}, false
}

func isShortDay(s string) bool {
	return len(s) == 3 && slices.ContainsFunc(dayNames, func(day string) bool { return day[:3] == s })
}

// parseIMF reads "06 Nov 1994 08:49:37 GMT".
func parseIMF(s string) (time.Time, bool) {
	if len(s) != len("06 Nov 1994 08:49:37 GMT") || s[2] != ' ' || s[6] != ' ' || s[11] != ' ' || s[20:] != " GMT" {
		return time.Time{}, false
	}
	return date(s[7:11], s[3:6], s[:2], s[12:20])
}

// parseRFC850 reads "06-Nov-94 08:49:37 GMT".
func parseRFC850(s string, now time.Time) (time.Time, bool) {
	if len(s) != len("06-Nov-94 08:49:37 GMT") || s[2] != '-' || s[6] != '-' || s[9] != ' ' || s[18:] != " GMT" {
		return time.Time{}, false
	}
	short, ok := number(s[7:9])
	if !ok {
		return time.Time{}, false
	}
	now = now.UTC()
	year := now.Year() - now.Year()%100 + short
	at, ok := date(fourDigits(year), s[3:6], s[:2], s[10:18])
	// A date that seems more than 50 years ahead means the century before.
	if !ok || at.After(now.AddDate(50, 0, 0)) {
		at, ok = date(fourDigits(year-100), s[3:6], s[:2], s[10:18])
	}
	return at, ok
}

// parseAsctime reads "Nov  6 08:49:37 1994".
func parseAsctime(s string) (time.Time, bool) {
	if len(s) != len("Nov  6 08:49:37 1994") || s[3] != ' ' || s[6] != ' ' || s[15] != ' ' {
		return time.Time{}, false
	}
	day := s[4:6]
	if day[0] == ' ' {
		day = "0" + day[1:]
	}
	return date(s[16:], s[:3], day, s[7:15])
}

// date puts a date together, refusing days that their month does not have.
func date(year, month, day, clock string) (time.Time, bool) {
	if len(clock) != 8 || clock[2] != ':' || clock[5] != ':' {
		return time.Time{}, false
	}
	m := slices.Index(months, month)
	y, okYear := number(year)
	d, okDay := number(day)
	hour, okHour := number(clock[:2])
	minute, okMinute := number(clock[3:5])
	second, okSecond := number(clock[6:])
	// The 60th second is a leap second, which the grammar allows.
	if m < 0 || !okYear || !okDay || !okHour || !okMinute || !okSecond || hour > 23 || minute > 59 || second > 60 {
		return time.Time{}, false
	}
	at := time.Date(y, time.Month(m+1), d, hour, minute, second, 0, time.UTC)
	if d < 1 || time.Date(y, time.Month(m+1), d, 0, 0, 0, 0, time.UTC).Day() != d {
		return time.Time{}, false
	}
	return at, true
}

func number(s string) (int, bool) {
	if !digits(s) {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

func fourDigits(year int) string {
	s := strconv.Itoa(max(year, 0))
	return strings.Repeat("0", max(4-len(s), 0)) + s
}
