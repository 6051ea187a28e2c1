package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/internal/intake"
	"github.com/weir-collect/weir/starter"
)

// intakeRun is one file, read and planned.
type intakeRun struct {
	Format string  `json:"format"`
	Rows   int     `json:"rows"`
	MiB    float64 `json:"file_mib"`
	// ReadRowsPerSecond is reading alone, in this process.
	ReadRowsPerSecond float64 `json:"read_rows_per_second"`
	// PlanSeconds pass from the submission until its plan stands: the file is then uploaded, read, checked row by row, and stored
	// as batches. UploadSeconds is the first part of it.
	UploadSeconds     float64 `json:"upload_seconds"`
	PlanSeconds       float64 `json:"plan_seconds"`
	PlanRowsPerSecond float64 `json:"plan_rows_per_second"`
	// The worker's peak memory when it was idle, and when the plan stood.
	WorkerIdleMiB float64 `json:"worker_idle_mib"`
	WorkerPeakMiB float64 `json:"worker_peak_mib"`
}

// intakeForms write one row of each format.
var intakeForms = []struct{ format, header, row string }{
	{intake.FormatCSV, "url,title,note\n", "%s/page/%d,\"Book number %d, second edition\",seen in the catalogue\n"},
	{intake.FormatJSONL, "", `{"url": "%s/page/%d", "title": "Book number %d, second edition", "note": "seen in the catalogue"}` + "\n"},
}

// readIntake measures what it takes to read and plan a large file.
func readIntake(ctx context.Context, args []string) (any, error) {
	flags := flag.NewFlagSet("intake", flag.ContinueOnError)
	rows := flags.Int("rows", 200_000, "rows of each file")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	var runs []intakeRun
	for i := range intakeForms {
		run, err := intakeOnce(ctx, i, *rows)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "format\trows\tfile MiB\tread rows/s\tupload s\tplan s\tplan rows/s\tworker idle MiB\tworker peak MiB\t")
	for _, r := range runs {
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%.0f\t%.1f\t%.1f\t%.0f\t%.0f\t%.0f\t\n", r.Format, r.Rows, r.MiB, r.ReadRowsPerSecond,
			r.UploadSeconds, r.PlanSeconds, r.PlanRowsPerSecond, r.WorkerIdleMiB, r.WorkerPeakMiB)
	}
	return map[string]any{"benchmark": "intake", "runs": runs}, w.Flush()
}

// intakeOnce measures one file on a stack and a worker of its own, so that peaks belong to it alone.
func intakeOnce(ctx context.Context, form, rows int) (run intakeRun, err error) {
	r, err := newRig(ctx, harness.Options{Sources: []harness.Source{{Name: "source", Ceiling: 1}}})
	if err != nil {
		return run, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	worker, err := r.fleet.StartWorker()
	if err != nil {
		return run, err
	}
	run = intakeRun{Format: intakeForms[form].format, Rows: rows}
	path := filepath.Join(r.data, "rows."+run.Format)
	if err := r.writeRows(path, form, rows, &run); err != nil {
		return run, err
	}
	if err := readRows(path, &run); err != nil {
		return run, err
	}
	idle, err := peakMemory(worker.PID())
	if err != nil {
		return run, err
	}
	if err := r.planRows(ctx, path, &run); err != nil {
		return run, err
	}
	peak, err := peakMemory(worker.PID())
	run.WorkerIdleMiB, run.WorkerPeakMiB = float64(idle)/(1<<20), float64(peak)/(1<<20)
	return run, err
}

func (r *rig) writeRows(path string, form, rows int, run *intakeRun) error {
	file, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("make the file of rows: %w", err)
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	fmt.Fprint(out, intakeForms[form].header)
	for i := range rows {
		fmt.Fprintf(out, intakeForms[form].row, r.sites[0].URL, i, i)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the file of rows: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("measure the file of rows: %w", err)
	}
	run.MiB = float64(info.Size()) / (1 << 20)
	return nil
}

// readRows reads the file and does nothing with its rows.
func readRows(path string, run *intakeRun) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	begun, seen := time.Now(), 0
	reader, err := intake.Open(file, intake.Options{Name: filepath.Base(path)})
	if err != nil {
		return err
	}
	for {
		if _, err := reader.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		seen++
	}
	if seen != run.Rows {
		return fmt.Errorf("%d rows were read, and %d written", seen, run.Rows)
	}
	run.ReadRowsPerSecond = float64(seen) / time.Since(begun).Seconds()
	return nil
}

// planRows submits the file and waits for its plan; what the submission would do after that is cancelled.
func (r *rig) planRows(ctx context.Context, path string, run *intakeRun) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	begun := time.Now()
	submitted, err := r.fleet.Client.Submit(ctx, starter.Request{
		ID: "bench-intake", Customer: "acme", File: file, FileName: filepath.Base(path),
	})
	if err != nil {
		return err
	}
	run.UploadSeconds = time.Since(begun).Seconds()
	for {
		_, err := r.fleet.Store.Get(ctx, collection.PlanKey(submitted.ID), 16<<20)
		if err == nil {
			break
		}
		if !errors.Is(err, collection.ErrObjectMissing) {
			return err
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	run.PlanSeconds = time.Since(begun).Seconds()
	run.PlanRowsPerSecond = float64(run.Rows) / run.PlanSeconds
	return r.fleet.Client.Cancel(ctx, submitted.ID, "measured")
}
