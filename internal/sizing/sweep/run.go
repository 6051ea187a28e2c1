// Package sweep runs package sizing's simulations on all cores. It is the only part of sizing that knows goroutines:
// replications are independent, their results are whole numbers or are put into places of their own, and so the same seed
// gives the same numbers whatever the number of cores and whoever finishes first.
//
// It must not know files, the command line or how results are worded.
package sweep

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/weir-collect/weir/internal/sizing"
)

// Table is what all replications showed of several fleets.
type Table struct {
	Arrivals sizing.Arrivals
	// Pools are in the order of the fleets asked for.
	Pools []*sizing.Pool
}

// Points sums the pools up.
func (t *Table) Points() []sizing.Point {
	points := make([]sizing.Point, len(t.Pools))
	for i, pool := range t.Pools {
		points[i] = pool.Point()
	}
	return points
}

// Run plays every replication of the parameters through every fleet, on so many cores. All fleets must be Steady. The
// error is the context's.
func Run(ctx context.Context, p sizing.Params, fleets []int, cores int) (*Table, error) {
	table := &Table{Pools: make([]*sizing.Pool, len(fleets))}
	for i, workers := range fleets {
		table.Pools[i] = sizing.NewPool(p, workers)
	}
	// With fewer replications than cores, fleets are shared out too; each share draws the same jobs again.
	parts := split(len(fleets), (max(cores, 1)+p.Seeds-1)/p.Seeds)
	var mu sync.Mutex
	err := each(ctx, cores, p.Seeds*len(parts), func(task int) {
		replication, part := task/len(parts), parts[task%len(parts)]
		arrivals, samples := sizing.Replicate(p, replication, fleets[part.from:part.to])
		mu.Lock()
		defer mu.Unlock()
		if part.from == 0 {
			table.Arrivals.Merge(arrivals)
		}
		for i, sample := range samples {
			table.Pools[part.from+i].Add(replication, sample)
		}
	})
	return table, err
}

type span struct{ from, to int }

// split cuts n items into at most so many spans of nearly equal length.
func split(n, into int) []span {
	into = max(1, min(n, into))
	spans := make([]span, into)
	for i := range spans {
		spans[i] = span{from: n * i / into, to: n * (i + 1) / into}
	}
	return spans
}

// each does n tasks on so many cores, and stops handing out more when the context ends.
func each(ctx context.Context, cores, n int, do func(task int)) error {
	var next atomic.Int64
	var group sync.WaitGroup
	for range max(1, min(cores, n)) {
		group.Go(func() {
			for ctx.Err() == nil {
				task := int(next.Add(1)) - 1
				if task >= n {
					return
				}
				do(task)
			}
		})
	}
	group.Wait()
	return ctx.Err()
}
