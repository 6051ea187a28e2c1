package workers

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/workflows"
)

const (
	// callTimeout bounds one call of the owner: a lease of 15 s outlives two calls that get no answer. Of a shorter lease, see
	// timeout.
	callTimeout = 4 * time.Second
	// retryRenewal is the wait after a renewal that failed.
	retryRenewal = 500 * time.Millisecond
	// leastRenewal is the least time between two renewals, however urgent.
	leastRenewal = 250 * time.Millisecond
)

// renewer keeps the lease of one process: it renews the permits of all sources with one update of the workflow Ceilings, their
// owner, and takes them away when the lease ends. The cost is workers ÷ interval, whatever the number of sources.
type renewer struct {
	engine  client.Client
	logger  *slog.Logger
	permits *Permits
	// worker is the name that the owner knows this process by.
	worker string
	// sources and settings are what this process's configuration says of leases, and config is the name of the two.
	sources  []lease.SourceConfig
	settings lease.Settings
	config   string
	// since is when the process started, in Unix milliseconds: of several configurations the one that started last is in force.
	// Zero is for a process that has no say in it.
	since int64
	// outvoted says that the fleet works by another configuration.
	outvoted bool
}

// run renews until ctx ends, or until the owner says that this process is released.
func (r *renewer) run(ctx context.Context) {
	watched, stopWatch := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { r.watchLease(watched) })
	defer watching.Wait()
	defer stopWatch()
	failures := 0
	for ctx.Err() == nil {
		began := time.Now()
		err := r.renew(ctx)
		switch {
		case err == nil:
			if failures > 0 {
				r.logger.Info("permits are renewed again", "failed_renewals", failures)
			}
			failures = 0
			if !r.pause(ctx, began) {
				r.logger.Error("the owner of the ceilings has released this process: it makes no request any more; start it anew")
				return
			}
		case ctx.Err() == nil:
			failures++
			r.logger.Warn("permits could not be renewed; without renewal all requests stop", "error", err)
			sleep(ctx, retryRenewal)
		}
	}
}

// pause waits for the next renewal, or until somebody wants one early; false if there is to be none.
func (r *renewer) pause(ctx context.Context, began time.Time) bool {
	sleep(ctx, leastRenewal-time.Since(began))
	due, goesOn := r.permits.renewAt()
	if !goesOn {
		return false
	}
	timer := time.NewTimer(time.Until(due))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.permits.wake:
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

// watchInterval is how often the renewer looks whether the lease has ended. That may be late by as much: the owner counts a lease
// a tenth longer than the worker does.
const watchInterval = 50 * time.Millisecond

// watchLease looks at the lease until ctx ends.
func (r *renewer) watchLease(ctx context.Context) {
	ticker := time.NewTicker(watchInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			r.lapse()
		}
	}
}

// lapse takes every permit away, and breaks off every request, once the lease has ended: no lease, no request.
func (r *renewer) lapse() {
	if r.permits.lapse() {
		r.logger.Error("the lease has ended without renewal: every request in flight is broken off")
		r.permits.renewEarly()
	}
}

// timeout bounds one call by a third of the lease, so that the lease outlives a call that gets no answer. Both leases count: the
// one that this process's configuration asks for, and the one in force, which another configuration may have made shorter.
func (r *renewer) timeout() time.Duration {
	timeout := callTimeout
	for _, ttl := range []time.Duration{r.settings.TTL.Std(), r.permits.leaseTTL()} {
		if third := ttl / 3; third > 0 {
			timeout = min(timeout, third)
		}
	}
	return timeout
}

// renew sends one renewal and puts its answer into force.
func (r *renewer) renew(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, r.timeout())
	defer cancel()
	r.lapse()
	var result workflows.LeaseResult
	if err := r.update(ctx, collection.UpdateLease, workflows.LeaseInput{
		Request: r.permits.request(), Config: r.config, Since: r.since,
	}, &result); err != nil {
		return err
	}
	r.permits.receive(result.Answer)
	r.compare(result.Config, result.Configure)
	if result.Configure {
		r.configure(ctx)
	}
	return nil
}

// drainInterval is how often a process that ends looks whether its last request has ended.
const drainInterval = 10 * time.Millisecond

// release gives everything back when the last request has ended. What does not end in time is not given back: the owner
// must count it until the lease has run out.
func (r *renewer) release() {
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	r.permits.quit()
	for !r.permits.idle() {
		if ctx.Err() != nil {
			r.logger.Warn("requests do not end; their permits are free when the lease has run out")
			return
		}
		sleep(ctx, drainInterval)
	}
	// Without an owner there is nothing to give back.
	err := r.ask(ctx, r.engine.UpdateWorkflow, updateOf(collection.UpdateLease, workflows.LeaseInput{
		Request: lease.Request{Worker: r.worker}, Config: r.config, Since: r.since, Release: true,
	}), nil)
	if err != nil {
		r.logger.Warn("permits could not be given back; they are free when the lease has run out", "error", err)
	}
}
