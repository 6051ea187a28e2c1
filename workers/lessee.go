package workers

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/workflows"
)

const (
	// callTimeout bounds one renewal: a lease of 15 s outlives two that get no answer, and a shorter one outlives one.
	callTimeout = 4 * time.Second
	// retryRenewal is the wait after a renewal that failed.
	retryRenewal = 500 * time.Millisecond
	// leastRenewal is the least time between two renewals, however urgent.
	leastRenewal = 250 * time.Millisecond
)

// lessee renews the leases of one process, all sources in one update, and takes the permits away when the lease ends.
// The cost is workers ÷ interval, whatever the number of sources.
type lessee struct {
	engine  client.Client
	logger  *slog.Logger
	permits *Permits
	sources []lease.SourceConfig
	// settings and config are this process's configuration and its name; since is when the process started.
	settings lease.Settings
	config   string
	since    int64
	worker   string
	// outvoted says that the fleet works by another configuration.
	outvoted bool
}

func newLessee(engine client.Client, logger *slog.Logger, permits *Permits, sources []lease.SourceConfig, settings lease.Settings, worker string) (*lessee, error) {
	text, err := json.Marshal(struct {
		Sources  []lease.SourceConfig
		Settings lease.Settings
	}{sources, settings})
	if err != nil {
		return nil, fmt.Errorf("name the configuration: %w", err)
	}
	return &lessee{
		engine: engine, logger: logger, permits: permits, sources: sources, settings: settings, worker: worker,
		config: collection.Digest(text)[:16], since: time.Now().UnixMilli(),
	}, nil
}

// run renews until ctx ends, or until the owner says that this process is released.
func (l *lessee) run(ctx context.Context) {
	watch, stopWatch := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { l.watch(watch) })
	defer watching.Wait()
	defer stopWatch()
	failures := 0
	for ctx.Err() == nil {
		began := time.Now()
		err := l.renew(ctx)
		switch {
		case err == nil:
			if failures > 0 {
				l.logger.Info("permits are renewed again", "failed_renewals", failures)
			}
			failures = 0
			if !l.pause(ctx, began) {
				l.logger.Error("the owner of the ceilings has released this process: it makes no request any more; start it anew")
				return
			}
		case ctx.Err() == nil:
			failures++
			l.logger.Warn("permits could not be renewed; without renewal all requests stop", "error", err)
			sleep(ctx, retryRenewal)
		}
	}
}

// pause waits for the next renewal, or until somebody wants one early; false if there is to be none.
func (l *lessee) pause(ctx context.Context, began time.Time) bool {
	sleep(ctx, leastRenewal-time.Since(began))
	due, goesOn := l.permits.renewAt()
	if !goesOn {
		return false
	}
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.permits.wake:
	case <-ctx.Done():
	}
	return true
}

func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// watchInterval is how often the end of the lease is looked at. The owner counts a lease a tenth longer than we do.
const watchInterval = 50 * time.Millisecond

// watch looks at the lease until ctx ends.
func (l *lessee) watch(ctx context.Context) {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			l.lapse()
		}
	}
}

// lapse takes every permit away, and breaks off every request, once the lease has ended: no lease, no request.
func (l *lessee) lapse() {
	if l.permits.lapse() {
		l.logger.Error("the lease has ended without renewal: every request in flight is broken off")
		l.permits.renewEarly()
	}
}

// timeout bounds one call by a third of the lease, so that it outlives one that gets no answer: of a lease as this process's
// configuration has it, and of the one in force, which another's may have made shorter.
func (l *lessee) timeout() time.Duration {
	timeout := callTimeout
	for _, ttl := range []time.Duration{l.settings.TTL.Std(), l.permits.leaseTTL()} {
		if third := ttl / 3; third > 0 {
			timeout = min(timeout, third)
		}
	}
	return timeout
}

// leaseTTL is how long this process's lease lasts; zero without one.
func (p *Permits) leaseTTL() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.holder.TTL(p.now())
}

