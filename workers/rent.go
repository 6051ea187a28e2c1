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

// Tenancy is a lease on one source's permits, held outside of a worker: the fleet's ceiling, pace, pauses and hours hold
// for who has it, as for any worker.
type Tenancy struct {
	*Permits
	source string
	lessee *lessee
	stop   context.CancelFunc
	done   chan struct{}
	once   sync.Once
}

// Rent leases permits of a source, at most so many, until Return. They come with the first renewal: Acquire waits. It
// hands over its configuration only to an owner that has none, and never in place of a worker's.
func Rent(engine client.Client, cfg config.Config, source string, most int, logger *slog.Logger) (*Tenancy, error) {
	src, ok := cfg.Source(source)
	if !ok {
		return nil, fmt.Errorf("source %q is not in the configuration", source)
	}
	name := fmt.Sprintf("%s/%s", identity(), uuid.NewString()[:8])
	// With room for one more than it asks for the process is never full, which would keep permits from it.
	permits := NewPermits(lease.NewHolder(name), []collection.Source{src}, most+1, time.Now)
	sources, settings := cfg.Leases(time.Now())
	l, err := newLessee(engine, logger, permits, sources, settings, name)
	if err != nil {
		return nil, err
	}
	// The configuration of the process that started last holds: one from the beginning of time replaces nothing.
	l.since = 0
	ctx, stop := context.WithCancel(context.Background())
	t := &Tenancy{Permits: permits, source: source, lessee: l, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(t.done)
		l.run(ctx)
	}()
	return t, nil
}

// Grant is what the lease gives now; nothing without a lease.
func (t *Tenancy) Grant() lease.Grant {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.holder.Grant(t.now(), t.source)
}

// Return gives everything back once the last request has ended. It may be called more than once.
func (t *Tenancy) Return() {
	t.once.Do(func() {
		t.stop()
		<-t.done
		t.lessee.release()
	})
}
