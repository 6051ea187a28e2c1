package failure

import (
	"math"
	"time"
)

// slowestGrowth is the least factor from one bound of the wait to the next.
const slowestGrowth = 2.0

// Backoff is the wait after the n-th try (from 1): between half of a bound and the bound, by rnd in [0, 1).
//
// The bound starts at twice Min, so that no wait is below Min. From try to try it at least doubles, and faster where the
// attempts are few, so that it reaches Max before the last one. Three attempts or more are thereby spread over more than half
// of Max, and an outage shorter than that cannot use them up; plain doubling from a second would spend five attempts within 15 s.
func (p Policy) Backoff(n int, rnd float64) time.Duration {
	low, high := p.bounds()
	growth := slowestGrowth
	if waits := p.Attempts - 1; waits > 1 {
		growth = max(growth, math.Pow(high/low, 1/float64(waits-1)))
	}
	bound := min(high, low*math.Pow(growth, float64(max(n, 1)-1)))
	return fromSeconds(bound/2 + bound/2*clamp(rnd))
}

// soon is the shortest wait: Min, and a little for jitter.
func (p Policy) soon(rnd float64) time.Duration {
	low, _ := p.bounds()
	return fromSeconds(low/2 + low/4*clamp(rnd))
}

// least is the shortest wait that a source has.
func (p Policy) least() time.Duration {
	if p.Min <= 0 {
		return time.Second
	}
	return p.Min
}

// bounds are the first and the last bound of the wait, in seconds.
func (p Policy) bounds() (low, high float64) {
	low = 2 * p.least().Seconds()
	return low, max(low, p.Max.Seconds())
}

// spread is a random addition to a wait that the target asked for, since it told every record of the source the same
// moment and they should not all come back at once.
func (p Policy) spread(asked time.Duration, rnd float64) time.Duration {
	low, _ := p.bounds()
	return fromSeconds((low/2 + asked.Seconds()/10) * clamp(rnd))
}

func clamp(rnd float64) float64 { return min(max(rnd, 0), 1) }

// fromSeconds rounds up to the millisecond, so that a wait reads well in a history.
func fromSeconds(s float64) time.Duration {
	const longest = float64(math.MaxInt64) / 2 / float64(time.Millisecond)
	return time.Duration(math.Ceil(min(s*1000, longest))) * time.Millisecond
}
