package collection

import (
	"cmp"
	"slices"
)

// Count is how many rows ended with one outcome for one reason. Delivered rows have no reason.
type Count struct {
	Outcome Outcome `json:"outcome"`
	Reason  Reason  `json:"reason,omitempty"`
	Records int     `json:"records"`
}

// Tally counts rows by outcome and reason, sorted by both, so that equal tallies have equal JSON: it is built inside
// workflow code, where the order of a map would not be deterministic.
type Tally []Count

func compareCounts(a, b Count) int {
	return cmp.Or(cmp.Compare(a.Outcome, b.Outcome), cmp.Compare(a.Reason, b.Reason))
}

// Add counts n rows. Adding zero rows changes nothing.
func (t *Tally) Add(o Outcome, r Reason, n int) {
	if n == 0 {
		return
	}
	row := Count{Outcome: o, Reason: r, Records: n}
	i, found := slices.BinarySearchFunc(*t, row, compareCounts)
	if found {
		(*t)[i].Records += n
		return
	}
	*t = slices.Insert(*t, i, row)
}

// Merge adds every row of other.
func (t *Tally) Merge(other Tally) {
	for _, row := range other {
		t.Add(row.Outcome, row.Reason, row.Records)
	}
}

// Total is the number of rows counted.
func (t Tally) Total() int {
	n := 0
	for _, row := range t {
		n += row.Records
	}
	return n
}

// Of is the number of rows with an outcome, whatever the reason.
func (t Tally) Of(o Outcome) int {
	n := 0
	for _, row := range t {
		if row.Outcome == o {
			n += row.Records
		}
	}
	return n
}
