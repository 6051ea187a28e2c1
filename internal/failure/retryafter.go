package failure

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseRetryAfter reads the value of a Retry-After header (RFC 9110, section 10.2.3): a number of seconds, or a date,
// which is measured from now. ok is false for anything else, a negative number and a date before now among it: such a
// value is no hint at all. More seconds than a Duration can hold become the longest Duration.
func ParseRetryAfter(value string, now time.Time) (d time.Duration, ok bool) {
	value = strings.Trim(value, " \t")
	if digits(value) {
		seconds, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			return 0, false
		}
		if seconds > int64(math.MaxInt64/time.Second) {
			return math.MaxInt64, true
		}
		return time.Duration(seconds) * time.Second, true
	}
	at, ok := parseHTTPDate(value, now)
	if !ok || at.Before(now) {
		return 0, false
	}
	return at.Sub(now), true
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
