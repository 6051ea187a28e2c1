package guard

import (
	"context"
	"errors"
	"fmt"

	"github.com/weir-collect/weir/collection"
)

// flight is one fetch of an origin's file, shared by all who wait for it. golang.org/x/sync/singleflight does not fit: it
// cannot end a fetch that nobody waits for any more, and such a fetch may be queueing for a permit.
type flight struct {
	cancel  context.CancelFunc
	waiting int
	done    chan struct{}
	// entry and err are set before done is closed.
	entry entry
	err   error
}

// entry is what is known of an origin now, fetched if need be. A fetch that was broken off may have been so on the side of
// the one who started it; the others try once more, under one of their own.
func (g *Guard) entry(ctx context.Context, origin string) (entry, error) {
	e, started, err := g.wait(ctx, origin)
	if errors.Is(err, ErrBrokenOff) && !started {
		e, _, err = g.wait(ctx, origin)
	}
	return e, err
}

// wait gives what is known, or comes of the flight to the origin, and whether it was started here.
func (g *Guard) wait(ctx context.Context, origin string) (e entry, started bool, err error) {
	if err := ctx.Err(); err != nil {
		return entry{}, false, err
	}
	g.mu.Lock()
	if e, ok := g.fresh(origin); ok {
		g.mu.Unlock()
		return e, false, nil
	}
	f, started := g.board(ctx, origin)
	g.mu.Unlock()
	select {
	case <-f.done:
		return f.entry, started, f.err
	case <-ctx.Done():
		g.leave(origin, f)
		return entry{}, started, ctx.Err()
	}
}

// fresh is what is known of an origin without asking. It is called with the lock held.
func (g *Guard) fresh(origin string) (entry, bool) {
	e, ok := g.options.Cache.get(g, origin)
	return e, ok && g.options.Now().Before(e.until)
}

// board joins the flight to an origin, or starts one. It is called with the lock held.
func (g *Guard) board(ctx context.Context, origin string) (f *flight, started bool) {
	if f, ok := g.flights[origin]; ok {
		f.waiting++
		return f, false
	}
	// The flight serves others too, so it must outlive the one that started it.
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f = &flight{cancel: cancel, waiting: 1, done: make(chan struct{})}
	g.flights[origin] = f
	go g.fly(own, origin, f)
	return f, true
}

// leave takes one who waited off a flight. The last one ends it, and whoever comes next starts another.
func (g *Guard) leave(origin string, f *flight) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f.waiting--; f.waiting == 0 {
		f.cancel()
		g.land(origin, f)
	}
}

// land makes way for the next flight. It is called with the lock held.
func (g *Guard) land(origin string, f *flight) {
	if g.flights[origin] == f {
		delete(g.flights, origin)
	}
}

// fly fetches, and tells everybody who waits.
func (g *Guard) fly(ctx context.Context, origin string, f *flight) {
	defer f.cancel()
	answer, err := g.fetch(ctx, origin)
	var refused *collection.Refused
	switch {
	case errors.Is(err, ErrBrokenOff):
		f.err = fmt.Errorf("%s/robots.txt: %w", origin, err)
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		// Not wrapped: it is not the context of those who wait that was cancelled.
		f.err = fmt.Errorf("%s/robots.txt: %w: %v", origin, ErrBrokenOff, err)
	case errors.As(err, &refused):
		f.err = fmt.Errorf("%s/robots.txt: %w", origin, err)
	default:
		f.entry = g.learn(origin, answer, err)
	}
	g.mu.Lock()
	g.land(origin, f)
	close(f.done)
	g.mu.Unlock()
}

// fetch calls the fetch function. It runs on no caller's goroutine, so a panic in it would end the whole process.
func (g *Guard) fetch(ctx context.Context, origin string) (answer Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: the fetch panicked: %v", ErrBrokenOff, p)
		}
	}()
	return g.options.Fetch(ctx, origin)
}
