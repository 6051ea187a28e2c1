package lease

import "time"

// Pacer is the token bucket of one worker at one source: it spaces the starts of requests by the worker's share of the
// pace. It holds one request at most. It is not safe for use by several goroutines at a time.
type Pacer struct {
	rate   Rate
	tokens float64
	at     time.Time // the time of tokens
	last   time.Time // the last start
}

// Set puts a share into force. A worker that had none before starts with what the owner says is in the bucket; one that
// goes on with another share keeps what it has gathered.
func (p *Pacer) Set(now time.Time, pace Pace) {
	switch {
	case pace.Rate == p.rate:
		return
	case p.rate == 0:
		p.tokens = min(float64(pace.Fill)/fullBucket, p.sinceLast(now, pace.Rate))
	case p.rate >= Unlimited:
		p.tokens = p.sinceLast(now, pace.Rate) // nothing was counted
	default:
		p.tokens = p.level(now)
	}
	p.rate, p.at = pace.Rate, now
}

// Next is the earliest moment at which a request may start, and false if none may with the present share.
func (p *Pacer) Next(now time.Time) (time.Time, bool) {
	switch {
	case p.rate <= 0:
		return time.Time{}, false
	case p.rate >= Unlimited:
		return now, true
	}
	missing := 1 - p.level(now)
	if missing <= 0 {
		return now, true
	}
	// A nanosecond more, so that rounding does not wake the caller too early.
	return now.Add(time.Duration(missing*float64(nanosPerUnit)/float64(p.rate)) + 1), true
}

// Start takes a request out of the bucket; false if it must wait until Next.
func (p *Pacer) Start(now time.Time) bool {
	if at, ok := p.Next(now); !ok || at.After(now) {
		return false
	}
	if p.rate < Unlimited {
		p.tokens, p.at = p.level(now)-1, now
	}
	p.last = now
	return true
}

// level is what is in the bucket.
func (p *Pacer) level(now time.Time) float64 {
	return min(1, p.tokens+gathered(p.rate, now.Sub(p.at)))
}

// sinceLast is what would have gathered since the last start.
func (p *Pacer) sinceLast(now time.Time, rate Rate) float64 {
	if p.last.IsZero() {
		return 1
	}
	return gathered(rate, now.Sub(p.last))
}

func gathered(rate Rate, passed time.Duration) float64 {
	return min(1, float64(rate)/float64(nanosPerUnit)*float64(max(0, passed)))
}
