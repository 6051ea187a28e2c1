package lease

import "time"

// Leased says whether the worker has a lease at this moment: without one, no request may be in flight.
func (h *Holder) Leased(now time.Time) bool { return h.alive(now) }

// TTL is how long the lease lasts that runs at this moment, from when its request was sent; zero without one.
func (h *Holder) TTL(now time.Time) time.Duration {
	if !h.alive(now) {
		return 0
	}
	return h.ttl
}
