package sizing

import (
	"fmt"
	"slices"
	"time"
)

// History is what really arrived (K10): recorded submissions, and how long jobs took.
type History struct {
	// Batches are in order of arrival.
	Batches []Recorded
	// ServiceMinutes are measured service times, in any order; none are needed if the parameters name a shape.
	ServiceMinutes []float64
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
	if n := len(h.ServiceMinutes); n > 0 {
		few("service times", n, needServices)
	}
	for i, b := range h.Batches {
		if b.Jobs < 1 || b.Jobs > maxBatch {
			problems.add(fmt.Sprintf("submission %d", i+1), b.Jobs, "a submission has 1 to %d jobs", int(maxBatch))
			break
		}
	}
	return problems.orNil()
}

// Params are the parameters with the load, the batch sizes and the service times of the history in place of assumed ones.
// The fleet sizes are left to the study. The error is Problems.
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
	if len(h.ServiceMinutes) > 0 {
		p.Service = Service{Shape: Empirical, Values: h.ServiceMinutes}
	}
	p.Workers = Range{From: 1}
	return p
}

// Stretch is the recorded jobs in order of arrival, with service times drawn as the parameters say. It keeps what a drawn
// stream forgets: the hours of the day, the days of the week, and customers who come one after another.
func (h *History) Stretch(p Params) []Job {
	service := p.Service.draw(NewRandom(p.Seed, forServices))
	jobs := make([]Job, 0, h.Jobs())
	for i, b := range h.Batches {
		at := b.At.Sub(h.Batches[0].At).Microseconds()
		for range b.Jobs {
			jobs = append(jobs, Job{Arrival: at, Service: service(), Batch: int32(i)})
		}
	}
	return jobs
}

// Replayed is one fleet under the recorded arrivals.
type Replayed struct {
	Workers int `json:"workers"`
	// Wait is the wait in minutes that the promised share did not exceed.
	Wait float64 `json:"wait_minutes"`
	// Within is the share of jobs that started in time.
	Within float64 `json:"within"`
	// KeptMonths and Months count calendar months (UTC) of the recording: kept, and all.
	KeptMonths int  `json:"kept_months"`
	Months     int  `json:"months"`
	Kept       bool `json:"kept"`
}

// Replay plays recorded jobs, as Stretch gives them, through a fleet.
func (h *History) Replay(p Params, jobs []Job, workers int) Replayed {
	fleet, waits := NewFleet(workers), NewHistogram()
	limit := micros(p.Promise.Minutes)
	type month struct{ jobs, within int64 }
	months := map[int]*month{}
	var all month
	for _, job := range jobs {
		at := h.Batches[job.Batch].At.UTC()
		key := at.Year()*12 + int(at.Month())
		if months[key] == nil {
			months[key] = &month{}
		}
		wait := min(fleet.Start(job)-job.Arrival, never)
		waits.add(wait)
		all.jobs++
		months[key].jobs++
		if wait <= limit {
			all.within++
			months[key].within++
		}
	}
	out := Replayed{
		Workers: workers, Wait: waits.Quantile(p.Promise.Share), Within: ratio(float64(all.within), all.jobs),
		Months: len(months), Kept: p.Promise.keeps(all.within, all.jobs),
	}
	for _, m := range months {
		if p.Promise.keeps(m.within, m.jobs) {
			out.KeptMonths++
		}
	}
	return out
}

// SmallestReplayed is the smallest fleet that kept the promise over the whole recording, or 0 where none does.
func (h *History) SmallestReplayed(p Params) Replayed {
	jobs := h.Stretch(p)
	fleet := Smallest(1, MaxWorkers, func(workers int) bool { return h.Replay(p, jobs, workers).Kept })
	if fleet == 0 {
		return Replayed{}
	}
	return h.Replay(p, jobs, fleet)
}
