package promise

import (
	"math"
	"time"
)

// Percentile is the wait that the share of n records did not exceed, by nearest rank. waits are those of the records that
// started, ascending; the others wait for ever. It is not ok where the share reaches among those, and for no records.
func Percentile(waits []time.Duration, n int, share float64) (wait time.Duration, ok bool) {
	if at := rank(n, share); n > 0 && at <= len(waits) {
		return waits[at-1], true
	}
	return 0, false
}

// rank is how many of n records make up the share, at least one.
func rank(n int, share float64) int {
	// 0.95 of 20 is 19, not the 20 that the last bit of a product would make of it.
	return max(int(math.Ceil(share*float64(n)-1e-9)), 1)
}

func seconds(waits []time.Duration, n int, share float64) *float64 {
	wait, ok := Percentile(waits, n, share)
	if !ok {
		return nil
	}
	s := wait.Seconds()
	return &s
}
