package activities

import (
	"sync"
	"time"

	"github.com/weir-collect/weir/collection"
)

const (
	// noEgressRetry is about the wait of a record all of whose egresses are retired: one of them is tried again before long.
	noEgressRetry = 15 * time.Second
	// noEgressLook is after what time a process looks again whether a source has an egress, once there was none.
	noEgressLook = 5 * time.Second
)

// wayGate keeps records from waiting for permits that they could not use: a permit, and its share of the pace, are for requests.
// Which egress a request takes is settled when it is made, since it may be a trial that nobody else may make meanwhile. So while a
// source has none, one record at a time takes a permit to find out, and the others are told what the last one met.
type wayGate struct {
	mu      sync.Mutex
	sources map[string]closedWay
}

// closedWay is why a source has no egress, and until when that is believed.
type closedWay struct {
	why   string
	until time.Time
}

// shut says why there is no use in waiting for a permit now; empty where there may be. Who is let through finds out for the others.
func (g *wayGate) shut(now time.Time, source string) (why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	known, ok := g.sources[source]
	if !ok {
		return ""
	}
	if now.Before(known.until) {
		return known.why
	}
	g.sources[source] = closedWay{known.why, now.Add(noEgressLook)}
	return ""
}

// found takes in what came of looking for an egress.
func (g *wayGate) found(now time.Time, source string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err == nil {
		delete(g.sources, source)
		return
	}
	if g.sources == nil {
		g.sources = map[string]closedWay{}
	}
	g.sources[source] = closedWay{err.Error(), now.Add(noEgressLook)}
}

// noEgress is the end of an attempt that had no way out: the record waits, and is charged nothing.
func (r *collectRun) noEgress(why string) error {
	r.line.Reason = collection.ReasonEgressUnavailable
	return transient(collection.ReasonEgressUnavailable, r.around(noEgressRetry), r.failed(why), nil)
}
