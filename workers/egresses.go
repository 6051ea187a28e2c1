package workers

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/egress"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/fetch"
	"github.com/weir-collect/weir/internal/lease"
)

// Egresses are the egresses as this process knows them: which ones the fleet has retired, as the latest renewal told, and
// how the others have done here since, as the next one will tell. The direct egress is none of them: it is another one on
// every machine, so that nobody's trouble with it says anything to the rest of the fleet.
type Egresses struct {
	now func() time.Time
	// renewEarly asks for an early renewal.
	renewEarly func()

	mu sync.Mutex
	// health is by the names of the egresses.
	health map[string]*egressHealth
	// turns is how often an egress was chosen, by source: sources with several go through them in turn.
	turns map[string]uint64
}

// egressHealth is how one egress does.
type egressHealth struct {
	// retired is what the owner says, and so is trial: one request may find out whether a retired egress works again, and this
	// process may make it.
	retired, trial bool
	// triedAt is when this process used its trial; zero before. ended says that the request of the trial has ended with a
	// verdict on the egress.
	triedAt time.Time
	ended   bool
	// failing is how many requests in a row have failed by its fault. untold says that the owner has yet to hear of the last.
	failing int
	untold  bool
	// seen is what the next renewal tells the owner.
	seen lease.EgressReport
}

// After so many faults in a row, of which the owner has yet to hear, this process passes an egress over until the owner's next
// answer: else every process loses requests there while the fleet comes to its verdict. Where nothing ties a record to the
// egress, one fault is enough (doubtful); a session is worth a second try (doubtfulSticky). With no other egress left, no
// number of faults counts (undoubted).
const (
	doubtful       = 1
	doubtfulSticky = 2
	undoubted      = 0
)

// trialAgain is after what time a trial is made once more whose request has reported nothing, or whose report was lost.
const trialAgain = time.Minute

// NewEgresses knows nothing bad of any egress. Its reports go with the renewals of permits, and what they bring back comes
// to it.
func NewEgresses(permits *Permits) *Egresses {
	e := &Egresses{now: permits.now, renewEarly: permits.renewEarly, health: map[string]*egressHealth{}, turns: map[string]uint64{}}
	permits.mu.Lock()
	defer permits.mu.Unlock()
	permits.egresses = e
	return e
}

// Choose picks an egress for a record, another one than avoid if there is one. Its error is an *egress.RetiredError: the
// record waits, charged with nothing, and goes out by no way that its source does not list.
func (e *Egresses) Choose(src collection.Source, rec collection.Record, avoid string) (string, error) {
	if len(src.Egress.Use) == 0 {
		return collection.EgressDirect, nil
	}
	// A record without the fields of the template is refused when its request is built, before anything is dialled.
	sticky, _ := fetch.Expand(src.Egress.Sticky, rec)
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.now()
	turn := e.turns[src.Name]
	e.turns[src.Name]++
	doubts := doubtful
	if sticky != "" {
		doubts = doubtfulSticky
	}
	name, err := egress.Choose(src.Egress.Use, e.states(now, doubts), avoid, sticky, turn)
	if err != nil {
		name, err = egress.Choose(src.Egress.Use, e.states(now, undoubted), avoid, sticky, turn)
	}
	if h, ok := e.health[name]; ok && h.trial {
		h.triedAt, h.ended = now, false
	}
	return name, err
}

// states are the egresses that are not good, for this process at this moment: the retired ones, and those that have failed as
// often in a row as doubts says, unless that is undoubted. The caller holds the lock.
func (e *Egresses) states(now time.Time, doubts int) []lease.EgressState {
	var states []lease.EgressState
	for name, h := range e.health {
		switch {
		case h.retired:
			states = append(states, lease.EgressState{Egress: name, Trial: h.mayTry(now)})
		case doubts != undoubted && h.untold && h.failing >= doubts:
			states = append(states, lease.EgressState{Egress: name})
		}
	}
	return states
}

