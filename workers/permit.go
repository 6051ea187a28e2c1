package workers

import (
	"context"
	"time"

	"github.com/weir-collect/weir/activities"
)

// permit is one request in flight, and once that has ended, what is in hand of it until it is stored.
type permit struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	// outside says that the room in the process has been given back; guarded by the lock of Permits.
	outside bool
}

// permit is what the holder of a permit is given. began is when it began to wait, and paced how long of that was for the pace.
func (p *Permits) permit(s *sourcePermits, taken *permit, began time.Time, paced time.Duration) *activities.Permit {
	return &activities.Permit{
		Context:    taken.ctx,
		EndRequest: func() { p.end(s, taken, false) },
		Release:    func() { p.end(s, taken, true) },
		Again:      func(ctx context.Context) error { return p.again(ctx, s, taken) },
		Still:      func() error { return p.still(taken) },
		Method:     p.Method(s.name),
		Waited:     max(p.now().Sub(began)-paced, 0),
		Paced:      paced,
	}
}

// end gives back the right to a request, and with leaves also the room in the process: each once, whoever asks and how often.
func (p *Permits) end(s *sourcePermits, taken *permit, leaves bool) {
	p.mu.Lock()
	_, there := s.taken[taken]
	delete(s.taken, taken)
	leaves = leaves && !taken.outside
	taken.outside = taken.outside || leaves
	_, size := s.gate.load()
	// While requests stay within the grant, fewer than the gate's size are left here. As many are left when the grant was lowered
	// and the last request beyond it has ended: other workers wait to be given that permit.
	drained := len(s.taken) == size
	p.mu.Unlock()
	if leaves {
		p.process.leave()
	}
	if !there {
		return
	}
	taken.cancel(nil)
	s.gate.leave()
	if drained {
		p.renewEarly()
	}
}
