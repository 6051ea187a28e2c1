package robots

import (
	"math"
	"regexp"
	"strconv"
	"time"
)

// LongestDelay is the longest crawl-delay that is obeyed; one that is longer counts as this. RFC 9309 knows no crawl-delay, so
// that nothing says what a large one means. It is more often a slip, of a unit or a digit, than a wish, and one host's would
// stop every other host that is asked as one with it. Who does not want to be asked can say so: Disallow.
const LongestDelay = time.Hour

// maxDelay is where a crawl-delay saturates when it is read: far beyond what is obeyed, and far from overflowing.
const maxDelay = 365 * 24 * time.Hour

// delayValue is a number of seconds as people write it. There is no standard for it; exponents, signs and other units are
// more likely a mistake than a wish.
var delayValue = regexp.MustCompile(`^(?i)([0-9]+\.?[0-9]*|\.[0-9]+)\s*(?:s|secs?|seconds?)?$`)

// parseDelay reads the value of a Crawl-delay line; false for one that means nothing.
func parseDelay(value string) (time.Duration, bool) {
	found := delayValue.FindStringSubmatch(value)
	if found == nil {
		return 0, false
	}
	seconds, err := strconv.ParseFloat(found[1], 64)
	if err != nil || seconds > maxDelay.Seconds() {
		// Only a number too large for a float64 is an error here.
		return maxDelay, true
	}
	return time.Duration(math.Round(seconds * float64(time.Second))), true
}
