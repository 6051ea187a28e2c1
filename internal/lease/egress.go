package lease

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Egress is what the fleet knows of one egress. It is scored by its own faults alone.
type Egress struct {
	Egress string `json:"egress"`
	// Row is how many requests in a row have failed by its fault.
	Row    int      `json:"row,omitempty"`
	Recent []Bucket `json:"recent,omitempty"`
	// SeenAt is when it was last reported.
	SeenAt time.Time `json:"seen_at"`
	// Retired says that nobody uses it, but for a trial, since a time and until a time.
	Retired   bool      `json:"retired,omitempty"`
	RetiredAt time.Time `json:"retired_at,omitzero"`
	Until     time.Time `json:"until,omitzero"`
	// Retirements is how often in a row it was retired; each lasts twice as long.
	Retirements int       `json:"retirements,omitempty"`
	ReturnedAt  time.Time `json:"returned_at,omitzero"`
	// Trial is the worker that may try it with one request, TrialEnds when another is asked, Told whether it knows.
	Trial     string    `json:"trial,omitempty"`
	TrialEnds time.Time `json:"trial_ends,omitzero"`
	Told      bool      `json:"told,omitempty"`
	// Tried are the workers that have been told of a trial since the retirement, the last of them last: a request can take
	// longer than until another is asked.
	Tried []string `json:"tried,omitempty"`
}

// EgressFaultsInRow is how many faults in a row retire an egress.
const EgressFaultsInRow = 5

const (
	egressFewest     = 20 // requests in the window from which the share of faults counts
	egressPercent    = 50
	egressWindow     = 5 * time.Minute
	longestProbation = 30 * time.Minute
	egressForgotten  = 24 * time.Hour
	// mostEgresses bounds what workers can make the owner remember.
	mostEgresses = 1000
	// mostTried bounds how many trials are waited for; the requests of earlier ones have ended long since.
	mostTried = 16
)

// observeEgresses takes in what a worker has seen of its egresses.
func (t *Table) observeEgresses(now time.Time, worker string, reports []EgressReport) {
	for _, r := range reports {
		if r.Egress == "" || r.Successes <= 0 && r.Faults <= 0 {
			continue
		}
		i, ok := slices.BinarySearchFunc(t.Egresses, r.Egress, func(e Egress, name string) int { return strings.Compare(e.Egress, name) })
		if !ok {
			if len(t.Egresses) >= mostEgresses {
				continue
			}
			t.Egresses = slices.Insert(t.Egresses, i, Egress{Egress: r.Egress})
		}
		t.Egresses[i].observe(now, worker, r, t.Settings.EgressProbation.Std())
	}
}

func (e *Egress) observe(now time.Time, worker string, r EgressReport, probation time.Duration) {
	e.SeenAt = now
	if e.Retired {
		// Only a trial says anything new: other reports are of requests from before the retirement.
		if e.Told && e.Trial == worker || slices.Contains(e.Tried, worker) {
			if r.Successes > 0 {
				e.restore(now)
			} else {
				e.retire(now, probation)
			}
		}
		return
	}
	if r.Successes > 0 {
		e.Row = r.Trailing
	} else {
		e.Row += r.Faults
	}
	ended := r.Successes + r.Faults
	e.Recent = slide(e.Recent, now, egressWindow, Bucket{At: now, Requests: ended, Answered: ended, Faults: r.Faults})
	sum := total(e.Recent)
	if e.Row >= EgressFaultsInRow || sum.Answered >= egressFewest && sum.Faults*100 >= egressPercent*sum.Answered {
		e.retire(now, probation)
	}
}

func (e *Egress) retire(now time.Time, probation time.Duration) {
	if !e.Retired && now.Sub(e.ReturnedAt) > longestProbation {
		e.Retirements = 0
	}
	e.Retired, e.RetiredAt = true, now
	e.Until = now.Add(doubled(probation, e.Retirements, max(probation, longestProbation)))
	e.Retirements++
	e.Row, e.Recent, e.TrialEnds, e.Told, e.Tried = 0, nil, time.Time{}, false, nil
}

func (e *Egress) restore(now time.Time) {
	e.Retired, e.ReturnedAt = false, now
	e.RetiredAt, e.Until, e.Trial, e.TrialEnds, e.Told, e.Tried = time.Time{}, time.Time{}, "", time.Time{}, false, nil
}

// tell notes that the worker knows of its trial.
func (e *Egress) tell(worker string) {
	e.Told = true
	e.Tried = slices.DeleteFunc(e.Tried, func(w string) bool { return w == worker })
	e.Tried = append(e.Tried, worker)
	e.Tried = slices.Delete(e.Tried, 0, max(0, len(e.Tried)-mostTried))
}

// expireEgresses hands out trials to egresses whose probation is over, to one worker after the other, and forgets those
// that nobody reports any more.
func (t *Table) expireEgresses(now time.Time) {
	for i := range t.Egresses {
		e := &t.Egresses[i]
		if !e.Retired || now.Before(e.Until) || now.Before(e.TrialEnds) {
			continue
		}
		if next := t.nextWorker(now, e.Trial); next != "" {
			e.Trial, e.Told, e.TrialEnds = next, false, now.Add(2*t.Settings.ownerTTL())
		}
	}
	t.Egresses = slices.DeleteFunc(t.Egresses, func(e Egress) bool { return now.Sub(e.SeenAt) >= egressForgotten })
}

// nextWorker is the live worker after that one, in the order of names, round and round; empty if there is none.
func (t *Table) nextWorker(now time.Time, after string) string {
	first := ""
	for _, w := range t.Workers {
		if w.Released || !now.Before(w.LeaseEnds) {
			continue
		}
		if cmp.Compare(w.Worker, after) > 0 {
			return w.Worker
		}
		if first == "" {
			first = w.Worker
		}
	}
	return first
}

// egressStates is what a worker must know of the egresses that are not good.
func (t *Table) egressStates(worker string) []EgressState {
	var states []EgressState
	for i := range t.Egresses {
		e := &t.Egresses[i]
		if !e.Retired {
			continue
		}
		trial := e.Trial == worker && !e.TrialEnds.IsZero()
		if trial {
			e.tell(worker)
		}
		states = append(states, EgressState{Egress: e.Egress, Trial: trial})
	}
	return states
}
