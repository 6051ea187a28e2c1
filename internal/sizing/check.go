package sizing

import (
	"fmt"
	"math"
)

// What the parameters may be. The limits are far beyond any fleet that is sized with them; they keep moments inside the
// simulation's clock (see never), counts inside their integers, and a typing error from running for a day.
const (
	maxJobsPerHour    = 1e6
	maxServiceMinutes = 7 * 24 * 60
	maxBatch          = 1e6
	maxMonths         = 60
	maxSimulatedHours = 5 * 365 * 24
	maxSeeds          = 1000
	maxStarts         = 4e8 // jobs of all replications together
	maxNames          = 100
	maxDollars        = 1e6
	maxWeight         = 1e12
)

// Check reports every parameter that cannot be sized for, as Problems, or nil.
func (p Params) Check() error {
	problems := p.alone()
	if len(problems) == 0 {
		checks{&problems}.together(p)
	}
	return problems.orNil()
}

// alone is what parameters have wrong each by itself.
func (p Params) alone() Problems {
	var problems Problems
	c := checks{&problems}
	c.number("jobs_per_hour", p.JobsPerHour, 0, false, maxJobsPerHour)
	c.service(p.Service)
	c.batches(p.Batches)
	c.number("promise.minutes", p.Promise.Minutes, 0, true, maxServiceMinutes)
	if s := p.Promise.Share; !(s > 0 && s < 1) {
		problems.add("promise.share", s, "use a share between 0 and 1, such as 0.95 for 95 %% of jobs")
	}
	c.number("worker_month_dollars", p.WorkerMonthDollars, 0, true, maxDollars)
	c.whole("months", p.Months, 1, maxMonths)
	c.number("hours_per_month", p.HoursPerMonth, 0, false, 31*24)
	c.number("warm_up_hours", p.WarmUpHours, 0, true, maxSimulatedHours)
	c.whole("seeds", p.Seeds, 1, maxSeeds)
	c.sources(p.Sources)
	c.customers(p.Customers)
	c.costs(p.JobCosts)
	if p.Elastic != nil {
		c.whole("elastic.floor", p.Elastic.Floor, 1, MaxWorkers)
		c.number("elastic.start_delay_minutes", p.Elastic.StartDelayMinutes, 0, true, maxServiceMinutes)
		c.number("elastic.stop_after_idle_minutes", p.Elastic.StopAfterIdleMinutes, 0, true, maxServiceMinutes)
	}
	c.whole("workers.from", p.Workers.From, 1, MaxWorkers)
	if p.Workers.To != 0 {
		c.whole("workers.to", p.Workers.To, max(1, p.Workers.From), MaxWorkers)
	}
	return problems
}

// together checks what no parameter has wrong alone.
func (c checks) together(p Params) {
	load := p.Load()
	switch {
	case load >= MaxWorkers:
		c.add("jobs_per_hour", p.JobsPerHour, "%s workers would be busy on average; up to %d can be sized: lower the jobs or the service time",
			figure(load), MaxWorkers)
	case p.Workers.To != 0 && !p.Steady(p.Workers.To):
		c.add("workers.to", p.Workers.To, "the load is %s workers busy on average, so %d never catch up and no wait is long enough: use at least %d",
			figure(load), p.Workers.To, int(load)+1)
	}
	for i, s := range p.Sources {
		if part := load * s.Share; s.Ceiling > 0 && part >= float64(s.Ceiling) {
			c.add(fmt.Sprintf("sources[%d].ceiling", i), s.Ceiling, "%s of %s's jobs would be at work at once on average, so no fleet keeps up: use at least %d",
				figure(part), s.Name, int(part)+1)
		}
	}
	if hours := p.WarmUpHours + float64(p.Months)*p.HoursPerMonth; hours > maxSimulatedHours {
		c.add("months", p.Months, "with the warm-up they last %s hours; up to %d can be simulated: use fewer", figure(hours), maxSimulatedHours)
	}
	if starts := p.JobsPerRun() * float64(p.Seeds); starts > maxStarts {
		advice := "use fewer seeds or months"
		if p.WarmUpHours > float64(p.Months)*p.HoursPerMonth {
			advice += ", or fewer warm_up_hours than " + figure(p.WarmUpHours)
		}
		c.add("seeds", p.Seeds, "%s jobs would be drawn in all; up to %s can be: %s", figure(starts), figure(maxStarts), advice)
	}
	if p.JobsPerRun()/p.Batches.MeanSize() < 1 {
		c.add("months", p.Months, "not one batch is expected in that time: use more months, or smaller batches")
	} else if late := p.LateBatches(); late < noneLate {
		c.add("promise.share", p.Promise.Share, "all runs together have about %s batches, as jobs see them, and so few cannot show such a share: use at least %s times as many seeds or months, or promise less",
			figure(late/(1-p.Promise.Share)), figure(math.Ceil(noneLate/late)))
	}
}

// figure writes a number for a sentence: 5, 7.5, 4.32e+09.
func figure(x float64) string { return fmt.Sprintf("%.4g", x) }

type checks struct{ *Problems }

// number checks a real number against its limits. NaN is within none.
func (c checks) number(where string, x, low float64, inclusive bool, high float64) {
	if (x > low || inclusive && x == low) && x <= high {
		return
	}
	least := "more than " + figure(low)
	if inclusive {
		least = figure(low) + " or more"
	}
	if math.IsNaN(x) {
		c.add(where, x, "that is not a number: use %s, up to %s", least, figure(high))
		return
	}
	c.add(where, x, "use %s, up to %s", least, figure(high))
}

func (c checks) whole(where string, n, low, high int) {
	if n < low || n > high {
		c.add(where, n, "use %d to %d", low, high)
	}
}
