package activities

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// storePatience is for how long, once that has failed, an attempt goes on trying to store what it has fetched: fetching it again
// costs the source a request, and may bring another page. The permit of the request is given back by then. A store that is silent
// takes up more of it with each try than one that refuses, so that the last one may end later.
const storePatience = 30 * time.Second

// storeWaits are the waits between these tries; the store's client tries each of them several times itself.
var storeWaits = []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 15 * time.Second}

// errStoreDown is what an attempt meets that would fetch what could not be stored.
var errStoreDown = errors.New("this worker's last write has failed, and nothing more is requested until one succeeds")

// storeGate keeps a process from asking targets for what it could not store. While the store takes nothing, one record at a
// time is fetched to find out whether it does again.
type storeGate struct {
	mu           sync.Mutex
	down, trying bool
}

// shut says whether there is no use in waiting for a permit now.
func (g *storeGate) shut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.down && g.trying
}

// enter says whether a request may be made now; leave ends the attempt that it was granted to.
func (g *storeGate) enter() (leave func(), may bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case !g.down:
		return func() {}, true
	case g.trying:
		return nil, false
	}
	g.trying = true
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.trying = false
	}), true
}

// wrote notes how a write went. One that the store has refused for what it was told to write has found it there, and one that
// was broken off says nothing.
func (g *storeGate) wrote(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.down = err != nil && (passing(err) || errors.Is(err, collection.ErrStoreDenied))
}

// passing says whether a write may succeed in a moment that has just failed.
func passing(err error) bool {
	var conflict *collection.ConflictError
	var large *collection.TooLargeError
	return !errors.Is(err, collection.ErrStoreDenied) && !errors.As(err, &conflict) && !errors.As(err, &large)
}

// insist writes what was fetched, for as long as an attempt goes on trying.
func (r *collectRun) insist(ctx context.Context, write func() error) error {
	err := write()
	r.gate.wrote(ctx, err)
	if err == nil || !passing(err) {
		return err
	}
	// From now on, not from before: a connection that has died is noticed after more than this patience, and the next works.
	until := r.Clock().Add(storePatience)
	r.wait("store")
	defer r.wait("")
	waiting, done := r.untilStop()
	defer done()
	for _, wait := range storeWaits {
		if ctx.Err() != nil || !r.Clock().Before(until) || r.pause(waiting, wait) != nil {
			break
		}
		err = write()
		r.gate.wrote(ctx, err)
		if err == nil || !passing(err) {
			break
		}
	}
	return err
}

// pause waits.
func (c *Collector) pause(ctx context.Context, d time.Duration) error {
	if c.Pause != nil {
		return c.Pause(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// storeFailed shapes an error of the store.
func (r *collectRun) storeFailed(ctx context.Context, doing string, err error) error {
	return r.unstored(ctx, storeFailed(ctx, doing, err))
}

// unstored has a record wait for the store as its source's policy has it, the longer the more of its attempts have ended so:
// what each of them fetches is thrown away. Other errors are left alone.
func (r *collectRun) unstored(ctx context.Context, err error) error {
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || app.Type() != string(collection.ReasonStoreUnavailable) {
		return err
	}
	r.update(func(p *collection.AttemptProgress) { p.Unstored++ })
	met := failure.History{
		Reason: collection.ReasonStoreUnavailable, SameReason: r.snapshot().Unstored, Lost: r.lost, Elapsed: r.elapsed(ctx),
	}
	decision := failure.Decide(failure.PolicyOf(r.src), met, r.Random())
	r.line.Reason = collection.ReasonStoreUnavailable
	if !decision.Retry {
		return r.final(decision.Reason, app.Message()+" (last met: store_unavailable)")
	}
	return transient(decision.Reason, max(decision.After, app.NextRetryDelay()), r.failed(app.Message()), nil)
}
