package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
)

// leasesRun is the cost of leases on an idle fleet.
type leasesRun struct {
	Sources int `json:"sources"`
	Workers int `json:"workers"`
	// RenewalsPerSecond are those that the owner has handled.
	RenewalsPerSecond float64 `json:"renewals_per_second"`
	// EngineCPU and WorkerCPU are shares of one CPU; WorkerCPU is one worker's.
	EngineCPU float64 `json:"engine_cpu"`
	WorkerCPU float64 `json:"worker_cpu"`
}

// leases measures what an idle fleet costs, against the number of sources.
func leases(ctx context.Context, args []string) (any, error) {
	flags := flag.NewFlagSet("leases", flag.ContinueOnError)
	workers := flags.Int("workers", 4, "worker processes")
	window := flags.Duration("window", 30*time.Second, "how long the idle fleet is watched")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	var runs []leasesRun
	for _, sources := range []int{2, 50} {
		run, err := leasesOnce(ctx, sources, *workers, *window)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "sources\tworkers\trenewals/s\tengine CPU\teach worker CPU\t")
	for _, r := range runs {
		fmt.Fprintf(w, "%d\t%d\t%.2f\t%.1f %%\t%.1f %%\t\n", r.Sources, r.Workers, r.RenewalsPerSecond, 100*r.EngineCPU, 100*r.WorkerCPU)
	}
	return map[string]any{"benchmark": "leases", "runs": runs}, w.Flush()
}

func leasesOnce(ctx context.Context, sources, workers int, window time.Duration) (run leasesRun, err error) {
	o := harness.Options{LeaseTTL: 15 * time.Second}
	for i := range sources {
		o.Sources = append(o.Sources, harness.Source{Name: fmt.Sprintf("source-%d", i), Ceiling: 4})
	}
	r, err := newRig(ctx, o)
	if err != nil {
		return run, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	var pool []*harness.Worker
	for range workers {
		w, err := r.fleet.StartWorker()
		if err != nil {
			return run, err
		}
		pool = append(pool, w)
	}
	// The first renewals distribute the permits; after them the fleet is at rest.
	time.Sleep(20 * time.Second)
	before, err := r.idleCost(ctx, pool)
	if err != nil {
		return run, err
	}
	time.Sleep(window)
	after, err := r.idleCost(ctx, pool)
	if err != nil {
		return run, err
	}
	seconds := window.Seconds()
	return leasesRun{
		Sources: sources, Workers: workers,
		RenewalsPerSecond: float64(after.renewals-before.renewals) / seconds,
		EngineCPU:         (after.engine - before.engine).Seconds() / seconds,
		WorkerCPU:         (after.workers - before.workers).Seconds() / seconds / float64(workers),
	}, nil
}

// idleCost is what has been spent so far.
type idleCost struct {
	renewals        int
	engine, workers time.Duration
}

func (r *rig) idleCost(ctx context.Context, pool []*harness.Worker) (idleCost, error) {
	var c idleCost
	var err error
	if c.engine, err = cpuTime(r.stack.PID); err != nil {
		return c, err
	}
	for _, w := range pool {
		used, err := cpuTime(w.PID())
		if err != nil {
			return c, err
		}
		c.workers += used
	}
	events := r.fleet.Engine.GetWorkflowHistory(ctx, collection.CeilingsID, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		event, err := events.Next()
		if err != nil {
			return c, err
		}
		if event.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED {
			c.renewals++
		}
	}
	return c, nil
}
