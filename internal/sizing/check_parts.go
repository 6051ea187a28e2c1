package sizing

import (
	"fmt"
	"math"
)

func (c checks) service(s Service) {
	switch s.Shape {
	case Empirical:
		c.values(s)
		return
	case LogNormal:
		c.number("service.variation", s.Variation, 0, false, 10)
	case Exponential, Fixed:
	default:
		c.add("service.shape", fmt.Sprintf("%q", s.Shape), "use %s, %s, %s or %s", Exponential, Fixed, LogNormal, Empirical)
	}
	c.number("service.mean_minutes", s.MeanMinutes, 0, false, maxServiceMinutes)
}

func (c checks) values(s Service) {
	const where = "service.values"
	if len(s.Values) == 0 {
		c.add(where, nil, "list the measured service times in minutes")
		return
	}
	for i, v := range s.Values {
		if !(v >= 0 && v <= maxServiceMinutes) {
			c.add(fmt.Sprintf("%s[%d]", where, i), v, "use 0 to %d minutes", maxServiceMinutes)
			return
		}
	}
	if len(s.Weights) > 0 && !c.weights(s) {
		return
	}
	if !(s.Mean() > 0) {
		c.add(where, nil, "every service time is 0: measure them in finer steps")
	}
}

// weights tells whether the weights of values can be drawn by.
func (c checks) weights(s Service) bool {
	const where = "service.weights"
	if len(s.Weights) != len(s.Values) {
		c.add(where, nil, "there are %d for %d values: give one for each, or none", len(s.Weights), len(s.Values))
		return false
	}
	sum := 0.0
	for i, w := range s.Weights {
		if !(w >= 0 && w <= maxWeight) {
			c.add(fmt.Sprintf("%s[%d]", where, i), w, "use 0 to %s jobs", figure(maxWeight))
			return false
		}
		sum += w
	}
	if sum == 0 {
		c.add(where, nil, "every weight is 0: give the number of jobs that each value stands for")
	}
	return sum > 0
}

func (c checks) batches(b Batches) {
	switch b.Shape {
	case Single:
	case Empirical:
		c.sizes(b.Sizes)
	case Geometric:
		c.number("batches.mean", b.Mean, 1, true, maxBatch)
	case Mixed:
		// Below that, the usual kind would have less than one job.
		c.number("batches.mean", b.Mean, float64(mixedEvery-1+mixedTimes)/mixedEvery, true, maxBatch)
	case Fixed:
		c.number("batches.mean", b.Mean, 1, true, maxBatch)
		if b.Mean != math.Trunc(b.Mean) {
			c.add("batches.mean", b.Mean, "batches of fixed size have a whole number of jobs")
		}
	default:
		c.add("batches.shape", fmt.Sprintf("%q", b.Shape), "use %s, %s, %s, %s or %s", Geometric, Fixed, Empirical, Mixed, Single)
	}
	c.whole("batches.max", b.Max, 0, maxBatch)
	c.number("batches.pace_minutes", b.PaceMinutes, 0, true, maxServiceMinutes)
}

func (c checks) sizes(sizes []int) {
	if len(sizes) == 0 {
		c.add("batches.sizes", nil, "list the measured batch sizes")
	}
	for i, size := range sizes {
		if size < 1 || size > maxBatch {
			c.add(fmt.Sprintf("batches.sizes[%d]", i), size, "use 1 to %d", int(maxBatch))
			return
		}
	}
}

func (c checks) sources(sources []Source) {
	shares := map[string]float64{}
	for i, s := range sources {
		where := fmt.Sprintf("sources[%d]", i)
		c.share(where, s.Name, s.Share, shares)
		c.whole(where+".ceiling", s.Ceiling, 0, MaxWorkers)
	}
	c.wholeOf("sources", shares, len(sources))
}

func (c checks) customers(customers []Customer) {
	shares := map[string]float64{}
	for i, one := range customers {
		where := fmt.Sprintf("customers[%d]", i)
		c.share(where, one.Name, one.Share, shares)
		c.number(where+".weight", one.Weight, 0, false, 1000)
	}
	c.wholeOf("customers", shares, len(customers))
}

func (c checks) share(where, name string, share float64, seen map[string]float64) {
	if _, twice := seen[name]; name == "" || twice {
		c.add(where+".name", fmt.Sprintf("%q", name), "give every one a name of its own")
	}
	if !(share > 0 && share <= 1) {
		c.add(where+".share", share, "use more than 0, up to 1")
	}
	seen[name] = share
}

// wholeOf checks that shares make up a whole.
func (c checks) wholeOf(where string, shares map[string]float64, listed int) {
	if listed > maxNames {
		c.add(where, listed, "list up to %d", maxNames)
	}
	sum := 0.0
	for _, share := range shares {
		sum += share
	}
	if listed > 0 && len(shares) == listed && !(math.Abs(sum-1) < 0.001) {
		c.add(where, nil, "the shares add up to %s: make them add up to 1", figure(sum))
	}
}

func (c checks) costs(costs []JobCost) {
	if len(costs) > maxNames {
		c.add("job_costs", len(costs), "list up to %d", maxNames)
	}
	for i, cost := range costs {
		where := fmt.Sprintf("job_costs[%d]", i)
		if cost.Name == "" {
			c.add(where+".name", `""`, "say what is paid for")
		}
		c.number(where+".units_per_job", cost.UnitsPerJob, 0, true, maxDollars)
		c.number(where+".dollars_per_unit", cost.DollarsPerUnit, 0, true, maxDollars)
	}
}
