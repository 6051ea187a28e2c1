package lease

import (
	"cmp"
	"time"
)

// Use is what a worker does at one source, as it tells its Holder before a renewal. Its fields mean what they mean in Want.
type Use struct {
	Source   string
	InFlight int
	Peak     int
	Waiting  int
	// OldestWaiting is zero when nothing waits.
	OldestWaiting Millis
	Full          bool
	Linger        Millis
	CrawlDelay    *Millis
	Seen          Report
}

// Holder is the worker's half: it numbers the requests, and knows at every moment what the worker may do. It is not safe
// for use by several goroutines at a time.
//
// The times it is given must carry Go's monotonic clock reading, as those of time.Now do. It takes the larger of what the
// monotonic and the wall clock say has passed: the first does not move while a machine sleeps, the second may be set back.
type Holder struct {
	worker   string
	sequence int64
	sent     []sending // not answered yet, the oldest first
	lastSent time.Time
	renewIn  time.Duration
	from     time.Time     // when the request was sent from which the lease counts
	ttl      time.Duration // zero without a lease
	epoch    string        // of the answer that is acted on
	applied  int64
	grants   map[string]held
	egress   []EgressState
	released bool
}

// sending is a request that may still be answered.
type sending struct {
	sequence int64
	at       time.Time
}

// held is what the worker acts on at one source.
type held struct {
	grant    Grant
	closesAt time.Duration // after from, zero if the source does not close within the lease
	from     time.Time
}

const (
	// firstRenewal is when a worker asks again that has never been answered.
	firstRenewal = time.Second
	// mostUnanswered bounds what is remembered of requests without an answer; older ones have no lease left to give.
	mostUnanswered = 16
)

// NewHolder is the holder of one process. The worker's name is new with every start of the process.
func NewHolder(worker string) *Holder {
	return &Holder{worker: worker, epoch: noEpoch, renewIn: firstRenewal, grants: map[string]held{}}
}

// Next is the next request. From now on, an answer to an earlier request can only lengthen the lease and lower grants,
// since the request says what the worker acts on until it is answered itself.
func (h *Holder) Next(now time.Time, uses []Use, egress []EgressReport) Request {
	if h.released {
		return Request{Worker: h.worker, Sequence: h.sequence}
	}
	if !h.alive(now) {
		h.lose()
	}
	h.sequence++
	h.lastSent = now
	h.sent = append(h.sent, sending{h.sequence, now})
	if len(h.sent) > mostUnanswered {
		h.sent = h.sent[1:]
	}
	req := Request{Worker: h.worker, Sequence: h.sequence, Epoch: h.epoch, TTL: Milliseconds(h.ttl), Egress: egress}
	if h.ttl > 0 {
		req.Answered = h.applied
	}
	for _, u := range uses {
		g := h.grants[u.Source].grant
		req.Sources = append(req.Sources, Want{
			Source: u.Source, Held: g.Permits, Rate: g.Pace.Rate,
			InFlight: u.InFlight, Peak: u.Peak, Waiting: u.Waiting, OldestWaiting: u.OldestWaiting, Full: u.Full,
			Linger: u.Linger, CrawlDelay: u.CrawlDelay, Seen: u.Seen,
		})
	}
	return req
}

// Receive takes in an answer, and tells whether it gave or lengthened the lease. Answers may come late, twice or in any
// order.
func (h *Holder) Receive(now time.Time, a Answer) bool {
	at, known := h.take(a.Sequence)
	if a.Released {
		h.Release()
	}
	if !known || a.Stale || h.released {
		return false
	}
	if passed(at, now) >= a.TTL.Std() {
		return false // it took longer to come than it lasts
	}
	if a.Sequence == h.sequence {
		h.apply(at, a)
	} else if !h.lower(at, a) {
		return false
	}
	return true
}

// take finds the request that an answer belongs to. An answer that comes twice finds it only once.
func (h *Holder) take(sequence int64) (time.Time, bool) {
	for i, s := range h.sent {
		if s.sequence == sequence {
			h.sent = append(h.sent[:i], h.sent[i+1:]...)
			return s.at, true
		}
	}
	return time.Time{}, false
}

// apply acts on the answer to the latest request.
func (h *Holder) apply(at time.Time, a Answer) {
	h.from, h.ttl, h.applied = at, a.TTL.Std(), a.Sequence
	h.epoch = cmp.Or(a.Epoch, noEpoch)
	h.renewIn = a.RenewIn.Std()
	h.egress = a.Egress
	h.grants = make(map[string]held, len(a.Grants))
	for _, g := range a.Grants {
		h.grants[g.Source] = held{grant: g, closesAt: g.ClosesIn.Std(), from: at}
	}
	h.sent = nil
}

// lower acts on the answer to a request after which another was sent: the lease lasts longer, no grant rises.
func (h *Holder) lower(at time.Time, a Answer) bool {
	if a.Sequence < h.applied || h.ttl == 0 {
		return false
	}
	if end := at.Add(a.TTL.Std()); end.After(h.from.Add(h.ttl)) {
		h.from, h.ttl = at, a.TTL.Std()
	}
	h.applied = a.Sequence
	for source, g := range h.grants {
		g.grant.Pace.Fill = 0 // it was for the start, which has been
		h.grants[source] = g
	}
	for _, g := range a.Grants {
		if old, ok := h.grants[g.Source]; ok {
			old.grant.Permits = min(old.grant.Permits, g.Permits)
			old.grant.Pace.Rate = min(old.grant.Pace.Rate, g.Pace.Rate)
			h.grants[g.Source] = old
		}
	}
	return true
}

// alive says whether the lease runs.
func (h *Holder) alive(now time.Time) bool { return h.ttl > 0 && passed(h.from, now) < h.ttl }

// lose forgets every grant: the lease has ended, and no late answer brings it back.
func (h *Holder) lose() {
	h.grants = map[string]held{}
	h.ttl, h.epoch = 0, noEpoch
}

// Release ends the holder: the worker may do nothing any more, and tells the owner so by Table.Release.
func (h *Holder) Release() {
	h.lose()
	h.released = true
}

// Released says whether the holder has ended, by itself or because the owner said so.
func (h *Holder) Released() bool { return h.released }

// RenewAt is when the next request is due, whether or not the last one has been answered.
func (h *Holder) RenewAt() time.Time { return h.lastSent.Add(h.renewIn) }

// Grant is what the worker may do at a source now; a grant of nothing without a lease, or for a source that no answer has
// named, or after the source's hours.
func (h *Holder) Grant(now time.Time, source string) Grant {
	g, ok := h.grants[source]
	if !ok || !h.alive(now) {
		return Grant{Source: source}
	}
	if g.closesAt > 0 && passed(g.from, now) >= g.closesAt {
		g.grant.Permits, g.grant.Pace, g.grant.Open, g.grant.Why = 0, Pace{}, false, WhyHours
	}
	return g.grant
}

// Egress is what the latest answer said of egresses that are not good.
func (h *Holder) Egress() []EgressState { return h.egress }

// passed is how much time has passed, by the clock that says more.
func passed(since, now time.Time) time.Duration {
	return max(now.Sub(since), now.Round(0).Sub(since.Round(0)))
}
