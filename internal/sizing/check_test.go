package sizing

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheDefaultsAreSound(t *testing.T) {
	t.Parallel()
	require.NoError(t, Default().Check())
	require.Equal(t, 5.0, Default().Load())
	require.Equal(t, 21600.0, Default().JobsPerMonth())
}

// TestBadParameters: each gets one sentence that names the key, the value, and what to write.
func TestBadParameters(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	for _, row := range []struct {
		change func(*Params)
		want   string
	}{
		{func(p *Params) { p.JobsPerHour = 0 }, "jobs_per_hour = 0: use more than 0, up to 1e+06"},
		{func(p *Params) { p.JobsPerHour = -3 }, "jobs_per_hour = -3: use more than 0, up to 1e+06"},
		{func(p *Params) { p.JobsPerHour = nan }, "jobs_per_hour = NaN: that is not a number: use more than 0, up to 1e+06"},
		{func(p *Params) { p.JobsPerHour = inf }, "jobs_per_hour = +Inf: use more than 0, up to 1e+06"},
		{func(p *Params) { p.JobsPerHour = 1e5 }, "jobs_per_hour = 100000: 1.667e+04 workers would be busy on average; up to 10000 can be sized: lower the jobs or the service time"},
		{func(p *Params) { p.Service.MeanMinutes = 0 }, "service.mean_minutes = 0: use more than 0, up to 1.008e+04"},
		{func(p *Params) { p.Service.Shape = "normal" }, `service.shape = "normal": use exponential, fixed, log-normal or empirical`},
		{func(p *Params) { p.Service.Shape = LogNormal }, "service.variation = 0: use more than 0, up to 10"},
		{func(p *Params) { p.Service.Shape = Empirical }, "service.values: list the measured service times in minutes"},
		{func(p *Params) { p.Service = Service{Shape: Empirical, Values: []float64{1, nan}} }, "service.values[1] = NaN: use 0 to 10080 minutes"},
		{func(p *Params) { p.Service = Service{Shape: Empirical, Values: []float64{1, -1}} }, "service.values[1] = -1: use 0 to 10080 minutes"},
		{func(p *Params) { p.Service = Service{Shape: Empirical, Values: []float64{0, 0}} }, "service.values: every service time is 0: measure them in finer steps"},
		{func(p *Params) { p.Batches.Mean = 0.5 }, "batches.mean = 0.5: use 1 or more, up to 1e+06"},
		{func(p *Params) { p.Batches.Mean = nan }, "batches.mean = NaN: that is not a number: use 1 or more, up to 1e+06"},
		{func(p *Params) { p.Batches.Mean = 1e9 }, "batches.mean = 1e+09: use 1 or more, up to 1e+06"},
		{func(p *Params) { p.Batches = Batches{Shape: Fixed, Mean: 2.5} }, "batches.mean = 2.5: batches of fixed size have a whole number of jobs"},
		{func(p *Params) { p.Batches = Batches{Shape: Mixed, Mean: 1.2} }, "batches.mean = 1.2: use 1.4 or more, up to 1e+06"},
		{func(p *Params) { p.Batches = Batches{Shape: Empirical} }, "batches.sizes: list the measured batch sizes"},
		{func(p *Params) { p.Batches = Batches{Shape: Empirical, Sizes: []int{3, 0}} }, "batches.sizes[1] = 0: use 1 to 1000000"},
		{func(p *Params) { p.Batches.Shape = "poisson" }, `batches.shape = "poisson": use geometric, fixed, empirical, mixed or single`},
		{func(p *Params) { p.Batches.Max = -1 }, "batches.max = -1: use 0 to 1000000"},
		{func(p *Params) { p.Batches.PaceMinutes = -1 }, "batches.pace_minutes = -1: use 0 or more, up to 1.008e+04"},
		{func(p *Params) { p.Promise.Share = 95 }, "promise.share = 95: use a share between 0 and 1, such as 0.95 for 95 % of jobs"},
		{func(p *Params) { p.Promise.Share = 1 }, "promise.share = 1: use a share between 0 and 1, such as 0.95 for 95 % of jobs"},
		{func(p *Params) { p.Promise.Share = nan }, "promise.share = NaN: use a share between 0 and 1, such as 0.95 for 95 % of jobs"},
		{func(p *Params) { p.Promise.Minutes = -5 }, "promise.minutes = -5: use 0 or more, up to 1.008e+04"},
		{func(p *Params) { p.WorkerMonthDollars = -65 }, "worker_month_dollars = -65: use 0 or more, up to 1e+06"},
		{func(p *Params) { p.Months = 0 }, "months = 0: use 1 to 60"},
		{func(p *Params) { p.HoursPerMonth = 1e4 }, "hours_per_month = 10000: use more than 0, up to 744"},
		{func(p *Params) { p.Months, p.HoursPerMonth = 60, 744 }, "months = 60: with the warm-up they last 4.471e+04 hours; up to 43800 can be simulated: use fewer"},
		{func(p *Params) { p.WarmUpHours = -1 }, "warm_up_hours = -1: use 0 or more, up to 4.38e+04"},
		{func(p *Params) { p.Seeds = 0 }, "seeds = 0: use 1 to 1000"},
		{func(p *Params) { p.JobsPerHour, p.Seeds, p.Workers.To = 30_000, 20, 0 }, "seeds = 20: 4.363e+09 jobs would be drawn in all; up to 4e+08 can be: use fewer seeds or months"},
		{func(p *Params) { p.JobsPerHour, p.Batches.Mean = 0.001, 100 }, "months = 10: not one batch is expected in that time: use more months, or smaller batches"},
		{func(p *Params) { p.Workers.From = 0 }, "workers.from = 0: use 1 to 10000"},
		{func(p *Params) { p.Workers.To = 20_000 }, "workers.to = 20000: use 1 to 10000"},
		{func(p *Params) { p.Workers = Range{From: 30, To: 20} }, "workers.to = 20: use 30 to 10000"},
		{func(p *Params) { p.Workers.To = 5 }, "workers.to = 5: the load is 5 workers busy on average, so 5 never catch up and no wait is long enough: use at least 6"},
		{func(p *Params) { p.Workers.To = 3 }, "workers.to = 3: the load is 5 workers busy on average, so 3 never catch up and no wait is long enough: use at least 6"},
		{func(p *Params) { p.Elastic = &Elastic{} }, "elastic.floor = 0: use 1 to 10000"},
		{func(p *Params) { p.Elastic = &Elastic{Floor: 1, StartDelayMinutes: nan} }, "elastic.start_delay_minutes = NaN: that is not a number: use 0 or more, up to 1.008e+04"},
		{func(p *Params) { p.Elastic = &Elastic{Floor: 1, StopAfterIdleMinutes: -2} }, "elastic.stop_after_idle_minutes = -2: use 0 or more, up to 1.008e+04"},
		{func(p *Params) { p.Sources = []Source{{Name: "a", Share: 0.5, Ceiling: 9}} }, "sources: the shares add up to 0.5: make them add up to 1"},
		{func(p *Params) { p.Sources = []Source{{Name: "a", Share: 1, Ceiling: 5}} }, "sources[0].ceiling = 5: 5 of a's jobs would be at work at once on average, so no fleet keeps up: use at least 6"},
		{func(p *Params) { p.Sources = []Source{{Name: "a", Share: 1, Ceiling: -5}} }, "sources[0].ceiling = -5: use 0 to 10000"},
		{func(p *Params) { p.Sources = []Source{{Share: 1}} }, `sources[0].name = "": give every one a name of its own`},
		{func(p *Params) { p.Sources = []Source{{Name: "a", Share: 0.5}, {Name: "a", Share: 0.5}} }, `sources[1].name = "a": give every one a name of its own`},
		{func(p *Params) { p.Customers = []Customer{{Name: "a", Share: nan, Weight: 1}} }, "customers[0].share = NaN: use more than 0, up to 1"},
		{func(p *Params) { p.Customers = []Customer{{Name: "a", Share: 1}} }, "customers[0].weight = 0: use more than 0, up to 1000"},
		{func(p *Params) { p.Customers = make([]Customer, 101) }, "customers = 101: list up to 100"},
		{func(p *Params) { p.JobCosts = []JobCost{{UnitsPerJob: 3}} }, `job_costs[0].name = "": say what is paid for`},
		{func(p *Params) { p.JobCosts = []JobCost{{Name: "actions", UnitsPerJob: -3}} }, "job_costs[0].units_per_job = -3: use 0 or more, up to 1e+06"},
		{func(p *Params) { p.JobCosts = []JobCost{{Name: "actions", DollarsPerUnit: nan}} }, "job_costs[0].dollars_per_unit = NaN: that is not a number: use 0 or more, up to 1e+06"},
		{func(p *Params) { p.JobCosts = make([]JobCost, 101) }, "job_costs = 101: list up to 100"},
	} {
		p := Default()
		row.change(&p)
		err := p.Check()
		require.Error(t, err, row.want)
		require.Contains(t, strings.Split(err.Error(), "\n"), row.want)
	}
}

