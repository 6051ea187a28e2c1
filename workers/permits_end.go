package workers

import "context"

// permit is one request in flight, and then what is in hand of it.
type permit struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	// outside says that the room in the process has been given back; guarded by the lock of Permits.
	outside bool
}

// end gives back the right to a request, and with leaves also the room in the process: each once, whoever asks and how often.
func (p *Permits) end(s *sourcePermits, taken *permit, leaves bool) {
	p.mu.Lock()
	_, there := s.taken[taken]
	delete(s.taken, taken)
	leaves = leaves && !taken.outside
	taken.outside = taken.outside || leaves
	_, size := s.gate.load()
	// Within the grant, fewer than its size are left. With as many, what was over it has ended: others wait for that.
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
