package sizing

import "slices"

// Point is one fleet size, over all replications.
type Point struct {
	Workers int `json:"workers"`
	// Steady is false for a fleet that never catches up; nothing below Dollars is known of it then.
	Steady bool `json:"steady"`
	// Dollars a month.
	Dollars float64 `json:"dollars"`
	// SmoothWait is Erlang's answer for the same load arriving one by one: the wait in minutes that the promised share
	// does not exceed.
	SmoothWait float64 `json:"smooth_wait_minutes"`
	// Median and Wait are waits in minutes: of half the jobs, and of the promised share.
	Median Interval `json:"median_minutes"`
	Wait   Interval `json:"wait_minutes"`
	// MeanWait is the mean wait in minutes.
	MeanWait Interval `json:"mean_wait_minutes"`
	// Within is the share of jobs that start in time. Its interval is never narrower than so many batches can show.
	Within Interval `json:"within"`
	// LatePerMonth is the mean number of jobs a month that start late.
	LatePerMonth float64 `json:"late_per_month"`
	// Utilisation is for the cost review, never a measure of service.
	Utilisation Interval `json:"utilisation"`
	// KeptRuns is how many replications kept the promise over all of their months together.
	KeptRuns int `json:"kept_runs"`
	// StrictRuns is how many replications kept it in every single month.
	StrictRuns int `json:"strict_runs"`
	// BestMonth and WorstMonth are the extreme months of the promised share's wait, in minutes.
	BestMonth  float64 `json:"best_month_minutes"`
	WorstMonth float64 `json:"worst_month_minutes"`
}

// Pool adds up what the replications showed of one fleet. The order in which they are added changes nothing.
type Pool struct {
	params  Params
	workers int
	waits   *Histogram
	runs    []run
}

// run is what is kept of one replication beside its histogram.
type run struct {
	sample       Sample
	median, wait float64
}

// NewPool is an empty pool for a fleet.
func NewPool(p Params, workers int) *Pool {
	return &Pool{params: p, workers: workers, waits: NewHistogram(), runs: make([]run, p.Seeds)}
}

// Add books a replication. Its histogram is added up, not kept.
func (p *Pool) Add(replication int, s Sample) {
	p.waits.Merge(s.Waits)
	r := run{sample: s, median: s.Waits.Quantile(0.5), wait: s.Waits.Quantile(p.params.Promise.Share)}
	r.sample.Waits = nil
	p.runs[replication] = r
}

// Waits are the waits of all replications.
func (p *Pool) Waits() *Histogram { return p.waits }

// keeps tells whether so many of the jobs are the promised share. It counts, so that no rounding decides.
func (p Promise) keeps(within, jobs int64) bool { return float64(within) >= p.Share*float64(jobs) }

// Unsteady is the point of a fleet that never catches up.
func Unsteady(p Params, workers int) Point {
	return Point{Workers: workers, Dollars: p.Dollars(workers)}
}

// Point sums up. Every replication must have been added.
func (p *Pool) Point() Point {
	share := p.params.Promise.Share
	out := Point{
		Workers: p.workers, Steady: true, Dollars: p.params.Dollars(p.workers),
		SmoothWait: p.params.Smooth().Wait(p.workers, share),
	}
	var medians, waits, means, withins, uses []float64
	var jobs, within int64
	waited, months := 0.0, 0
	for _, r := range p.runs {
		s := r.sample
		jobs, within, months = jobs+s.Jobs, within+s.Within, months+len(s.Months)
		waited += s.WaitMinutes
		medians, waits = append(medians, r.median), append(waits, r.wait)
		means, withins = append(means, ratio(s.WaitMinutes, s.Jobs)), append(withins, ratio(float64(s.Within), s.Jobs))
		uses = append(uses, utilisation(s, p.params, p.workers))
		out.countKept(s, p.params.Promise)
	}
	out.Median = around(p.waits.Quantile(0.5), medians)
	out.Wait = around(p.waits.Quantile(share), waits)
	out.MeanWait = around(ratio(waited, jobs), means)
	out.Within = p.params.humble(around(ratio(float64(within), jobs), withins), jobs)
	out.Utilisation = around(meanOf(uses), uses)
	out.LatePerMonth = ratio(float64(jobs-within), int64(months))
	out.BestMonth, out.WorstMonth = p.months()
	return out
}

// utilisation is the utilisation of one replication.
func utilisation(s Sample, p Params, workers int) float64 {
	return s.BusyMinutes / (float64(workers) * float64(p.Months) * p.HoursPerMonth * 60)
}

func ratio(part float64, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return part / float64(whole)
}

func (p *Point) countKept(s Sample, promise Promise) {
	if promise.keeps(s.Within, s.Jobs) {
		p.KeptRuns++
	}
	if !slices.ContainsFunc(s.Months, func(m MonthSample) bool { return !promise.keeps(m.Within, m.Jobs) }) {
		p.StrictRuns++
	}
}

func (p *Pool) months() (best, worst float64) {
	var waits []float64
	for _, r := range p.runs {
		for _, m := range r.sample.Months {
			waits = append(waits, m.Wait)
		}
	}
	if len(waits) == 0 {
		return 0, 0
	}
	return slices.Min(waits), slices.Max(waits)
}

// KeptAll tells whether the fleet kept the promise over all replications together.
func (p *Pool) KeptAll() bool {
	var jobs, within int64
	for _, r := range p.runs {
		jobs, within = jobs+r.sample.Jobs, within+r.sample.Within
	}
	return p.params.Promise.keeps(within, jobs)
}
