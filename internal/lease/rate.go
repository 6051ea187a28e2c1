package lease

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Rate is how many requests may start per time: an integer number of requests per million seconds, so that shares add up
// exactly and come out the same on every machine. Its JSON is a number of requests per second.
type Rate int64

const (
	// OnePerSecond is one request per second.
	OnePerSecond Rate = 1_000_000
	// FastestRate is the fastest rate that a source can be given.
	FastestRate = 1_000_000 * OnePerSecond
	// Unlimited stands for "no pace": a worker that holds it need not count. Its JSON is 1000000000.
	Unlimited = 1_000 * FastestRate
)

// nanosPerUnit is the interval of the smallest rate, in nanoseconds.
const nanosPerUnit = int64(1_000_000 * time.Second)

// PerSecond is a rate of r requests per second, rounded down; at least the smallest rate if r is positive.
func PerSecond(r float64) Rate {
	if !(r > 0) {
		return 0
	}
	if r >= float64(Unlimited/OnePerSecond) {
		return Unlimited
	}
	return max(1, Rate(math.Floor(float64(r*float64(OnePerSecond))+1e-6)))
}

// Every is the fastest rate whose requests are never less than the interval apart; Unlimited if there is no interval.
func Every(interval time.Duration) Rate {
	if interval <= 0 {
		return Unlimited
	}
	return max(1, Rate(nanosPerUnit/int64(interval)))
}

// PerSecond is the rate in requests per second.
func (r Rate) PerSecond() float64 { return float64(r) / float64(OnePerSecond) }

// Interval is the time between two requests at an even pace, rounded up; the longest duration there is for no rate.
func (r Rate) Interval() time.Duration {
	if r <= 0 {
		return math.MaxInt64
	}
	return time.Duration((nanosPerUnit + int64(r) - 1) / int64(r))
}

// String is the rate as a person writes it: "5/s", "0.008333/s", "unlimited".
func (r Rate) String() string {
	if r >= Unlimited {
		return "unlimited"
	}
	return r.decimal() + "/s"
}

func (r Rate) decimal() string {
	whole, rest := int64(r/OnePerSecond), int64(r%OnePerSecond)
	if rest == 0 {
		return strconv.FormatInt(whole, 10)
	}
	digits := fmt.Sprintf("%06d", rest)
	for digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return strconv.FormatInt(whole, 10) + "." + digits
}

// MarshalJSON writes requests per second.
func (r Rate) MarshalJSON() ([]byte, error) {
	if r < 0 {
		return nil, fmt.Errorf("rate %d is negative: a rate is zero or more", int64(r))
	}
	return []byte(r.decimal()), nil
}

// UnmarshalJSON reads requests per second, to the nearest of what a Rate can express.
func (r *Rate) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil || !(v >= 0) || v > float64(Unlimited/OnePerSecond) {
		return fmt.Errorf("rate %s: write a number of requests per second between 0 and %d", b, Unlimited/OnePerSecond)
	}
	*r = Rate(math.Round(v * float64(OnePerSecond)))
	return nil
}

// Millis is a duration in whole milliseconds, as it travels in JSON; the names of such fields end in _ms.
type Millis int64

// longestMillis is the longest duration that time.Duration can hold.
const longestMillis = Millis(math.MaxInt64 / int64(time.Millisecond))

// Milliseconds is d rounded up to whole milliseconds, so that a wait is never cut short.
func Milliseconds(d time.Duration) Millis {
	m := Millis(d / time.Millisecond)
	if d%time.Millisecond > 0 {
		m++
	}
	return m
}

// Std is the duration as the standard library knows it, within what it can hold.
func (m Millis) Std() time.Duration {
	return time.Duration(min(max(m, -longestMillis), longestMillis)) * time.Millisecond
}
