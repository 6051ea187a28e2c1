package probe

import (
	"slices"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/percentile"
)

// Sample is one request that has ended.
type Sample struct {
	// Reason is what it met, as failure.Classify says; empty for a success.
	Reason collection.Reason
	// Took is the time from the request's start to its end, waits for a permit left out.
	Took time.Duration
}

// Step is what was seen with one number of requests in flight.
type Step struct {
	// Concurrency is how many requests were to be in flight.
	Concurrency int `json:"concurrency"`
	// InFlight is how many were, on average: fewer where the pace or the fleet gave no more.
	InFlight float64 `json:"in_flight"`
	// Requests are those that ended and say something of the source: OK, Throttled and Failed.
	Requests int `json:"requests"`
	// OK are those that the source answered in order; that a target does not exist is an answer.
	OK int `json:"ok"`
	// Throttled are those that it refused for their rate; Failed are those that failed, or were refused, otherwise.
	Throttled int `json:"throttled"`
	Failed    int `json:"failed"`
	// Ours are those that never reached the source, or that we broke off.
	Ours int `json:"ours"`
	// Reasons counts what went wrong.
	Reasons map[collection.Reason]int `json:"reasons,omitempty"`
	// P50 and P95 are the median and the 95th percentile of the response times of OK requests, in seconds; zero without any.
	P50 float64 `json:"p50_seconds"`
	P95 float64 `json:"p95_seconds"`
	// Seconds is how long the step was measured, and PerSecond how many OK requests ended per second of it.
	Seconds   float64 `json:"seconds"`
	PerSecond float64 `json:"per_second"`
}

// Share is the part of the requests that were in order, from 0 to 1; zero without any.
func (s Step) Share() float64 {
	if s.Requests == 0 {
		return 0
	}
	return float64(s.OK) / float64(s.Requests)
}

// Measure sums a step up: the samples are the requests that ended within the time that it was measured.
func Measure(concurrency int, samples []Sample, within time.Duration) Step {
	s := Step{Concurrency: concurrency, Seconds: within.Seconds()}
	var busy time.Duration
	var times []float64
	for _, sample := range samples {
		busy += sample.Took
		if sample.Reason != "" {
			if s.Reasons == nil {
				s.Reasons = map[collection.Reason]int{}
			}
			s.Reasons[sample.Reason]++
		}
		switch KindOf(sample.Reason) {
		case OK:
			s.OK++
			times = append(times, sample.Took.Seconds())
		case Throttle:
			s.Throttled++
		case Failure:
			s.Failed++
		case Ours:
			s.Ours++
		}
	}
	s.Requests = s.OK + s.Throttled + s.Failed
	slices.Sort(times)
	s.P50, _ = percentile.Of(times, len(times), 0.5)
	s.P95, _ = percentile.Of(times, len(times), 0.95)
	if within > 0 {
		// Little's law: the mean number in flight is their time in flight per time.
		s.InFlight, s.PerSecond = busy.Seconds()/s.Seconds, float64(s.OK)/s.Seconds
	}
	return s
}

// Kind is what a request says of the source's strength.
type Kind int

// The kinds.
const (
	// OK is an answer in order.
	OK Kind = iota
	// Throttle is a refusal for the rate.
	Throttle
	// Failure is a fault of the source, or any other refusal.
	Failure
	// Ours says nothing of the source.
	Ours
)

// KindOf is the kind of what a request met.
func KindOf(reason collection.Reason) Kind {
	switch {
	case reason == "", reason == collection.ReasonGone:
		return OK
	case reason == collection.ReasonThrottled:
		return Throttle
	case failure.Lookup(reason).Fault == failure.FaultTarget:
		// Sources that are asked too hard also answer "forbidden", so what would be a fact of one record counts here.
		return Failure
	}
	return Ours
}

// Failing says whether what has been seen of a step so far is reason enough to break it off: one throttle is, so are three
// failures that are more than half of the requests, and ten that never reached the source and are more than half of all.
func Failing(samples []Sample) bool {
	const leastFailures, leastOurs = 3, 10
	count := map[Kind]int{}
	for _, s := range samples {
		count[KindOf(s.Reason)]++
	}
	return count[Throttle] > 0 ||
		count[Failure] >= leastFailures && count[Failure] > count[OK] ||
		count[Ours] >= leastOurs && 2*count[Ours] > len(samples)
}

// Ladder is the numbers of requests in flight to try, up to a largest: doubling, or one by one.
func Ladder(largest int, oneByOne bool) []int {
	var steps []int
	for c := 1; c < largest; {
		steps = append(steps, c)
		if oneByOne {
			c++
		} else {
			c *= 2
		}
	}
	if largest > 0 {
		steps = append(steps, largest)
	}
	return steps
}
