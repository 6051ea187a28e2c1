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
	// ways are by name, turns by source.
	ways  map[string]*egressHealth
	turns map[string]uint64
}

// egressHealth is one egress.
type egressHealth struct {
	// retired and trial are what the owner says.
	retired, trial bool
	// triedAt is when this process used its trial; zero before. ended says that its request has ended, and what it met is told
	// or to be told.
	triedAt time.Time
	ended   bool
	// failing is how many requests in a row have failed by its fault, untold whether the owner has yet to hear of the last.
	failing int
	untold  bool
	seen    lease.EgressReport
}

// An egress that has failed is passed over until the owner's next answer, since what one process after the other loses
// there is lost for nothing while the fleet comes to its verdict. Where nothing ties a record to it, one fault is enough; a
// session is worth a second try. With no other left, it is used all the same.
const (
	doubtful       = 1
	doubtfulSticky = 2
	beyondDoubt    = 0
)

// trialAgain is after what time a trial that nobody has reported, or whose report was lost, is used once more.
const trialAgain = time.Minute

// NewEgresses knows nothing bad of any egress. Its reports go with the renewals of permits, and what they bring back comes
// to it.
func NewEgresses(permits *Permits) *Egresses {
	e := &Egresses{now: permits.now, renewEarly: permits.renewEarly, ways: map[string]*egressHealth{}, turns: map[string]uint64{}}
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
		name, err = egress.Choose(src.Egress.Use, e.states(now, beyondDoubt), avoid, sticky, turn)
	}
	if w, ok := e.ways[name]; ok && w.trial {
		w.triedAt, w.ended = now, false
	}
	return name, err
}

// states are the egresses that are not good, for this process at this moment; with doubts, also those that have failed as
// often in a row and of which the owner has yet to hear. The caller holds the lock.
func (e *Egresses) states(now time.Time, doubts int) []lease.EgressState {
	var states []lease.EgressState
	for name, w := range e.ways {
		switch {
		case w.retired:
			states = append(states, lease.EgressState{Egress: name, Trial: w.mayTry(now)})
		case doubts != beyondDoubt && w.untold && w.failing >= doubts:
			states = append(states, lease.EgressState{Egress: name})
		}
	}
	return states
}

func (w *egressHealth) mayTry(now time.Time) bool {
	return w.trial && (w.triedAt.IsZero() || now.Sub(w.triedAt) >= trialAgain)
}

// Report tells what a request by an egress met. One that starts to fail, and the end of a trial, are worth an early renewal:
// the rest of the fleet does not know yet.
func (e *Egresses) Report(name string, reason collection.Reason) {
	if name == "" || name == collection.EgressDirect {
		return
	}
	e.mu.Lock()
	urgent := e.way(name).report(verdictOf(reason))
	e.mu.Unlock()
	if urgent {
		e.renewEarly()
	}
}

// way is an egress, known from now on. The caller holds the lock.
func (e *Egresses) way(name string) *egressHealth {
	w, ok := e.ways[name]
	if !ok {
		w = &egressHealth{}
		e.ways[name] = w
	}
	return w
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
func (w *egressHealth) report(v verdict) (urgent bool) {
	if w.retired && (w.triedAt.IsZero() || w.ended) {
		return false // of a request from before the retirement
	}
	w.ended = w.retired && v != saysNothing
	switch v {
	case saysNothing:
		w.triedAt = time.Time{} // the trial is still to be made
		return false
	case saysGood:
		w.seen.Successes++
		w.seen.Trailing, w.failing, w.untold = 0, 0, false
		return w.retired
	}
	w.seen.Faults++
	w.seen.Trailing++
	w.failing++
	w.untold = true
	return w.retired || w.failing == lease.EgressFaultsInRow || w.failing > 1 && w.failing&(w.failing-1) == 0
}

// reports is what was seen since the last call. Of no Egresses at all there is none.
func (e *Egresses) reports() []lease.EgressReport {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var reports []lease.EgressReport
	for name, w := range e.ways {
		if w.seen.Successes+w.seen.Faults > 0 {
			w.seen.Egress = name
			reports = append(reports, w.seen)
			w.seen = lease.EgressReport{}
		}
	}
	slices.SortFunc(reports, func(a, b lease.EgressReport) int { return strings.Compare(a.Egress, b.Egress) })
	return reports
}

// receive takes in what the owner says of the egresses that are not good. All others are, whatever was doubted here: the
// owner has heard of it and knows what the rest of the fleet has seen.
func (e *Egresses) receive(states []lease.EgressState) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.ways {
		w.retired, w.trial, w.untold = false, false, false
	}
	for _, s := range states {
		w := e.way(s.Egress)
		w.retired, w.trial, w.failing = true, s.Trial, 0
	}
	for _, w := range e.ways {
		// The trial can be another worker's before its request here has ended: what that meets is news all the same.
		if !w.retired || !w.trial && w.ended {
			w.triedAt, w.ended = time.Time{}, false
		}
	}
}
