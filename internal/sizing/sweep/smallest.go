package sweep

import (
	"context"

	"github.com/weir-collect/weir/internal/sizing"
)

// What a first look takes, at most: so many replications, and so many jobs in all.
const (
	fewSeeds = 5
	fewJobs  = 2e6
)

// few are the parameters with the replications of a first look.
func few(p sizing.Params) sizing.Params {
	p.Seeds = max(1, min(p.Seeds, fewSeeds, int(fewJobs/p.JobsPerRun())))
	return p
}

// Smallest is the smallest fleet that keeps the promise over all replications together, or 0 where not even
// sizing.MaxWorkers do. Elastic capacity, ceilings and customers of the parameters are left out.
//
// One replication alone finds the neighbourhood; then all replications play the whole neighbourhood in one go, since
// drawing jobs costs more than playing them.
func Smallest(ctx context.Context, p sizing.Params, cores int) (int, error) {
	low := int(p.Load()) + 1
	one := p
	one.Seeds = 1
	rough, err := search(low, sizing.MaxWorkers, keeps(ctx, one, cores))
	if err != nil || p.Seeds == 1 {
		return rough, err
	}
	if rough == 0 {
		rough = sizing.MaxWorkers
	}
	var near []int
	for n := max(low, rough-3); n <= min(rough+3, sizing.MaxWorkers); n++ {
		near = append(near, n)
	}
	table, err := Run(ctx, p, near, cores)
	if err != nil {
		return 0, err
	}
	first, last := near[0], near[len(near)-1]
	for i, pool := range table.Pools {
		if !pool.KeptAll() {
			continue
		}
		if i > 0 || first == low {
			return near[i], nil
		}
		return search(low, first, keeps(ctx, p, cores))
	}
	if last == sizing.MaxWorkers {
		return 0, nil
	}
	return search(last+1, sizing.MaxWorkers, keeps(ctx, p, cores))
}

// keeps asks whether a fleet keeps the promise over all replications of the parameters together.
func keeps(ctx context.Context, p sizing.Params, cores int) func(workers int) (bool, error) {
	return func(workers int) (bool, error) {
		table, err := Run(ctx, p, []int{workers}, cores)
		return err == nil && table.Pools[0].KeptAll(), err
	}
}

// search is sizing.Smallest with a question that may fail.
func search(low, high int, will func(workers int) (bool, error)) (int, error) {
	var failed error
	workers := sizing.Smallest(low, high, func(workers int) bool {
		if failed != nil {
			return true // ends the search soonest
		}
		ok, err := will(workers)
		failed = err
		return ok
	})
	return workers, failed
}
