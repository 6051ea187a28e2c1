package probe

import "math"

// Cause is why a probe ended: a stable code.
type Cause string

// The causes. The first three are found by Judge in the steps, and are the knee.
const (
	// CauseThrottled: the source refused a request for its rate.
	CauseThrottled Cause = "throttled"
	// CauseFailing: fewer requests were in order than before.
	CauseFailing Cause = "failing"
	// CauseSaturated: answers came slower, and no more of them.
	CauseSaturated Cause = "saturated"
	// CausePace: the source's pace let no more requests be in flight.
	CausePace Cause = "pace"
	// CauseUnfilled: fewer requests were in flight than were to be, and it was not for the pace.
	CauseUnfilled Cause = "unfilled"
	// CausePermits: the fleet gave no more permits.
	CausePermits Cause = "permits"
	// CauseClosed: the source was closed meanwhile, for instance by its breaker or an operator.
	CauseClosed Cause = "closed"
	// CauseTop: everything that was to be tried has been.
	CauseTop Cause = "top"
)

const (
	// leastDrop is the least drop of the share of requests in order that counts, and sure how many standard errors it must
	// be: a drop by chance is taken for one in about one of twenty steps of a source that fails now and then anyway.
	leastDrop = 0.05
	sure      = 1.64
	// leastShare is the share below which a source is failing, whatever it was before.
	leastShare = 0.5
	// wideEnough is the least ratio of two steps' concurrency at which their throughput is compared: of 10 and 11 requests
	// in flight, the difference is noise.
	wideEnough = 1.5
	// leastGain is the least part of the throughput that more requests in flight would bring at the same response time, and
	// leastSlower the part of the ratio by which answers must have become slower besides.
	leastGain   = 0.25
	leastSlower = 0.3
	// leastFilled is the part of the requests that must have been in flight for a step to count.
	leastFilled = 0.7
	// paceUsed is the part of the pace from which on it counts as used up.
	paceUsed = 0.7
)

// Judge says whether the last of the steps shows that more requests in flight make no sense; the empty cause goes on.
// pace is the source's pace in requests per second, zero for none.
func Judge(steps []Step, pace float64) Cause {
	if len(steps) == 0 {
		return ""
	}
	last, before := steps[len(steps)-1], steps[:len(steps)-1]
	switch {
	case last.Throttled > 0:
		return CauseThrottled
	case last.Share() < leastShare, dropped(before, last):
		return CauseFailing
	case last.Concurrency > 1 && last.InFlight < leastFilled*float64(last.Concurrency):
		if pace > 0 && float64(last.Requests) >= paceUsed*pace*last.Seconds {
			return CausePace
		}
		return CauseUnfilled
	case saturated(before, last):
		return CauseSaturated
	}
	return ""
}

// dropped says whether a smaller share was in order than in the steps before, by more than chance explains.
func dropped(before []Step, last Step) bool {
	ok, all := 0, 0
	for _, s := range before {
		ok, all = ok+s.OK, all+s.Requests
	}
	if all == 0 || last.Requests == 0 {
		return false
	}
	drop := float64(ok)/float64(all) - last.Share()
	if drop < leastDrop {
		return false
	}
	pooled := float64(ok+last.OK) / float64(all+last.Requests)
	spread := math.Sqrt(pooled * (1 - pooled) * (1/float64(all) + 1/float64(last.Requests)))
	return drop > sure*spread
}

// saturated compares with the closest earlier step that is far enough below.
func saturated(before []Step, last Step) bool {
	for i := len(before) - 1; i >= 0; i-- {
		ratio := float64(last.Concurrency) / float64(before[i].Concurrency)
		if ratio < wideEnough {
			continue
		}
		if before[i].PerSecond == 0 || before[i].P50 == 0 {
			return false
		}
		gain := (last.PerSecond/before[i].PerSecond - 1) / (ratio - 1)
		slower := last.P50/before[i].P50 - 1
		return gain < leastGain && slower > leastSlower*(ratio-1)
	}
	return false
}
