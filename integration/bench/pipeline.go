package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/starter"
)

// pipelineRun is one row of the pipeline benchmark.
type pipelineRun struct {
	Records int `json:"records"`
	// Noop says that the activities did nothing: what is left is the engine.
	Noop             bool    `json:"noop"`
	Seconds          float64 `json:"seconds"`
	RecordsPerSecond float64 `json:"records_per_second"`
	WorkerCPUMillis  float64 `json:"worker_cpu_ms_per_record"`
	EngineCPUMillis  float64 `json:"engine_cpu_ms_per_record"`
	WorkerPeakMiB    float64 `json:"worker_peak_mib"`
	// LongestHistory is the number of events of the longest history of the run.
	LongestHistory int64 `json:"longest_history_events"`
	Delivered      int   `json:"delivered"`
}

// pipeline runs submissions of several sizes over two sources, and the same tree of workflows with activities that do
// nothing.
func pipeline(ctx context.Context, args []string) (any, error) {
	flags := flag.NewFlagSet("pipeline", flag.ContinueOnError)
	sizes := flags.String("records", "1000,5000", "numbers of records, separated by commas")
	ceiling := flags.Int("ceiling", 32, "each source's ceiling")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	var runs []pipelineRun
	for _, text := range strings.Split(*sizes, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("--records %q: use numbers above zero", *sizes)
		}
		for _, noop := range []bool{false, true} {
			run, err := pipelineOnce(ctx, n, *ceiling, noop)
			if err != nil {
				return nil, err
			}
			runs = append(runs, run)
		}
	}
	printPipeline(runs)
	return map[string]any{"benchmark": "pipeline", "runs": runs}, nil
}

// pipelineOnce measures one submission on a stack and a worker of its own, so that peaks belong to it alone.
func pipelineOnce(ctx context.Context, n, ceiling int, noop bool) (run pipelineRun, err error) {
	r, err := newRig(ctx, harness.Options{Sources: []harness.Source{
		{Name: "first", Ceiling: ceiling}, {Name: "second", Ceiling: ceiling},
	}})
	if err != nil {
		return run, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	start := r.fleet.StartWorker
	if noop {
		start = func() (*harness.Worker, error) { return startNoop(r.fleet) }
	}
	worker, err := start()
	if err != nil {
		return run, err
	}
	began := time.Now()
	id, err := r.submitPages(ctx, n, noop)
	if err != nil {
		return run, err
	}
	var result collection.SubmissionResult
	if err := r.fleet.Engine.GetWorkflow(ctx, id, "").Get(ctx, &result); err != nil {
		return run, err
	}
	took := time.Since(began).Seconds()
	run = pipelineRun{
		Records: n, Noop: noop, Seconds: took, RecordsPerSecond: float64(n) / took,
		Delivered: result.Outcomes.Of(collection.OutcomeDelivered),
	}
	return run, r.account(ctx, &run, worker)
}

// submitPages submits n pages of the sites in turn.
func (r *rig) submitPages(ctx context.Context, n int, noop bool) (string, error) {
	if noop {
		id := noopID(n)
		_, err := r.fleet.Engine.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: collection.QueueWorkflows},
			collection.WorkflowSubmission, collection.SubmissionInput{Customer: "acme", Upload: "uploads/acme/none"})
		return id, err
	}
	var rows strings.Builder
	rows.WriteString("url\n")
	for i := range n {
		fmt.Fprintf(&rows, "%s/page/%d\n", r.sites[i%len(r.sites)].URL, i)
	}
	submitted, err := r.fleet.Client.Submit(ctx, starter.Request{
		ID: "bench", Customer: "acme", File: strings.NewReader(rows.String()), FileName: "records.csv",
	})
	return submitted.ID, err
}

// account adds what the processes and the histories cost.
func (r *rig) account(ctx context.Context, run *pipelineRun, worker *harness.Worker) error {
	perRecord := func(pid int) (float64, error) {
		used, err := cpuTime(pid)
		return float64(used.Milliseconds()) / float64(run.Records), err
	}
	var err error
	if run.WorkerCPUMillis, err = perRecord(worker.PID()); err != nil {
		return err
	}
	if run.EngineCPUMillis, err = perRecord(r.stack.PID); err != nil {
		return err
	}
	peak, err := peakMemory(worker.PID())
	if err != nil {
		return err
	}
	run.WorkerPeakMiB = float64(peak) / (1 << 20)
	run.LongestHistory, err = longestHistory(ctx, r.fleet.Engine, r.stack.Namespace)
	return err
}

func printPipeline(runs []pipelineRun) {
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "records\tactivities\tseconds\trecords/s\tworker CPU ms/record\tengine CPU ms/record\tworker peak MiB\tlongest history\tdelivered\t")
	for _, r := range runs {
		kind := "real"
		if r.Noop {
			kind = "no-op"
		}
		fmt.Fprintf(w, "%d\t%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.0f\t%d\t%d\t\n", r.Records, kind, r.Seconds, r.RecordsPerSecond,
			r.WorkerCPUMillis, r.EngineCPUMillis, r.WorkerPeakMiB, r.LongestHistory, r.Delivered)
	}
	w.Flush()
}