// TestAllBadParametersAtOnce, and each once.
func TestAllBadParametersAtOnce(t *testing.T) {
	t.Parallel()
	p := Default()
	p.JobsPerHour, p.Service.MeanMinutes, p.Batches.Mean, p.Promise.Share, p.Seeds = -1, math.NaN(), 0, 2, -1
	p.Workers = Range{From: -1, To: -1}
	var problems Problems
	require.True(t, errors.As(p.Check(), &problems))
	keys := map[string]int{}
	for _, problem := range problems {
		keys[problem.Where]++
	}
	require.Equal(t, map[string]int{
		"jobs_per_hour": 1, "service.mean_minutes": 1, "batches.mean": 1, "promise.share": 1, "seeds": 1, "workers.from": 1, "workers.to": 1,
	}, keys)
}

// TestSoundEdges are values at the limits that must be taken.
func TestSoundEdges(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Params){
		"promise at once":     func(p *Params) { p.Promise.Minutes = 0 },
		"workers for nothing": func(p *Params) { p.WorkerMonthDollars = 0 },
		"no warm-up":          func(p *Params) { p.WarmUpHours = 0 },
		"one run":             func(p *Params) { p.Seeds = 1 },
		"fleets left open":    func(p *Params) { p.Workers.To = 0 },
		"just above the load": func(p *Params) { p.Workers.To = 6 },
		"batches of one":      func(p *Params) { p.Batches.Mean = 1 },
		"single":              func(p *Params) { *p = p.OneByOne() },
		"instant service":     func(p *Params) { p.Service = Service{Shape: Empirical, Values: []float64{0, 20}} },
		"a ceiling that is enough": func(p *Params) {
			p.Sources = []Source{{Name: "a", Share: 0.3, Ceiling: 2}, {Name: "b", Share: 0.7}}
		},
	} {
		p := Default()
		change(&p)
		require.NoError(t, p.Check(), name)
	}
}
