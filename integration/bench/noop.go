package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/workflows"
)

// envNoop makes a child of this program a worker whose activities do nothing.
const envNoop = "WEIR_BENCH_NOOP"

func startNoop(f *harness.Fleet) (*harness.Worker, error) {
	return f.StartProcess(envNoop + "=" + f.Stack.Temporal)
}

// noopChild runs such a worker and exits, in a process that was started to be one.
func noopChild() {
	address, ok := os.LookupEnv(envNoop)
	if !ok {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := runNoop(ctx, address); err != nil {
		fmt.Fprintln(os.Stderr, "no-op worker:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func runNoop(ctx context.Context, address string) error {
	c, err := client.DialContext(ctx, client.Options{HostPort: address})
	if err != nil {
		return err
	}
	defer c.Close()
	pool := []worker.Worker{worker.New(c, collection.QueueWorkflows, worker.Options{LocalActivityWorkerOnly: true})}
	workflows.Register(pool[0])
	for _, queue := range []string{
		collection.QueuePlan, collection.QueueParse, collection.QueueDeliver, collection.QueueCollect("first"), collection.QueueCollect("second"),
	} {
		w := worker.New(c, queue, worker.Options{DisableWorkflowWorker: true})
		registerNoop(w)
		pool = append(pool, w)
	}
	for _, w := range pool {
		if err := w.Start(); err != nil {
			return err
		}
		defer w.Stop()
	}
	fmt.Println(harness.ReadyLine)
	<-ctx.Done()
	return nil
}

func registerNoop(w worker.Worker) {
	register := func(name string, f any) { w.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name}) }
	register(collection.ActivityPlan, noopPlan)
	register(collection.ActivityLoadBatch, noopLoadBatch)
	register(collection.ActivityCollect, func(context.Context, collection.CollectInput) (collection.CollectResult, error) {
		return collection.CollectResult{Raw: &collection.Raw{Key: "raw", Status: 200}, Attempts: 1}, nil
	})
	register(collection.ActivityParse, func(context.Context, collection.ParseInput) (collection.ParseResult, error) {
		return collection.ParseResult{Document: collection.Document{Inline: []byte(`{"title":"Page"}`)}}, nil
	})
	register(collection.ActivityDeliver, func(context.Context, collection.DeliverInput) (collection.DeliverResult, error) {
		return collection.DeliverResult{Delivered: collection.Delivered{Key: "delivered", Generation: 1}}, nil
	})
	register(collection.ActivityWriteLedger, func(context.Context, collection.WriteLedgerInput) (collection.WriteLedgerResult, error) {
		return collection.WriteLedgerResult{Ledger: "ledger"}, nil
	})
	register(collection.ActivitySettle, func(context.Context, collection.SettleInput) (collection.SettleResult, error) {
		return collection.SettleResult{State: collection.StateComplete}, nil
	})
}

// noopID names a submission of n records for the no-op activities.
func noopID(n int) string { return fmt.Sprintf("noop-%d", n) }

var noopSources = []string{"first", "second"}

// noopShare is how many records of such a submission belong to a source.
func noopShare(submission, source string) (int, error) {
	var n int
	if _, err := fmt.Sscanf(submission, "noop-%d", &n); err != nil {
		return 0, fmt.Errorf("submission %s is not for the no-op activities: %w", submission, err)
	}
	return (n + 1 - slices.Index(noopSources, source)) / len(noopSources), nil
}

const (
	noopBatch = 500
	// noopWindow is the window of a source with the benchmark's default ceiling.
	noopWindow = 98
)

// noopPlan makes the plan that so many records over two sources have.
func noopPlan(_ context.Context, in collection.PlanInput) (collection.PlanResult, error) {
	plan := collection.PlanResult{Submission: in.Submission, Customer: in.Request.Customer, AcceptedAt: in.AcceptedAt, Weight: 1}
	for _, source := range noopSources {
		n, err := noopShare(in.Submission, source)
		if err != nil {
			return plan, err
		}
		s := collection.SourcePlan{Source: source, Records: n, Policy: collection.SourcePolicy{
			Window: noopWindow, HeartbeatTimeout: collection.Duration(5 * time.Second), GiveUpAfter: collection.Duration(time.Hour),
		}}
		for left := n; left > 0; left -= noopBatch {
			s.Batches = append(s.Batches, collection.BatchPlan{Number: len(s.Batches) + 1, Records: min(left, noopBatch)})
		}
		plan.Sources = append(plan.Sources, s)
		plan.Expected += n
		plan.Accepted += n
	}
	return plan, nil
}

func noopLoadBatch(_ context.Context, in collection.LoadBatchInput) (collection.LoadBatchResult, error) {
	n, err := noopShare(in.Submission, in.Source)
	var out collection.LoadBatchResult
	for i := range min(n-(in.Number-1)*noopBatch, noopBatch) {
		key := fmt.Sprintf("http://%s.example/page/%d/%d", in.Source, in.Number, i)
		out.Records = append(out.Records, collection.Record{ID: collection.RecordID(in.Source, key), Line: i + 2, Key: key, URL: key})
	}
	return out, err
}
