package screen

import "time"

// paceWindow is the time over which a rate is measured: long enough to be steady, short enough to follow.
const paceWindow = 15 * time.Second

// leastSpan is how long a pace must have been watched before it says anything about the future.
const leastSpan = 5 * time.Second

// Pace measures how fast a count grows.
type Pace struct{ samples []sample }

type sample struct {
	at    time.Time
	count int
}

// Add notes the count at a moment. Moments must not go back.
func (p *Pace) Add(at time.Time, count int) {
	p.samples = append(p.samples, sample{at, count})
	// The oldest sample kept is the last one before the window, so that the window is always covered.
	first := 0
	for first+1 < len(p.samples) && at.Sub(p.samples[first+1].at) >= paceWindow {
		first++
	}
	p.samples = p.samples[first:]
}

// PerSecond is the growth per second over the window; zero while there is nothing to compare.
func (p *Pace) PerSecond() float64 {
	span := p.span().Seconds()
	if span <= 0 {
		return 0
	}
	return float64(max(p.samples[len(p.samples)-1].count-p.samples[0].count, 0)) / span
}

// span is the time between the first sample and the last.
func (p *Pace) span() time.Duration {
	if len(p.samples) == 0 {
		return 0
	}
	return p.samples[len(p.samples)-1].at.Sub(p.samples[0].at)
}

// Left is the time that the rest will take at this pace; ok is false while that cannot be said.
func (p *Pace) Left(rest int) (left time.Duration, ok bool) {
	rate := p.PerSecond()
	if rate <= 0 || p.span() < leastSpan {
		return 0, rest <= 0
	}
	return time.Duration(float64(rest) / rate * float64(time.Second)), true
}
