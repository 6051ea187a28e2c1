package workers

import (
	"slices"
	"strings"
	"time"

	"github.com/weir-collect/weir/internal/lease"
)

// request is the next renewal. Under one lock it ends a lease that has run out, and counts what is in flight, so that no request
// begins in between that the owner is not told of.
func (p *Permits) request() lease.Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.lapseAt(now)
	return p.holder.Next(now, p.uses(now), p.egresses.reports())
}

// receive puts an answer into force.
func (p *Permits) receive(a lease.Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.lapseAt(now)
	if p.holder.Receive(now, a) {
		p.egresses.receive(p.holder.Egress())
	}
	p.put(now)
}

// quit gives up the lease for good; everything that is in flight is broken off.
func (p *Permits) quit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.holder.Release()
	p.put(p.now())
}

// lapse takes every permit away, and breaks off every request, if the lease that they came with has ended. It says whether
// it did.
func (p *Permits) lapse() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lapseAt(p.now())
}

// lapseAt is lapse at a moment. It must be called before the holder takes in anything new: the requests in flight were begun
// under a lease that has ended, and another one that follows at once does not cover them. The caller holds the lock.
func (p *Permits) lapseAt(now time.Time) bool {
	if !p.leasing || p.holder.Leased(now) {
		return false
	}
	p.put(now)
	return true
}

// put makes what the holder says now the state of every source. With no lease, everything that is in flight is broken off.
// The caller holds the lock.
func (p *Permits) put(now time.Time) {
	p.leasing = p.holder.Leased(now)
	for _, s := range p.sources {
		s.apply(now, p.holder.Grant(now, s.name))
		if !p.leasing {
			s.breakOff(errLeaseEnded)
		}
	}
}

// uses tells what this process does at every source, and starts counting anew. The caller holds the lock.
func (p *Permits) uses(now time.Time) []lease.Use {
	inside, size := p.process.load()
	uses := make([]lease.Use, 0, len(p.sources))
	for _, s := range p.sources {
		u := s.use(now)
		u.Full = inside >= size
		uses = append(uses, u)
	}
	slices.SortFunc(uses, func(a, b lease.Use) int { return strings.Compare(a.Source, b.Source) })
	return uses
}

// renewAt is when the next renewal is due, and whether there is to be one at all.
func (p *Permits) renewAt() (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.holder.RenewAt(), !p.holder.Released()
}

// idle says whether nothing is in flight.
func (p *Permits) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sources {
		if len(s.taken) > 0 {
			return false
		}
	}
	return true
}

// leased says whether this process has a lease now.
func (p *Permits) leased() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.holder.Leased(p.now())
}

// leaseTTL is how long this process's lease lasts; zero without one.
func (p *Permits) leaseTTL() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.holder.TTL(p.now())
}