// renew sends one renewal and puts its answer into force.
func (l *lessee) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.timeout())
	defer cancel()
	l.lapse()
	var result workflows.LeaseResult
	if err := l.update(ctx, collection.UpdateLease, workflows.LeaseInput{
		Request: l.permits.request(), Config: l.config, Since: l.since,
	}, &result); err != nil {
		return err
	}
	l.permits.receive(result.Answer)
	l.compare(result.Config, result.Configure)
	if result.Configure {
		l.configure(ctx)
	}
	return nil
}

// configure hands over this process's configuration. A refusal is no failed renewal: what is leased goes on, and the owner
// asks again with the next renewal.
func (l *lessee) configure(ctx context.Context) {
	err := l.update(ctx, collection.UpdateConfigure, workflows.ConfigureInput{
		Config: l.config, Since: l.since, Sources: l.sources, Settings: l.settings,
	}, nil)
	if err != nil {
		l.logger.Error("the owner of the ceilings has not taken over this process's configuration", "error", err)
		return
	}
	l.permits.renewEarly()
}

// drainInterval is how often a process that ends looks whether its last request has ended.
const drainInterval = 10 * time.Millisecond

// release gives everything back when the last request has ended. What does not end in time is not given back: the owner
// must count it until the lease has run out.
func (l *lessee) release() {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	l.permits.quit()
	for !l.permits.idle() {
		if ctx.Err() != nil {
			l.logger.Warn("requests do not end; their permits are free when the lease has run out")
			return
		}
		sleep(ctx, drainInterval)
	}
	// Without an owner there is nothing to give back.
	err := l.ask(ctx, l.engine.UpdateWorkflow, updateOf(collection.UpdateLease, workflows.LeaseInput{
		Request: lease.Request{Worker: l.worker}, Config: l.config, Since: l.since, Release: true,
	}), nil)
	if err != nil {
		l.logger.Warn("permits could not be given back; they are free when the lease has run out", "error", err)
	}
}

// update calls the owner, and starts it if there is none.
func (l *lessee) update(ctx context.Context, name string, in, out any) error {
	options := updateOf(name, in)
	err := l.ask(ctx, l.engine.UpdateWorkflow, options, out)
	if engine.IsUnknown(err) {
		return l.ask(ctx, l.startWith, options, out)
	}
	return err
}

func updateOf(name string, in any) client.UpdateWorkflowOptions {
	return client.UpdateWorkflowOptions{
		WorkflowID: collection.CeilingsID, UpdateName: name, Args: []any{in}, WaitForStage: client.WorkflowUpdateStageCompleted,
	}
}

// sender sends an update.
type sender func(context.Context, client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error)

// ask sends an update and waits for its result.
func (l *lessee) ask(ctx context.Context, send sender, options client.UpdateWorkflowOptions, out any) error {
	handle, err := send(ctx, options)
	if err == nil {
		err = handle.Get(ctx, out)
	}
	if err != nil {
		return fmt.Errorf("update %s of %s: %w", options.UpdateName, collection.CeilingsID, err)
	}
	return nil
}

// startWith starts the owner together with the update. Only where there never was an owner nothing can be leased out.
func (l *lessee) startWith(ctx context.Context, update client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	_, err := l.engine.DescribeWorkflowExecution(ctx, collection.CeilingsID, "")
	first := engine.IsUnknown(err)
	if err != nil && !first {
		return nil, err
	}
	start := l.engine.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
		ID: collection.CeilingsID, TaskQueue: collection.QueueFleet,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		StaticSummary:            "Every source's ceiling, pace, pause and breaker",
		StaticDetails:            "Leases permits to the workers of the whole fleet. Operators change it with `weir pause`, `weir ceiling` and so on.",
	}, collection.WorkflowCeilings, workflows.CeilingsInput{First: first})
	return l.engine.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: start, UpdateOptions: update,
	})
}
