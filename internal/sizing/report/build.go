package report

import (
	"math"

	"github.com/weir-collect/weir/internal/sizing"
)

// New words findings.
func New(f sizing.Findings) Report {
	p := f.Params
	r := Report{
		Inputs: inputs(f), Promise: p.Promise, Load: p.Load(), Fleets: f.Points, Curves: listed(f.Curves),
		Answer:      answer(f),
		Sensitivity: Sensitivity{Seeds: f.VariantSeeds, BatchSizes: listed(f.Sizes), Tails: listed(f.Tails)},
	}
	r.Deep.Depth = sizing.DeepPlace(f.Arrivals.BatchSizes, p.Promise)
	r.Deep.Share = sizing.DeepShare(f.Arrivals.BatchSizes, r.Deep.Depth)
	r.Simulated = Simulated{
		Point: *r.at(f.Recommended), Runs: p.Seeds,
		Votes: sizing.VotesOf(f.Points, p.Seeds, func(x sizing.Point) int { return x.KeptRuns }),
	}
	if exact, ok := p.Exact(); ok {
		within := exact.Within(f.Recommended, p.Promise.Minutes)
		r.Simulated.Exact = &within
	}
	r.Strict = Strict{
		Workers: f.Strict, Dollars: p.Dollars(f.Strict),
		Votes: sizing.VotesOf(f.Points, p.Seeds, func(x sizing.Point) int { return x.StrictRuns }),
		Alone: sizing.Strict(f.Points, p.Seeds),
	}
	r.Formula = r.formula(f)
	r.Prices = r.prices(f)
	r.PerJob = perJob(p, r)
	r.Elastic = elastic(f)
	r.Shared = shared(f)
	r.Replay = replay(f)
	r.Notes = r.notes(f)
	return r
}

// listed is the list, and never the null that some readers of JSON stumble over.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func inputs(f sizing.Findings) Inputs {
	p := f.Params
	return Inputs{
		JobsPerHour: p.JobsPerHour, ServiceShape: p.Service.Shape, ServiceMinutes: p.Service.Mean(),
		BatchShape: p.Batches.Shape, BatchMean: p.Batches.MeanSize(), BatchSeen: f.Arrivals.BatchSeen(),
		WorkerMonthDollars: p.WorkerMonthDollars, Months: p.Months, HoursPerMonth: p.HoursPerMonth, WarmUpHours: p.WarmUpHours,
		Seed: p.Seed, Seeds: p.Seeds, Jobs: f.Arrivals.Jobs,
	}
}

func (r Report) formula(f sizing.Findings) Formula {
	if f.Formula == 0 {
		return Formula{}
	}
	p := f.Params
	out := Formula{
		Workers: f.Formula, Dollars: p.Dollars(f.Formula), SimulatedWait: f.Smooth.Wait, Batched: r.at(f.Formula),
		Wait: p.Smooth().Wait(f.Formula, p.Promise.Share),
	}
	if less := p.Smooth().Wait(f.Formula-1, p.Promise.Share); !math.IsInf(less, 1) {
		out.WaitOneLess = less
	}
	return out
}