func (h *egressHealth) mayTry(now time.Time) bool {
	return h.trial && (h.triedAt.IsZero() || now.Sub(h.triedAt) >= trialAgain)
}

// Report tells what a request by an egress met. One that starts to fail, and the end of a trial, are worth an early renewal:
// the rest of the fleet does not know yet.
func (e *Egresses) Report(name string, reason collection.Reason) {
	if name == "" || name == collection.EgressDirect {
		return
	}
	e.mu.Lock()
	urgent := e.healthOf(name).report(verdictOf(reason))
	e.mu.Unlock()
	if urgent {
		e.renewEarly()
	}
}

// healthOf is how an egress does, which is kept from now on. The caller holds the lock.
func (e *Egresses) healthOf(name string) *egressHealth {
	h, ok := e.health[name]
	if !ok {
		h = &egressHealth{}
		e.health[name] = h
	}
	return h
}

// verdict is what a request says of its egress.
type verdict int

const (
	saysNothing verdict = iota
	saysGood
	saysBad
)

// verdictOf reads a reason. The target's own faults and refusals arrived through a tunnel that stood. What may have happened
// without any tunnel proves nothing, good or bad: a request that could not be built, and a target of which a proxy reports
// that it cannot be reached, as a proxy with a dead line of its own does too. What we ended ourselves says nothing either.
func verdictOf(reason collection.Reason) verdict {
	switch reason {
	case collection.ReasonBadRequest, collection.ReasonConnectFailed, collection.ReasonDNSNotFound, collection.ReasonDNSTimeout:
		return saysNothing
	case "", collection.ReasonDecodeError:
		return saysGood
	}
	switch failure.Lookup(reason).Fault {
	case failure.FaultEgress:
		return saysBad
	case failure.FaultTarget:
		return saysGood
	}
	return saysNothing
}

// report counts a verdict, and says whether the owner should know at once.
func (h *egressHealth) report(v verdict) (urgent bool) {
	if h.retired && (h.triedAt.IsZero() || h.ended) {
		return false // the request began before the egress was retired
	}
	h.ended = h.retired && v != saysNothing
	switch v {
	case saysNothing:
		h.triedAt = time.Time{} // the trial is still to be made
		return false
	case saysGood:
		h.seen.Successes++
		h.seen.Trailing, h.failing, h.untold = 0, 0, false
		return h.retired
	}
	h.seen.Faults++
	h.seen.Trailing++
	h.failing++
	h.untold = true
	return h.retired || h.failing == lease.EgressFaultsInRow || urgentInRow(h.failing)
}

// reports is what was seen since the last call. Permits that know of no egresses have a nil one, which reports nothing.
func (e *Egresses) reports() []lease.EgressReport {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var reports []lease.EgressReport
	for name, h := range e.health {
		if h.seen.Successes+h.seen.Faults > 0 {
			h.seen.Egress = name
			reports = append(reports, h.seen)
			h.seen = lease.EgressReport{}
		}
	}
	slices.SortFunc(reports, func(a, b lease.EgressReport) int { return strings.Compare(a.Egress, b.Egress) })
	return reports
}

// receive takes in which egresses the owner says are not good. All others are, whatever was doubted here: the owner has heard of
// it, and knows what the rest of the fleet has seen.
func (e *Egresses) receive(states []lease.EgressState) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, h := range e.health {
		h.retired, h.trial, h.untold = false, false, false
	}
	for _, s := range states {
		h := e.healthOf(s.Egress)
		h.retired, h.trial, h.failing = true, s.Trial, 0
	}
	for _, h := range e.health {
		// While the request of a trial still runs, its trial is remembered, even if the owner has meanwhile given the trial to
		// another worker: what the request meets is news all the same.
		if !h.retired || !h.trial && h.ended {
			h.triedAt, h.ended = time.Time{}, false
		}
	}
}
