package lease

import "time"

// Expire ends what has run out by now. Every call does so first; tests look at what is left then.
func (t *Table) Expire(now time.Time) { t.advance(now) }

// Ends is when the lease ends by the worker's clock, and whether there is one at all.
func (h *Holder) Ends() (time.Time, bool) { return h.from.Add(h.ttl), h.ttl > 0 }
