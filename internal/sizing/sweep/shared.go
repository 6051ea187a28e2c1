package sweep

import (
	"context"

	"github.com/weir-collect/weir/internal/sizing"
)

// searched is how far beyond the recommended fleet elastic and shared fleets are searched: what four times as many workers
// do not keep is not a matter of workers.
const searched = 4

// Shared plays the replications of the parameters through one fleet, event by event.
func Shared(ctx context.Context, p sizing.Params, workers, cores int) (sizing.Shared, error) {
	runs := make([]sizing.Shared, p.Seeds)
	err := each(ctx, cores, p.Seeds, func(replication int) {
		runs[replication] = sizing.ReplicateShared(p, replication, workers)
	})
	if err != nil {
		return sizing.Shared{}, err
	}
	all := runs[0]
	for _, run := range runs[1:] {
		all.Merge(run)
	}
	return all, nil
}

// sized plays the recommended fleet event by event, and finds the smallest that keeps the promise.
func sized(ctx context.Context, p sizing.Params, recommended, cores int) (*sizing.Sized, error) {
	out := &sizing.Sized{}
	var err error
	if out.Recommended, err = Shared(ctx, p, recommended, cores); err != nil {
		return nil, err
	}
	low := int(p.Load()) + 1
	if out.Recommended.Kept(p.Promise) {
		out.Smallest = out.Recommended
	} else {
		low = recommended + 1
	}
	high := min(searched*recommended, sizing.MaxWorkers)
	if out.Smallest.Workers > 0 {
		high = recommended
	}
	workers, err := search(min(low, high), high, func(workers int) (bool, error) {
		run, err := Shared(ctx, p, workers, cores)
		ok := err == nil && run.Kept(p.Promise)
		if ok {
			out.Smallest = run
		}
		return ok, err
	})
	if workers == 0 {
		out.Smallest = sizing.Shared{}
	}
	return out, err
}

// elastic sizes a fleet that grows when jobs wait. Ceilings and customers are left out of it: one thing at a time.
func (s *study) elastic(ctx context.Context) error {
	if s.params.Elastic == nil {
		return nil
	}
	p := few(s.fixed())
	p.Elastic = s.params.Elastic
	var err error
	s.out.Elastic, err = sized(ctx, p, s.out.Recommended, s.cores)
	return err
}

// shared sizes the fleet with its sources' ceilings and its customers' weights.
func (s *study) shared(ctx context.Context) error {
	if len(s.params.Sources)+len(s.params.Customers) == 0 {
		return nil
	}
	p := few(s.params)
	p.Elastic = nil
	var err error
	s.out.Shared, err = sized(ctx, p, s.out.Recommended, s.cores)
	return err
}
