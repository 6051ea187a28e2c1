package probe

import (
	"fmt"
	"strconv"
)

// Advice is what a probe recommends.
type Advice struct {
	// Ceiling is the recommended ceiling; zero where the probe cannot recommend one.
	Ceiling int `json:"ceiling"`
	// AtLeast says that the knee was not reached: the source may take more than Ceiling.
	AtLeast bool `json:"at_least,omitempty"`
	// Cause is why the probe ended.
	Cause Cause `json:"cause"`
	// Why is one sentence for a person.
	Why string `json:"why"`
	// Pace is a pace to set as well, in requests per second: a source that throttles counts requests per time. Zero for none.
	Pace float64 `json:"pace,omitempty"`
}

// nearlyAll is the part of the best throughput that is good enough: the last tenth costs the source most.
const nearlyAll = 0.9

// Recommend says what follows from the steps of a probe that ended for a cause.
func Recommend(steps []Step, cause Cause) Advice {
	a := Advice{Cause: cause}
	healthy := steps
	if (cause == CauseThrottled || cause == CauseFailing) && len(steps) > 0 {
		healthy = steps[:len(steps)-1]
	}
	knee, found := kneeOf(healthy)
	if !found {
		a.Why = whyNone(steps, cause)
		if cause == CauseThrottled {
			a.Pace = tamer(steps[len(steps)-1].PerSecond)
		}
		return a
	}
	a.Ceiling = knee.Concurrency
	switch cause {
	case CauseTop, CausePermits, CauseClosed, CauseUnfilled:
		a.AtLeast = knee.Concurrency == lastFilled(steps, cause).Concurrency
	}
	if cause == CauseThrottled {
		a.Pace = tamer(knee.PerSecond)
	}
	a.Why = why(steps, knee, cause)
	return a
}

// lastFilled is the last step in which as many requests were in flight as were to be.
func lastFilled(steps []Step, cause Cause) Step {
	if cause == CauseUnfilled && len(steps) > 1 {
		return steps[len(steps)-2]
	}
	return steps[len(steps)-1]
}

// kneeOf is the first step that brought nearly all that any step did.
func kneeOf(steps []Step) (Step, bool) {
	best := 0.0
	for _, s := range steps {
		best = max(best, s.PerSecond)
	}
	for _, s := range steps {
		if best > 0 && s.PerSecond >= nearlyAll*best {
			return s, true
		}
	}
	return Step{}, false
}

// tamer is a pace a fifth below what was seen, to two digits; zero if nothing was.
func tamer(perSecond float64) float64 {
	const part = 0.8
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(part*perSecond, 'g', 2, 64), 64)
	if err != nil {
		return 0
	}
	return rounded
}

func whyNone(steps []Step, cause Cause) string {
	switch {
	case cause == CauseThrottled:
		return fmt.Sprintf("the source throttled the very first step, with %s in flight: set a pace, wait, and probe again",
			requests(steps[len(steps)-1].Concurrency))
	case cause == CauseFailing && len(steps) == 1 && steps[0].Requests == 0:
		return "no request got through to the source: see why above, mend it, and probe again"
	case cause == CauseFailing && len(steps) == 1:
		return fmt.Sprintf("with one request in flight only %s of %s were in order: mend the targets, or how they are asked, and probe again",
			whole(steps[0].OK), requests(steps[0].Requests))
	case cause == CauseClosed:
		return "the source was closed before anything could be measured: see weir sources"
	case cause == CausePermits:
		return "the fleet gave no permit, since its other workers hold them all: probe when the source is idle, or pause its submissions"
	}
	return "no request was in order, so there is nothing to recommend"
}

func why(steps []Step, knee Step, cause Cause) string {
	last := steps[len(steps)-1]
	switch cause {
	case CauseThrottled:
		return fmt.Sprintf("with %s in flight the source throttled, and with %d it did not", requests(last.Concurrency), knee.Concurrency)
	case CauseFailing:
		return fmt.Sprintf("with %s in flight %s of the requests were in order, and with %d it was %s",
			requests(last.Concurrency), Percent(last.Share()), knee.Concurrency, Percent(knee.Share()))
	case CauseSaturated:
		return fmt.Sprintf("%d in flight brought %s/s with a median of %s, and %d brought %s/s with %s: answers came slower, not more of them",
			knee.Concurrency, Number(knee.PerSecond), Seconds(knee.P50), last.Concurrency, Number(last.PerSecond), Seconds(last.P50))
	case CausePace:
		return fmt.Sprintf("the source's pace let only %.1f of %d be in flight, so the pace is what limits and %d in flight use it up",
			last.InFlight, last.Concurrency, knee.Concurrency)
	case CauseUnfilled:
		return fmt.Sprintf("only %.1f of %d were in flight, since the fleet or this machine gave no more; up to %d all was well",
			last.InFlight, last.Concurrency, knee.Concurrency)
	case CausePermits:
		return fmt.Sprintf("the fleet gave permits for no more than %d, so what lies beyond is not known", last.Concurrency)
	case CauseClosed:
		return fmt.Sprintf("the source was closed after %d in flight, so what lies beyond is not known; see weir sources", last.Concurrency)
	}
	if knee.Concurrency == last.Concurrency {
		return fmt.Sprintf("nothing deteriorated up to %d, the most that was tried, so the knee lies there or beyond", last.Concurrency)
	}
	return fmt.Sprintf("%d in flight brought nearly all that %d did, so more would only load the source", knee.Concurrency, last.Concurrency)
}

func requests(n int) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%d requests", n)
}

func whole(n int) string {
	if n == 0 {
		return "none"
	}
	return strconv.Itoa(n)
}

// Number is a number to three digits, as a person reads it.
func Number(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// Seconds is a time in the unit in which it is easily read.
func Seconds(s float64) string {
	if s < 1 {
		return Number(1000*s) + " ms"
	}
	return Number(s) + " s"
}

// Percent is a share from 0 to 1 as a person reads it. Only all is 100 %.
func Percent(share float64) string {
	const short = 99.9
	p := 100 * share
	if share < 1 {
		p = min(p, short)
	}
	return Number(p) + " %"
}
