package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
)

// ceilingFigures say how much of a ceiling is used while there is work.
type ceilingFigures struct {
	Benchmark      string  `json:"benchmark"`
	Records        int     `json:"records"`
	Workers        int     `json:"workers"`
	Ceiling        int     `json:"ceiling"`
	LatencySeconds float64 `json:"latency_seconds"`
	// Used is the requests' own time by the ceiling's, between the start of the first and the end of the last.
	Used float64 `json:"used"`
	// Peak is the largest number of requests in flight that the source has counted.
	Peak             int     `json:"peak"`
	RecordsPerSecond float64 `json:"records_per_second"`
}

// ceiling measures how much of a source's ceiling a fleet uses.
func ceiling(ctx context.Context, args []string) (figures any, err error) {
	flags := flag.NewFlagSet("ceiling", flag.ContinueOnError)
	records := flags.Int("records", 1000, "records")
	workers := flags.Int("workers", 2, "worker processes")
	most := flags.Int("ceiling", 8, "the source's ceiling")
	latency := flags.Duration("latency", 500*time.Millisecond, "how long the source takes for a request")
	prefetch := flags.Int("prefetch", 2, "collect tasks in hand beyond the permits, per worker")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	r, err := newRig(ctx, harness.Options{
		Sources:  []harness.Source{{Name: "source", Ceiling: *most, More: []string{fmt.Sprintf("prefetch: %d", *prefetch)}}},
		LeaseTTL: 15 * time.Second,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	for range *workers {
		if _, err := r.fleet.StartWorker(); err != nil {
			return nil, err
		}
	}
	r.sites[0].SetLatency(*latency)
	id, err := r.submitPages(ctx, *records, false)
	if err != nil {
		return nil, err
	}
	var result collection.SubmissionResult
	if err := r.fleet.Engine.GetWorkflow(ctx, id, "").Get(ctx, &result); err != nil {
		return nil, err
	}
	ledger := r.sites[0].Ledger()
	span := ledger.Last.Sub(ledger.First) + *latency
	f := ceilingFigures{
		Benchmark: "ceiling", Records: *records, Workers: *workers, Ceiling: *most, LatencySeconds: latency.Seconds(), Peak: ledger.Peak,
		Used:             latency.Seconds() * float64(ledger.Requests) / (float64(*most) * span.Seconds()),
		RecordsPerSecond: float64(*records) / span.Seconds(),
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "records\tworkers\tceiling\tlatency\tused\tmost in flight\trecords/s\t")
	fmt.Fprintf(w, "%d\t%d\t%d\t%s\t%.3f\t%d\t%.1f\t\n", f.Records, f.Workers, f.Ceiling, *latency, f.Used, f.Peak, f.RecordsPerSecond)
	return f, w.Flush()
}
