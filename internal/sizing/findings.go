package sizing

import "math"

// Findings are the raw results of a study: everything that a report is worded from.
type Findings struct {
	Params Params
	// Formula is the fleet that Erlang's formula asks for, and Smooth what a simulation of smooth arrivals shows of it.
	Formula int
	Smooth  Point
	// Points are the table, fleets ascending.
	Points []Point
	// Recommended and Strict are fleets of the table, or 0; see the functions of the same names.
	Recommended, Strict int
	// Arrivals are all replications together.
	Arrivals Arrivals
	// Curves are distributions of waits, to be drawn.
	Curves []Curve
	// Sizes, Tails and Paces are the same load under other assumptions, played with VariantSeeds replications. Where those are
	// all of them the fleets are found by the rule of Recommended; else they are about right.
	Sizes, Tails, Paces []Variant
	VariantSeeds        int
	// EventSeeds is how many replications Elastic and Shared are played with. They take the smallest fleet that kept the promise
	// over these together.
	EventSeeds int
	// Elastic is nil where the parameters have none.
	Elastic *Sized
	// Shared is nil where the parameters have neither ceilings nor customers.
	Shared *Sized
	// Replay is nil without a recorded history, and NotReplayed is true where there is one that the parameters change (see
	// History.Replayable).
	Replay      *ReplayFindings
	NotReplayed bool
}

// Sized is a fleet of the event simulation: the recommended size, and the size that it takes.
type Sized struct {
	// Recommended is the recommended fleet under these conditions.
	Recommended Shared
	// Smallest keeps the promise under them; its Workers are 0 where no fleet searched does.
	Smallest Shared
}

// ReplayFindings are what the recorded arrivals themselves did to a fleet.
type ReplayFindings struct {
	// Jobs, Batches and Days are the size of what was replayed: the recording, or its newest part where it is very large. Older is
	// how many batches came before that.
	Jobs, Batches, Older int
	Days                 float64
	Recommended          Replayed
	// Smallest kept the promise over the recording; its Workers are 0 where none does.
	Smallest Replayed
}

// Curve is a distribution of waits: the share of jobs that start within so many minutes.
type Curve struct {
	Workers int `json:"workers"`
	// Smooth tells jobs that arrive one by one from batches.
	Smooth bool    `json:"smooth"`
	Dots   []Share `json:"dots"`
}

// Share is one point of a Curve.
type Share struct {
	Minutes float64 `json:"minutes"`
	Share   float64 `json:"share"`
}

// Waits that a curve begins and ends with, in minutes, and how many dots each doubling has.
const (
	curveFrom    = 0.0625
	curveTo      = 16384
	curveDoubles = 8
)

// CurveOf samples a histogram at waits that grow by the same factor, until all jobs are in.
func CurveOf(workers int, smooth bool, h *Histogram) Curve {
	c := Curve{Workers: workers, Smooth: smooth}
	for i := 0; ; i++ {
		at := curveFrom * math.Pow(2, float64(i)/curveDoubles)
		share := h.Within(at)
		c.Dots = append(c.Dots, Share{Minutes: at, Share: share})
		if share >= 1 || at >= curveTo {
			return c
		}
	}
}

// BatchSeen is the mean size of a batch as its jobs see it: every batch counts once for each of its jobs.
func (a Arrivals) BatchSeen() float64 {
	jobs, squares := 0.0, 0.0
	for size, times := range a.BatchSizes {
		jobs += float64(size * times)
		squares += float64(size) * float64(size) * float64(times)
	}
	return squares / math.Max(1, jobs)
}

// Merge adds the arrivals of another replication.
func (a *Arrivals) Merge(other Arrivals) {
	if a.BatchSizes == nil {
		a.BatchSizes = map[int]int{}
	}
	a.Jobs += other.Jobs
	for size, n := range other.BatchSizes {
		a.BatchSizes[size] += n
	}
}
