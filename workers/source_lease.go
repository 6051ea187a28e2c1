package workers

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/lease"
)

// SourceLease is a lease on one source's permits, held outside of a worker: the fleet's ceiling, pace, pauses and hours hold
// for who has it, as for any worker.
type SourceLease struct {
	*Permits
	source  string
	renewer *renewer
	stop    context.CancelFunc
	done    chan struct{}
	once    sync.Once
}

// LeaseSource leases permits of a source, at most so many, until Return. They come with the first renewal: Acquire waits. It
// hands over its configuration only to an owner that has none, and never in place of a worker's.
func LeaseSource(engine client.Client, cfg config.Config, source string, most int, logger *slog.Logger) (*SourceLease, error) {
	src, ok := cfg.Source(source)
	if !ok {
		return nil, fmt.Errorf("source %q is not in the configuration", source)
	}
	name := fmt.Sprintf("%s/%s", identity(), uuid.NewString()[:8])
	// With room for one more than it asks for the process is never full, which would keep permits from it.
	permits := NewPermits(lease.NewHolder(name), []collection.Source{src}, most+1, time.Now)
	sources, settings := cfg.Leases(time.Now())
	l, err := newRenewer(engine, logger, permits, sources, settings, name)
	if err != nil {
		return nil, err
	}
	// The configuration of the process that started last holds: one from the beginning of time replaces nothing.
	l.since = 0
	ctx, stop := context.WithCancel(context.Background())
	t := &SourceLease{Permits: permits, source: source, renewer: l, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(t.done)
		l.run(ctx)
	}()
	return t, nil
}

// Grant is what the lease gives now; nothing without a lease.
func (t *SourceLease) Grant() lease.Grant {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.holder.Grant(t.now(), t.source)
}

// Return gives everything back once the last request has ended. It may be called more than once.
func (t *SourceLease) Return() {
	t.once.Do(func() {
		t.stop()
		<-t.done
		t.renewer.release()
	})
}
