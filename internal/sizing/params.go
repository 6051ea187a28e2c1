package sizing

import "math"

// Params are what a fleet is sized for. The zero value is not valid; begin with Default.
type Params struct {
	// JobsPerHour is the mean number of jobs that arrive in an hour.
	JobsPerHour float64 `json:"jobs_per_hour"`
	// Service is how long a job occupies a worker.
	Service Service `json:"service"`
	// Batches is how many jobs arrive at once.
	Batches Batches `json:"batches"`
	// Promise is what the contract says.
	Promise Promise `json:"promise"`
	// WorkerMonthDollars is what one worker costs for a month.
	WorkerMonthDollars float64 `json:"worker_month_dollars"`
	// Months is how many months one replication covers.
	Months int `json:"months"`
	// HoursPerMonth is the length of a simulated month.
	HoursPerMonth float64 `json:"hours_per_month"`
	// WarmUpHours are simulated before the first month and not counted: a fleet does not begin its months empty. Long service
	// times need more of them than the default; see ReadParamsOver and History.Params.
	WarmUpHours float64 `json:"warm_up_hours"`
	// Seed chooses the random numbers.
	Seed uint64 `json:"seed"`
	// Seeds is the number of independent replications.
	Seeds int `json:"seeds"`
	// Workers are the fleet sizes of the table.
	Workers Range `json:"workers"`
	// Sources have ceilings of their own, which no fleet lifts; none means that no source limits the fleet.
	Sources []Source `json:"sources,omitempty"`
	// Customers share the fleet by weight; none means one line for all.
	Customers []Customer `json:"customers,omitempty"`
	// Elastic is capacity that is started when jobs wait; nil leaves it out. It is written as null then: a file that says
	// nothing has that of the defaults.
	Elastic *Elastic `json:"elastic"`
	// JobCosts are what a job costs beside the workers.
	JobCosts []JobCost `json:"job_costs,omitempty"`
}

// Promise is that a share of jobs starts within some minutes of being handed in.
type Promise struct {
	Share   float64 `json:"share"`
	Minutes float64 `json:"minutes"`
}

// Range is the smallest and the largest fleet of the table. To 0 leaves both ends to the study.
type Range struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Source is a share of the batches that all go to one source.
type Source struct {
	Name string `json:"name"`
	// Share is its part of the batches; the shares of all sources add up to 1.
	Share float64 `json:"share"`
	// Ceiling is how many of its jobs may be at work at once, over the whole fleet; 0 is no ceiling.
	Ceiling int `json:"ceiling,omitempty"`
}

// Customer is a share of the batches that all come from one customer.
type Customer struct {
	Name string `json:"name"`
	// Share is its part of the batches; the shares of all customers add up to 1.
	Share float64 `json:"share"`
	// Weight is its part of the fleet while others wait too.
	Weight float64 `json:"weight"`
}

// Elastic is a fleet of which a part is started when jobs wait and stopped when idle.
type Elastic struct {
	// Floor is how many workers always run.
	Floor int `json:"floor"`
	// StartDelayMinutes passes between the decision to start a worker and its first job.
	StartDelayMinutes float64 `json:"start_delay_minutes"`
	// StopAfterIdleMinutes is how long a worker above the floor idles before it is stopped.
	StopAfterIdleMinutes float64 `json:"stop_after_idle_minutes"`
}

// JobCost is something that a job uses and that is paid for by the piece: engine actions, calls to third parties,
// gigabytes through a gateway, status writes.
type JobCost struct {
	Name           string  `json:"name"`
	UnitsPerJob    float64 `json:"units_per_job"`
	DollarsPerUnit float64 `json:"dollars_per_unit"`
}

// Default is the published experiment: five hours of work arrive in every hour, in batches.
func Default() Params {
	return Params{
		JobsPerHour:        30,
		Service:            Service{Shape: Exponential, MeanMinutes: 10},
		Batches:            Batches{Shape: Geometric, Mean: 12},
		Promise:            Promise{Share: 0.95, Minutes: 5},
		WorkerMonthDollars: 65,
		Months:             10,
		HoursPerMonth:      720,
		WarmUpHours:        72,
		Seed:               2,
		Seeds:              20,
		Workers:            Range{From: 1, To: 40},
		Elastic:            &Elastic{Floor: 1, StartDelayMinutes: 2, StopAfterIdleMinutes: 15},
	}
}

// Load is the offered load in erlangs: the workers that would be busy on average if there were enough of them.
func (p Params) Load() float64 { return p.JobsPerHour / 60 * p.Service.Mean() }

// Smooth is the fleet that Erlang's formula knows: the same load, arriving one by one.
func (p Params) Smooth() Smooth { return Smooth{Load: p.Load(), MeanMinutes: p.Service.Mean()} }

// OneByOne are the same parameters with jobs that arrive one by one.
func (p Params) OneByOne() Params {
	p.Batches = Batches{Shape: Single}
	return p
}

// Exact is the exact solution for these parameters, if the shapes allow one.
func (p Params) Exact() (Batched, bool) {
	plain := p.Batches.Shape == Geometric && p.Batches.Max == 0 && p.Batches.PaceMinutes == 0
	b := Batched{Load: p.Load(), MeanMinutes: p.Service.Mean(), MeanBatch: p.Batches.Mean}
	return b, plain && p.Service.Shape == Exponential
}

// Steady tells whether a fleet catches up with the load at all. One that does not has no steady state: its waits depend on
// nothing but how long one looks.
func (p Params) Steady(workers int) bool { return float64(workers) > p.Load() }

// JobsPerMonth is the mean number of jobs in a month.
func (p Params) JobsPerMonth() float64 { return p.JobsPerHour * p.HoursPerMonth }

// Dollars is what a fleet costs for a month.
func (p Params) Dollars(workers int) float64 { return float64(workers) * p.WorkerMonthDollars }

func (p Params) warmUp() int64 { return micros(p.WarmUpHours * 60) }
func (p Params) month() int64  { return micros(p.HoursPerMonth * 60) }
func (p Params) end() int64    { return p.warmUp() + int64(p.Months)*p.month() }

// JobsPerRun is the mean number of jobs of one replication, those of the warm-up included.
func (p Params) JobsPerRun() float64 {
	return p.JobsPerHour * (p.WarmUpHours + float64(p.Months)*p.HoursPerMonth)
}

// DeepPlace is the depth in its own batch that the promise's spare share of jobs reaches or exceeds: the deepest place d
// with P(depth >= d) of at least 1 - Share. counts are batches by size.
func DeepPlace(counts map[int]int, promise Promise) int {
	spare := 1 - promise.Share
	low, high := 1, 1
	for size := range counts {
		high = max(high, size)
	}
	for low < high {
		middle := low + (high-low+1)/2
		if DeepShare(counts, middle) >= spare {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// DeepShare is the share of jobs that stand so deep in their own batch, or deeper; 0 for no batches.
func DeepShare(counts map[int]int, depth int) float64 {
	deep, all := 0, 0
	for size, n := range counts {
		all += n * size
		deep += n * max(0, size-depth+1)
	}
	return float64(deep) / math.Max(1, float64(all))
}
