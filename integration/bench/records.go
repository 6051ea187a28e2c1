package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/starter"
)

// recordsSource and recordsID name what is listed.
const (
	recordsSource = "bookshop"
	recordsID     = "bench-records"
)

// pageRun is how long pages of one place took.
type pageRun struct {
	Place string `json:"place"`
	Rows  int    `json:"rows"`
	// Median and Slowest are milliseconds, over so many reads.
	Median  float64 `json:"median_ms"`
	Slowest float64 `json:"slowest_ms"`
	Reads   int     `json:"reads"`
}

// recordsFigures is the cost of listing a large submission.
type recordsFigures struct {
	Benchmark string    `json:"benchmark"`
	Records   int       `json:"records"`
	Parts     int       `json:"parts"`
	PartKiB   float64   `json:"part_kib"`
	Pages     []pageRun `json:"pages"`
	// AllSeconds is a walk over every page; MemoryMiB is the peak of this process before it and after it.
	AllSeconds      float64 `json:"all_seconds"`
	MemoryBeforeMiB float64 `json:"memory_before_mib"`
	MemoryAfterMiB  float64 `json:"memory_after_mib"`
}

// records measures what a page of a large submission's rows takes: the plan and one ledger part, read through the store. No
// engine works for it; the ledger is written by the benchmark, with rows as large as real ones.
func records(ctx context.Context, args []string) (figures any, err error) {
	flags := flag.NewFlagSet("records", flag.ContinueOnError)
	n := flags.Int("records", 200_000, "records of the submission")
	reads := flags.Int("reads", 15, "reads of each page")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	r, err := newRig(ctx, harness.Options{Sources: []harness.Source{{Name: recordsSource, Ceiling: 4}}})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	out := recordsFigures{Benchmark: "records", Records: *n, Parts: (*n + noopBatch - 1) / noopBatch}
	size, err := r.writeLedger(ctx, *n)
	if err != nil {
		return nil, err
	}
	out.PartKiB = float64(size) / 1024
	for _, at := range []struct {
		name string
		part int
	}{{"first", 1}, {"middle", max(out.Parts/2, 1)}, {"last", out.Parts}} {
		run, err := r.pages(ctx, at.name, starter.Cursor{Source: recordsSource, Part: at.part}, *reads)
		if err != nil {
			return nil, err
		}
		out.Pages = append(out.Pages, run)
	}
	if err := r.walk(ctx, &out); err != nil {
		return nil, err
	}
	return out, out.show()
}

func (f recordsFigures) show() error {
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "page\trows\tmedian\tslowest\t")
	for _, p := range f.Pages {
		fmt.Fprintf(w, "%s\t%d\t%.1f ms\t%.1f ms\t\n", p.Place, p.Rows, p.Median, p.Slowest)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Printf("all %d records in %d parts of %.0f KiB: %.1f s; peak memory %.0f MiB before, %.0f MiB after\n",
		f.Records, f.Parts, f.PartKiB, f.AllSeconds, f.MemoryBeforeMiB, f.MemoryAfterMiB)
	return nil
}

// pages reads one page again and again, each time with its plan: as a command does that is started for it.
func (r *rig) pages(ctx context.Context, name string, from starter.Cursor, reads int) (pageRun, error) {
	run := pageRun{Place: name, Reads: reads}
	var took []time.Duration
	for range max(reads, 1) {
		begun := time.Now()
		for page, err := range r.fleet.Client.Pages(ctx, recordsID, starter.Filter{}, from) {
			if err != nil {
				return run, err
			}
			run.Rows = len(page.Rows)
			break
		}
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	run.Median, run.Slowest = took[len(took)/2].Seconds()*1e3, took[len(took)-1].Seconds()*1e3
	return run, nil
}

// walk lists everything, and tells what that took of memory.
func (r *rig) walk(ctx context.Context, out *recordsFigures) error {
	before, err := peakMemory(os.Getpid())
	if err != nil {
		return err
	}
	begun, seen := time.Now(), 0
	for _, err := range r.fleet.Client.Records(ctx, recordsID, starter.Filter{}) {
		if err != nil {
			return err
		}
		seen++
	}
	out.AllSeconds = time.Since(begun).Seconds()
	if seen != out.Records {
		return fmt.Errorf("%d records were listed, and %d written", seen, out.Records)
	}
	after, err := peakMemory(os.Getpid())
	out.MemoryBeforeMiB, out.MemoryAfterMiB = float64(before)/(1<<20), float64(after)/(1<<20)
	return err
}

// writeLedger stores a plan and its ledger, part by part, and returns the size of a part.
func (r *rig) writeLedger(ctx context.Context, n int) (size int, err error) {
	accepted := time.Now().UTC()
	src := collection.SourcePlan{Source: recordsSource, Records: n}
	for line := 0; line < n; line += noopBatch {
		number := len(src.Batches) + 1
		var part bytes.Buffer
		encoder := json.NewEncoder(&part)
		for i := line; i < min(line+noopBatch, n); i++ {
			if err := encoder.Encode(ledgerRow(i, accepted)); err != nil {
				return 0, err
			}
		}
		size = max(size, part.Len())
		src.Batches = append(src.Batches, collection.BatchPlan{Number: number, Records: min(noopBatch, n-line)})
		if _, err := r.fleet.Store.Put(ctx, collection.LedgerKey(recordsID, recordsSource, number), part.Bytes(), "application/x-ndjson"); err != nil {
			return 0, err
		}
	}
	plan, err := json.Marshal(collection.PlanResult{
		Submission: recordsID, Customer: "acme", AcceptedAt: accepted, Expected: n, Accepted: n, Sources: []collection.SourcePlan{src},
	})
	if err != nil {
		return 0, err
	}
	_, err = r.fleet.Store.Put(ctx, collection.PlanKey(recordsID), plan, "application/json")
	return size, err
}

// ledgerRow is a delivered record as real ones are: with its body, its delivery and two attempts.
func ledgerRow(i int, accepted time.Time) collection.LedgerRow {
	url := fmt.Sprintf("https://www.bookshop.example/catalogue/books/%08d?page=%d", i, i%17)
	id := collection.RecordID(recordsSource, url)
	sum := fmt.Sprintf("%064x", i)
	first := accepted.Add(time.Duration(i) * time.Millisecond)
	return collection.LedgerRow{Line: i + 2, Key: url, Source: recordsSource, RecordResult: collection.RecordResult{
		Record: id, Outcome: collection.OutcomeDelivered, Attempts: 2, FirstRequestAt: &first,
		Raw: &collection.Raw{
			Key: collection.RawKey(recordsID, id, sum), SHA256: sum, Size: 48_000, URL: url, Status: 200,
			ContentType: "text/html; charset=utf-8", FetchedAt: first.Add(time.Second),
		},
		Delivered: &collection.Delivered{
			Key: collection.DeliveredKey("acme", recordsID, id), SHA256: sum, Size: 900, Generation: 1, VerifiedAt: first.Add(2 * time.Second),
		},
		Trail: &collection.Trail{
			Robots: &collection.RobotsDecision{Allowed: true, Rule: "Allow: /catalogue/", Line: 7, FetchedAt: &accepted},
			Attempts: []collection.AttemptLine{
				{At: first, Queue: 120, Permit: 40, Took: 312, Status: 503, Reason: collection.ReasonServerError},
				{At: first.Add(time.Second), Queue: 14, Backoff: 700, Permit: 3, Took: 250, Status: 200},
			},
		},
	}}
}
