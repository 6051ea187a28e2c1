package lease

import "time"

// Leased says whether the worker has a lease at this moment: without one, no request may be in flight.
func (h *Holder) Leased(now time.Time) bool { return h.alive(now) }
