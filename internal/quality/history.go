package quality

import (
	"cmp"
	"reflect"
	"slices"

	"github.com/weir-collect/weir/collection"
)

// MaxHistory is how many submissions a source's history holds.
const MaxHistory = 50

// Remember enters a submission into the history of its source, in the place of what the history has of it already. It says
// false if that changes nothing, for instance for a submission that is older than all of a full history: the order is
// that of acceptance, so that it does not matter which of two submissions is settled first.
func Remember(h collection.QualityHistory, own collection.QualityEntry) (collection.QualityHistory, bool) {
	entries := slices.DeleteFunc(slices.Clone(h.Submissions), func(e collection.QualityEntry) bool { return e.Submission == own.Submission })
	entries = append(entries, own)
	slices.SortStableFunc(entries, func(a, b collection.QualityEntry) int {
		return cmp.Or(a.AcceptedAt.Compare(b.AcceptedAt), cmp.Compare(a.Submission, b.Submission))
	})
	entries = entries[max(len(entries)-MaxHistory, 0):]
	next := collection.QualityHistory{Source: own.Source, Submissions: entries}
	return next, !reflect.DeepEqual(next, h)
}

// reference is what a field of a submission is held against.
type reference struct {
	missing, of int
	shares      []float64
}

// referenceFor sums up the submissions in which the rules had the field and it was not in breach: what is wrong must not
// become what is usual. A source of which nothing but breaches is left has no reference, and begins anew.
func referenceFor(field, submission string, history []collection.QualityEntry, minRecords int) reference {
	var r reference
	for _, e := range history {
		missing := e.Missing[field]
		had := missing > 0 || slices.Contains(e.Fields, field)
		if e.Submission == submission || !had || e.Stored == 0 || slices.Contains(e.Breached, field) {
			continue
		}
		r.missing += missing
		r.of += e.Stored
		if e.Stored >= minRecords {
			r.shares = append(r.shares, float64(missing)/float64(e.Stored))
		}
	}
	return r
}

func (r reference) share() float64 { return float64(r.missing) / float64(r.of) }
