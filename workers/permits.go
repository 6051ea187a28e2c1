package workers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/telemetry"
)

// Permits are the requests that this process may have in flight: per source, and over all sources.
type Permits struct {
	sources map[string]*gate
	// process bounds the memory that bodies take. A request asks for it after its source's permit, so that a slow source
	// can hold no more of it than its own permits.
	process *gate
}

// NewPermits gives every source as many permits as its ceiling, and the process as many as it can bear.
func NewPermits(sources []collection.Source, process int) *Permits {
	p := &Permits{sources: make(map[string]*gate, len(sources)), process: newGate(process)}
	for _, s := range sources {
		p.sources[s.Name] = newGate(s.Ceiling)
	}
	return p
}

// Acquire waits for a permit of a source. release gives it back; calling it again does nothing.
func (p *Permits) Acquire(ctx context.Context, source string) (release func(), err error) {
	g, ok := p.sources[source]
	if !ok {
		return nil, fmt.Errorf("there are no permits for source %q in this process", source)
	}
	if err := g.enter(ctx); err != nil {
		return nil, fmt.Errorf("wait for a permit of source %s: %w", source, err)
	}
	if err := p.process.enter(ctx); err != nil {
		g.leave()
		return nil, fmt.Errorf("wait for room in this process: %w", err)
	}
	var once sync.Once
	return func() {
		once.Do(func() {
			p.process.leave()
			g.leave()
		})
	}, nil
}

// Loads is every source's load now, in the order of their names.
func (p *Permits) Loads() []telemetry.SourceLoad {
	loads := make([]telemetry.SourceLoad, 0, len(p.sources))
	for name, g := range p.sources {
		inside, size := g.load()
		loads = append(loads, telemetry.SourceLoad{Source: name, InFlight: inside, Ceiling: size})
	}
	slices.SortFunc(loads, func(a, b telemetry.SourceLoad) int { return strings.Compare(a.Source, b.Source) })
	return loads
}
