package failure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	c "github.com/weir-collect/weir/collection"
)

// answered is what is decided about a record's n-th answer of 429 in a row, from the header to the wait.
func answered(t *testing.T, retryAfter string, n int, rnd float64) Decision {
	t.Helper()
	o := Observation{Status: 429, RetryAfter: retryAfter}
	in := History{Reason: Classify(o), SameReason: n}
	require.Equal(t, c.ReasonThrottled, in.Reason)
	in.RetryAfter, _ = o.RetryAfterHint(time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC))
	d := Decide(standard, in, rnd)
	require.True(t, d.Retry, "%q", retryAfter)
	return d
}

// C3 35: a hint that makes no sense is as good as none: the record waits its own backoff, which grows.
func TestFieldCaseC3x35NonsenseLeavesOurBackoff(t *testing.T) {
	for _, value := range []string{"-5", "-0", "+7", "5s", "soon", "1e3", "NaN", "7, 8"} {
		for n := 1; n <= 4; n++ {
			for _, rnd := range []float64{0, 0.5, 0.999} {
				require.Equal(t, answered(t, "", n, rnd), answered(t, value, n, rnd), "%q, answer %d", value, n)
			}
		}
		require.GreaterOrEqual(t, answered(t, value, 1, 0).After, standard.Min)
		require.Greater(t, answered(t, value, 3, 0).After, answered(t, value, 1, 0.999).After)
	}
}

// C3 36, contested. The choice: a hint only ever lengthens the wait. "Retry-After: 0" and a date that has passed leave our
// own jittered wait as it is, so no target can make weir ask without a pause.
func TestFieldCaseC3x36ZeroAndPastNeverHurryUs(t *testing.T) {
	for _, value := range []string{
		"0", "000", "Wed, 21 Oct 2015 07:28:00 GMT", "Wednesday, 21-Oct-15 07:28:00 GMT", "Sun, 29 Nov 2026 09:59:59 GMT", "Sun, 29 Nov 2026 10:00:00 GMT",
	} {
		waits := map[time.Duration]bool{}
		for _, rnd := range []float64{0, 0.25, 0.5, 0.75, 0.999} {
			d := answered(t, value, 1, rnd)
			require.Equal(t, answered(t, "", 1, rnd), d, value)
			require.GreaterOrEqual(t, d.After, standard.Min, value)
			waits[d.After] = true
		}
		require.Len(t, waits, 5, "jittered")
	}
}
