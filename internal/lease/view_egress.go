package lease

import "time"

// EgressStatus is a stable name for what the fleet does with an egress.
type EgressStatus string

// What the fleet does with an egress.
const (
	EgressGood    EgressStatus = "good"     // workers use it
	EgressRetired EgressStatus = "retired"  // nobody uses it
	EgressOnTrial EgressStatus = "on_trial" // one worker may try it with one request; everybody else leaves it alone
)

// EgressView is an egress as a person looks at it.
type EgressView struct {
	Egress string       `json:"egress"`
	State  EgressStatus `json:"state"`
	// FaultsInRow is how many requests in a row have failed by its fault.
	FaultsInRow int `json:"faults_in_row"`
	// Requests and Faults are those of the last five minutes; of an egress that was retired, there are none.
	Requests int `json:"requests"`
	Faults   int `json:"faults"`
	// Since is when it was retired, or came back from that; absent for one that has always been good.
	Since time.Time `json:"since,omitzero"`
	// Until is when one that is retired may be tried, or when the trial of one that is on trial is given to another worker.
	Until time.Time `json:"until,omitzero"`
	// Retirements is how often in a row it was retired; each lasts twice as long as the one before.
	Retirements int `json:"retirements,omitempty"`
	// Trial is the worker that may try it.
	Trial string `json:"trial,omitempty"`
	// SeenAt is when a worker last reported it.
	SeenAt time.Time `json:"seen_at"`
}

// ViewEgresses shows every egress that workers have reported lately, in the order of names. It changes nothing.
func (t *Table) ViewEgresses(now time.Time) []EgressView {
	if len(t.Egresses) == 0 {
		return []EgressView{} // most fleets have none, and a copy of the table is not free
	}
	c := t.clone()
	now = c.advance(now)
	views := make([]EgressView, 0, len(c.Egresses))
	for i := range c.Egresses {
		views = append(views, c.Egresses[i].view(now))
	}
	return views
}

func (e *Egress) view(now time.Time) EgressView {
	recent := total(slide(e.Recent, now, egressWindow, Bucket{}))
	v := EgressView{
		Egress: e.Egress, State: EgressGood, FaultsInRow: e.Row, Requests: recent.Answered, Faults: recent.Faults,
		Since: e.ReturnedAt, SeenAt: e.SeenAt,
	}
	if !e.Retired {
		return v
	}
	v.State, v.Since, v.Until, v.Retirements = EgressRetired, e.RetiredAt, e.Until, e.Retirements
	if now.Before(e.TrialEnds) {
		v.State, v.Until, v.Trial = EgressOnTrial, e.TrialEnds, e.Trial
	}
	return v
}
