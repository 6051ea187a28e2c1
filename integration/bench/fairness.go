package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/starter"
)

// fairnessFigures are what the fairness benchmark finds.
type fairnessFigures struct {
	Benchmark string `json:"benchmark"`
	Backlog   int    `json:"backlog"`
	Ceiling   int    `json:"ceiling"`
	// LatencySeconds is how long the source takes for a request: one round of its permits.
	LatencySeconds float64 `json:"latency_seconds"`
	// AloneSeconds and BehindSeconds are how long a small submission takes from its submission until its last request has
	// started: on an idle system, and behind the backlog.
	AloneSeconds  float64 `json:"small_alone_seconds"`
	BehindSeconds float64 `json:"small_behind_backlog_seconds"`
	// RoundsBehind is the difference, in rounds.
	RoundsBehind float64 `json:"rounds_waited_behind_backlog"`
	// WindowSeconds is how long the large submission's window takes, and BacklogSeconds its backlog: what a small one
	// would wait without fairness, and without a window.
	WindowSeconds  float64 `json:"window_seconds"`
	BacklogSeconds float64 `json:"backlog_seconds"`
	// Shares are the requests of two customers with weights 3 and 1 over a minute in which both had work waiting.
	HeavyRequests int     `json:"weight_3_requests"`
	LightRequests int     `json:"weight_1_requests"`
	Ratio         float64 `json:"ratio"`
}

// tally counts a site's requests per first part of the path, which names the submitter.
type requestTally struct {
	mu     sync.Mutex
	counts map[string]int
	last   map[string]time.Time
}

func (t *requestTally) note(_ http.ResponseWriter, r *http.Request) bool {
	who, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[who]++
	t.last[who] = time.Now()
	return false
}

func (t *requestTally) of(who string) (int, time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.counts[who], t.last[who]
}

// fairness measures what a small submission meets behind a large one, and the shares of customers with weights.
func fairness(ctx context.Context, args []string) (figures any, err error) {
	flags := flag.NewFlagSet("fairness", flag.ContinueOnError)
	backlog := flags.Int("backlog", 10_000, "records of the large submission")
	ceiling := flags.Int("ceiling", 5, "the source's ceiling")
	latency := flags.Duration("latency", time.Second, "how long the source takes for a request")
	window := flags.Duration("window", time.Minute, "how long shares are counted")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	r, err := newRig(ctx, harness.Options{
		Sources:   []harness.Source{{Name: "shared", Ceiling: *ceiling}},
		Customers: []harness.Customer{{Name: "large"}, {Name: "small"}, {Name: "heavy", Weight: 3}, {Name: "light"}},
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	if _, err := r.fleet.StartWorker(); err != nil {
		return nil, err
	}
	seen := &requestTally{counts: map[string]int{}, last: map[string]time.Time{}}
	r.sites[0].SetLatency(*latency)
	r.sites[0].SetAnswer(seen.note)

	f := fairnessFigures{Benchmark: "fairness", Backlog: *backlog, Ceiling: *ceiling, LatencySeconds: latency.Seconds()}
	if f.AloneSeconds, err = r.small(ctx, seen, "alone"); err != nil {
		return nil, err
	}
	if err := r.submitFor(ctx, "large", "large", *backlog); err != nil {
		return nil, err
	}
	if err := seen.await(ctx, "large", 4**ceiling); err != nil {
		return nil, err
	}
	if f.BehindSeconds, err = r.small(ctx, seen, "behind"); err != nil {
		return nil, err
	}
	f.RoundsBehind = (f.BehindSeconds - f.AloneSeconds) / latency.Seconds()
	source, _ := r.fleet.Config.Source("shared")
	perRecord := latency.Seconds() / float64(*ceiling)
	f.WindowSeconds = float64(source.Policy(0).Window) * perRecord
	f.BacklogSeconds = float64(*backlog) * perRecord
	if err := r.fleet.Client.Cancel(ctx, "bench-large", "measured"); err != nil {
		return nil, err
	}
	if err := r.shares(ctx, seen, &f, *backlog, *window); err != nil {
		return nil, err
	}
	printFairness(f)
	return f, nil
}

// small submits three records and measures until the last of their requests has started.
func (r *rig) small(ctx context.Context, seen *requestTally, name string) (float64, error) {
	began := time.Now()
	if err := r.submitFor(ctx, "small", name, 3); err != nil {
		return 0, err
	}
	if err := seen.await(ctx, name, 3); err != nil {
		return 0, err
	}
	_, last := seen.of(name)
	return last.Sub(began).Seconds(), nil
}

// shares lets two customers, of weights 3 and 1, work beside each other, and counts both for a while.
func (r *rig) shares(ctx context.Context, seen *requestTally, f *fairnessFigures, backlog int, window time.Duration) error {
	for _, who := range []string{"heavy", "light"} {
		if err := r.submitFor(ctx, who, who, backlog); err != nil {
			return err
		}
	}
	// Until both windows are full, the queue has nothing to choose between.
	for _, who := range []string{"heavy", "light"} {
		if err := seen.await(ctx, who, 2*f.Ceiling); err != nil {
			return err
		}
	}
	heavyBefore, _ := seen.of("heavy")
	lightBefore, _ := seen.of("light")
	select {
	case <-time.After(window):
	case <-ctx.Done():
		return ctx.Err()
	}
	heavy, _ := seen.of("heavy")
	light, _ := seen.of("light")
	f.HeavyRequests, f.LightRequests = heavy-heavyBefore, light-lightBefore
	f.Ratio = float64(f.HeavyRequests) / float64(max(f.LightRequests, 1))
	return nil
}

func (r *rig) submitFor(ctx context.Context, customer, path string, n int) error {
	var rows strings.Builder
	rows.WriteString("url\n")
	for i := range n {
		fmt.Fprintf(&rows, "%s/%s/%d\n", r.sites[0].URL, path, i)
	}
	_, err := r.fleet.Client.Submit(ctx, starter.Request{
		ID: "bench-" + path, Customer: customer, File: strings.NewReader(rows.String()), FileName: "records.csv",
	})
	return err
}

func (t *requestTally) await(ctx context.Context, who string, n int) error {
	for {
		if got, _ := t.of(who); got >= n {
			return nil
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func printFairness(f fairnessFigures) {
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "3 records on an idle system\tlast request started after\t%.2f s\n", f.AloneSeconds)
	fmt.Fprintf(w, "3 records behind %d of another customer\tlast request started after\t%.2f s\t%.2f rounds of %.1f s more\n",
		f.Backlog, f.BehindSeconds, f.RoundsBehind, f.LatencySeconds)
	fmt.Fprintf(w, "the large submission's window\ttakes\t%.2f s\tits backlog %.0f s\n", f.WindowSeconds, f.BacklogSeconds)
	fmt.Fprintf(w, "weights 3 : 1, both with work waiting\trequests\t%d : %d\tratio %.2f\n", f.HeavyRequests, f.LightRequests, f.Ratio)
	w.Flush()
}
