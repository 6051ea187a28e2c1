package sizing

import (
	"fmt"
	"slices"
	"time"
)

// History is what really arrived: recorded submissions, and how long jobs took.
type History struct {
	// Batches are in order of arrival.
	Batches []Recorded
	// Services are measured service times, in any order; none are needed if the parameters name a shape.
	Services []ServiceTime
	// Until is the end of the recording; the zero time means the last arrival.
	Until time.Time
}

// Recorded is one batch: the jobs that one customer handed in at one moment.
type Recorded struct {
	At   time.Time
	Jobs int
}

// What a history needs before a fleet may be sized from it. A promise of 95 % is about the large batches, and those are
// few: from fifty batches on, two or three of them are among the largest twentieth.
const (
	needBatches  = 50
	needJobs     = 500
	needServices = 100
	needSpan     = 7 * 24 * time.Hour
)

// Sort puts batches into order of arrival.
func (h *History) Sort() {
	slices.SortStableFunc(h.Batches, func(a, b Recorded) int { return a.At.Compare(b.At) })
}

// Jobs is the number of jobs recorded.
func (h *History) Jobs() int {
	n := 0
	for _, b := range h.Batches {
		n += b.Jobs
	}
	return n
}

// Span is how long the recording lasted.
func (h *History) Span() time.Duration {
	if len(h.Batches) == 0 {
		return 0
	}
	last := h.Batches[len(h.Batches)-1].At
	if h.Until.After(last) {
		last = h.Until
	}
	return last.Sub(h.Batches[0].At)
}

// Check reports, as Problems, what the history is missing to size a fleet from, or nil.
func (h *History) Check() error {
	var problems Problems
	few := func(what string, has, need int) {
		if has < need {
			problems.add("history", nil, "it has %d %s and needs %d: record for longer", has, what, need)
		}
	}
	few("submissions", len(h.Batches), needBatches)
	few("jobs", h.Jobs(), needJobs)
	if h.Span() < needSpan {
		problems.add("history", nil, "it covers %.1f days and needs %.0f, since weekdays differ: record for longer",
			h.Span().Hours()/24, needSpan.Hours()/24)
	}
	if h.Span() > maxSimulatedHours*time.Hour {
		problems.add("history", nil, "it covers %.0f days, and arrivals of %d years ago say little: leave the old ones out",
			h.Span().Hours()/24, maxSimulatedHours/24/365)
	}
	if len(h.Services) > 0 {
		few("service times", h.timed(), needServices)
	}
	for i, b := range h.Batches {
		if b.Jobs < 1 || b.Jobs > maxBatch {
			problems.add(fmt.Sprintf("submission %d", i+1), b.Jobs, "a submission has 1 to %d jobs", int(maxBatch))
			break
		}
	}
	return problems.orNil()
}

// Params are the parameters with the load, the batch sizes and the service times of the history in place of assumed ones, and a
// warm-up that is long enough for those times.
// The fleet sizes stay those of p: leave them to the study unless somebody has chosen them. The error is Problems.
func (h *History) Params(p Params) (Params, error) {
	if err := h.Check(); err != nil {
		return p, err
	}
	p = h.shape(p)
	return p, p.Check()
}

// AffordableParams are Params with no more runs and months than a study has time for: a fleet that has records by the
// million needs fewer of them to know its answer.
func (h *History) AffordableParams(p Params) (Params, error) {
	if err := h.Check(); err != nil {
		return p, err
	}
	p = h.shape(p).Affordable()
	return p, p.Check()
}

func (h *History) shape(p Params) Params {
	sizes := make([]int, len(h.Batches))
	for i, b := range h.Batches {
		sizes[i] = b.Jobs
	}
	p.JobsPerHour = float64(h.Jobs()) / h.Span().Hours()
	p.Batches = Batches{Shape: Empirical, Sizes: sizes, Max: p.Batches.Max, PaceMinutes: p.Batches.PaceMinutes}
	if len(h.Services) > 0 {
		// Whoever chose a warm-up did not know how long jobs take.
		p.Service = h.service()
		p = p.warmedUp()
	}
	return p
}

// Assumes is what a fleet that is sized for the recording with these parameters takes for granted: what was recorded, with the
// service times of the parameters, and batches cut where they say so.
func (h *History) Assumes(p Params) Burst {
	b := h.Burst(p.Service.Mean())
	if !h.Replayable(p) {
		cut := p.Burst()
		b.BatchMean, b.BatchSeen, b.BatchVariation = cut.BatchMean, cut.BatchSeen, cut.BatchVariation
	}
	return b
}
