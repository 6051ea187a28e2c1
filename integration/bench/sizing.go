package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/weir-collect/weir/internal/sizing"
	"github.com/weir-collect/weir/internal/sizing/sweep"
)

// sizingRun is the sweep on so many cores.
type sizingRun struct {
	Cores   int     `json:"cores"`
	Seconds float64 `json:"seconds"`
	// NanosPerStart is the time of all cores by the jobs that were given to a worker, of all fleets together.
	NanosPerStart float64 `json:"ns_per_start"`
}

// sizingFigures are what sizing the published experiment costs.
type sizingFigures struct {
	Benchmark string `json:"benchmark"`
	Fleets    int    `json:"fleets"`
	Months    int    `json:"months"`
	Seeds     int    `json:"seeds"`
	// Jobs are those of all runs, each of which every fleet takes once.
	Jobs int64       `json:"jobs"`
	Runs []sizingRun `json:"runs"`
	// Recommended is what comes out, on any number of cores.
	Recommended int `json:"recommended"`
}

// sizingSweep measures the sweep of the experiment over its fleets, on one core and on all, and that both say the same.
func sizingSweep(ctx context.Context, args []string) (any, error) {
	p := sizing.Default()
	flags := flag.NewFlagSet("sizing", flag.ContinueOnError)
	flags.IntVar(&p.Workers.To, "workers", p.Workers.To, "largest fleet")
	flags.IntVar(&p.Months, "months", p.Months, "months of a run")
	flags.IntVar(&p.Seeds, "seeds", p.Seeds, "runs")
	flags.Uint64Var(&p.Seed, "seed", p.Seed, "which random numbers")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	var fleets []int
	for n := p.Workers.From; n <= p.Workers.To; n++ {
		if p.Steady(n) {
			fleets = append(fleets, n)
		}
	}
	f := sizingFigures{Benchmark: "sizing", Fleets: len(fleets), Months: p.Months, Seeds: p.Seeds}
	var first []sizing.Point
	for _, cores := range []int{1, runtime.GOMAXPROCS(0)} {
		begun := time.Now()
		table, err := sweep.Run(ctx, p, fleets, cores)
		if err != nil {
			return nil, err
		}
		took := time.Since(begun)
		f.Jobs = table.Arrivals.Jobs
		f.Runs = append(f.Runs, sizingRun{
			Cores: cores, Seconds: took.Seconds(),
			NanosPerStart: float64(took.Nanoseconds()) * float64(cores) / (float64(f.Jobs) * float64(len(fleets))),
		})
		points := table.Points()
		if first != nil && !reflect.DeepEqual(first, points) {
			return nil, errors.New("the same seed gave other numbers on another number of cores")
		}
		first, f.Recommended = points, sizing.Recommend(points, p.Promise)
	}
	return f, f.show()
}

func (f sizingFigures) show() error {
	fmt.Printf("%d fleets, %d runs of %d months, %d jobs: %d workers recommended, the same on any number of cores\n",
		f.Fleets, f.Seeds, f.Months, f.Jobs, f.Recommended)
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "cores\tseconds\tns/start\t")
	for _, r := range f.Runs {
		fmt.Fprintf(w, "%d\t%.1f\t%.1f\t\n", r.Cores, r.Seconds, r.NanosPerStart)
	}
	return w.Flush()
}
