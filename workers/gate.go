package workers

import (
	"container/list"
	"context"
	"sync"
)

// gate lets a number of holders in at a time, first come, first served. The number may be changed while it is in use:
// lowering it lets nobody in until enough holders have left.
type gate struct {
	mu      sync.Mutex
	size    int
	inside  int
	waiting list.List // of chan struct{}
}

func newGate(size int) *gate { return &gate{size: size} }

// enter waits until there is room, or until ctx ends.
func (g *gate) enter(ctx context.Context) error {
	g.mu.Lock()
	if g.inside < g.size && g.waiting.Len() == 0 {
		g.inside++
		g.mu.Unlock()
		return nil
	}
	ready := make(chan struct{})
	place := g.waiting.PushBack(ready)
	g.mu.Unlock()

	select {
	case <-ready:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-ready:
		// The room was given to us while we turned away: give it on.
		g.inside--
		g.admit()
	default:
		g.waiting.Remove(place)
	}
	return ctx.Err()
}

// tryEnter enters if there is room at once.
func (g *gate) tryEnter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside >= g.size || g.waiting.Len() > 0 {
		return false
	}
	g.inside++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	g.admit()
}

// resize changes how many may be inside.
func (g *gate) resize(size int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.size = size
	g.admit()
}

// admit lets in those who wait, as far as there is room. The caller holds the lock.
func (g *gate) admit() {
	for g.inside < g.size && g.waiting.Len() > 0 {
		ready := g.waiting.Remove(g.waiting.Front()).(chan struct{})
		g.inside++
		close(ready)
	}
}

func (g *gate) load() (inside, size int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inside, g.size
}
