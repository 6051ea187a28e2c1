package sizing

import "math"

// MaxWorkers is the largest fleet that the package is asked about.
const MaxWorkers = 10_000

// Smooth is a fleet under smooth arrivals: jobs come one by one and independently, service times are exponential, and
// every job waits in one line. It is the M/M/c queue that Erlang solved in 1917.
type Smooth struct {
	// Load is the offered load in erlangs: how many jobs are at work at once on average. 0 < Load.
	Load float64
	// MeanMinutes is the mean service time.
	MeanMinutes float64
}

// Waiting is the probability that a job finds every worker busy (Erlang C). With no more workers than Load it is 1: the
// line grows without end.
func (s Smooth) Waiting(workers int) float64 {
	return delayed(s.Load, workers, blocked(s.Load, workers))
}

// blocked is the Erlang B probability. The recursion adds and divides numbers between 0 and workers only, so neither
// powers nor factorials overflow, and errors shrink from step to step.
func blocked(load float64, workers int) float64 {
	b := 1.0
	for n := 1; n <= workers; n++ {
		b = load * b / (float64(n) + load*b)
	}
	return b
}

func delayed(load float64, workers int, b float64) float64 {
	utilisation := load / float64(workers)
	if utilisation >= 1 {
		return 1
	}
	return b / (1 - utilisation*(1-b))
}

// Within is the share of jobs that start at most the given minutes after they arrived; 0 where the fleet never catches up.
func (s Smooth) Within(workers int, minutes float64) float64 {
	spare := float64(workers) - s.Load
	if spare <= 0 {
		return 0
	}
	return 1 - s.Waiting(workers)*math.Exp(-spare*minutes/s.MeanMinutes)
}

// Wait is the wait in minutes that the given share of jobs does not exceed: 0 where so many start at once, +Inf where the
// fleet never catches up.
func (s Smooth) Wait(workers int, share float64) float64 {
	spare := float64(workers) - s.Load
	if spare <= 0 {
		return math.Inf(1)
	}
	return math.Max(0, math.Log(s.Waiting(workers)/(1-share))*s.MeanMinutes/spare)
}

// Smallest is the smallest fleet that keeps the promise under smooth arrivals, or 0 where not even MaxWorkers do.
func (s Smooth) Smallest(promise Promise) int {
	b := 1.0
	for n := 1; n <= MaxWorkers; n++ {
		b = s.Load * b / (float64(n) + s.Load*b)
		spare := float64(n) - s.Load
		if spare <= 0 {
			continue
		}
		late := delayed(s.Load, n, b) * math.Exp(-spare*promise.Minutes/s.MeanMinutes)
		if 1-late >= promise.Share {
			return n
		}
	}
	return 0
}
