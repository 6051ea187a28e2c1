package report

import "github.com/weir-collect/weir/internal/sizing"

// Elastic is a fleet of which a part is started when jobs wait: it pays for fewer hours, but needs as many workers
// at its peak as a fixed fleet, and some more, because a worker that is still starting takes no job.
type Elastic struct {
	// Seeds is how many runs what follows is from: fewer than the answer, so that Workers is about right.
	Seeds int `json:"seeds"`
	// Floor is how many always run: that of the parameters, or the whole fleet if it is smaller.
	Floor             int     `json:"floor"`
	StartDelayMinutes float64 `json:"start_delay_minutes"`
	// WithinRecommended is the share in time if the recommended fleet were elastic.
	WithinRecommended float64 `json:"within_recommended"`
	// Workers is the smallest limit that keeps the promise; 0 where none searched does.
	Workers int `json:"workers"`
	// PaidWorkers is how many are paid on average, Dollars what they cost, Saves the difference to the fleet of Simulated.
	PaidWorkers float64 `json:"paid_workers"`
	Dollars     float64 `json:"dollars"`
	Saves       float64 `json:"saves_dollars"`
}

func elastic(f sizing.Findings) *Elastic {
	if f.Elastic == nil {
		return nil
	}
	p, small := f.Params, f.Elastic.Smallest
	limit := f.Recommended
	if small.Workers > 0 {
		limit = small.Workers
	}
	out := &Elastic{
		Seeds: f.EventSeeds, Floor: min(p.Elastic.Floor, limit), StartDelayMinutes: p.Elastic.StartDelayMinutes, WithinRecommended: within(f.Elastic.Recommended),
	}
	if small.Workers > 0 {
		out.Workers = small.Workers
		out.PaidWorkers = small.PaidMinutes / small.Minutes
		out.Dollars = out.PaidWorkers * p.WorkerMonthDollars
		out.Saves = p.Dollars(f.Recommended) - out.Dollars
	}
	return out
}

func within(s sizing.Shared) float64 { return float64(s.Within) / float64(max(1, s.Jobs)) }

// Shared is the recommended fleet with the sources' ceilings and the customers' weights.
type Shared struct {
	// Seeds is how many runs what follows is from: fewer than the answer, so that Workers is about right.
	Seeds  int     `json:"seeds"`
	Wait   float64 `json:"wait_minutes"`
	Within float64 `json:"within"`
	// Workers is the smallest fleet that keeps the promise over all jobs, and breaks it for no customer; 0 where none searched
	// does: then ceilings make jobs wait, and workers do not help.
	Workers   int    `json:"workers"`
	Customers []Part `json:"customers"`
	Sources   []Part `json:"sources"`
}

// Part is one customer or source.
type Part struct {
	Name   string  `json:"name"`
	Wait   float64 `json:"wait_minutes"`
	Within float64 `json:"within"`
	// Promise is what became of a customer's promise; to a source none was given.
	Promise sizing.Verdict `json:"promise,omitempty"`
}

func shared(f sizing.Findings) *Shared {
	if f.Shared == nil {
		return nil
	}
	p, now := f.Params, f.Shared.Recommended
	part := func(name string, h *sizing.Histogram) Part {
		return Part{Name: name, Wait: h.Quantile(p.Promise.Share), Within: h.Within(p.Promise.Minutes)}
	}
	out := &Shared{
		Seeds: f.EventSeeds, Wait: now.Waits.Quantile(p.Promise.Share), Within: within(now), Workers: f.Shared.Smallest.Workers,
		Customers: []Part{}, Sources: []Part{},
	}
	for i, c := range p.Customers {
		one := part(c.Name, now.Customers[i])
		one.Promise = now.Verdict(p, i)
		out.Customers = append(out.Customers, one)
	}
	for i, s := range p.Sources {
		out.Sources = append(out.Sources, part(s.Name, now.Sources[i]))
	}
	return out
}

// Replay is what the recorded arrivals themselves did, hours of the day and all.
type Replay struct {
	Jobs        int     `json:"jobs"`
	Submissions int     `json:"submissions"`
	Days        float64 `json:"days"`
	// Older is how many submissions of the recording came before, and are left out, since it is very large.
	Older       int             `json:"older_submissions,omitempty"`
	Recommended sizing.Replayed `json:"recommended"`
	// Smallest kept the promise over the recording; its workers are 0 where none does.
	Smallest sizing.Replayed `json:"smallest"`
}

func replay(f sizing.Findings) *Replay {
	if f.Replay == nil {
		return nil
	}
	return &Replay{
		Jobs: f.Replay.Jobs, Submissions: f.Replay.Batches, Days: f.Replay.Days, Older: f.Replay.Older,
		Recommended: f.Replay.Recommended, Smallest: f.Replay.Smallest,
	}
}
