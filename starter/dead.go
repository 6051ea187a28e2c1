package starter

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/weir-collect/weir/collection"
)

// DeadFilter chooses dead letters; empty fields choose all.
type DeadFilter struct {
	// Submission looks at one submission, in its ledger, however long ago it was. Without it the engine is asked, which
	// forgets after its retention.
	Submission string
	Customer   string
	Select     collection.ReplaySelect
	// Before chooses those that were dead before a time.
	Before time.Time
	// Rows has the line, the key and the kept bytes of those looked up that the engine knows; of those that the ledger knows they
	// are told in any case.
	Rows bool
}

// DeadLetter is a record that has failed for good and waits for a person.
type DeadLetter struct {
	Submission string            `json:"submission"`
	Record     string            `json:"record"`
	Source     string            `json:"source"`
	Customer   string            `json:"customer,omitempty"`
	Reason     collection.Reason `json:"reason,omitempty"`
	// Since is when it failed last, or, where the engine has forgotten that, when its site was last asked; nil when nobody has
	// noted it.
	Since *time.Time `json:"since,omitempty"`
	// Ground is what knew it: "engine" or "ledger". Its detail is known by the ledger alone, and the rest of what follows, too,
	// unless it was looked up.
	Ground string `json:"ground"`
	Line   int    `json:"line,omitempty"`
	Key    string `json:"key,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Raw is the key of its kept bytes, from which it can be replayed without asking the source.
	Raw string `json:"raw,omitempty"`
	// Note says why its submission could not be looked up, and what that means for this.
	Note string `json:"note,omitempty"`
}

// DeadGroup counts the dead letters of one source, reason and customer.
type DeadGroup struct {
	Source   string            `json:"source"`
	Reason   collection.Reason `json:"reason"`
	Customer string            `json:"customer"`
	Records  int               `json:"records"`
	// Oldest is since when the one waits that waits longest.
	Oldest *time.Time `json:"oldest,omitempty"`
	// Submissions are those that the records belong to.
	Submissions []string `json:"submissions"`
	// Notes are those of its records, each once.
	Notes []string `json:"notes,omitempty"`
}

// Dead lists dead letters. Of a settled submission the ledger has the last word: a record that was replayed since is no dead
// letter, though the engine remembers that it failed. Where a submission cannot be looked up, its dead letters are those that the
// engine remembers, each with a note; a store that does not answer at all is an error.
func (c *Client) Dead(ctx context.Context, f DeadFilter) iter.Seq2[DeadLetter, error] {
	return func(yield func(DeadLetter, error) bool) {
		f.Select.Records = c.named(f.Select.Records)
		letters := c.deadOfEngine
		if f.Submission != "" {
			letters = c.deadOfSubmission
		}
		for letter, err := range letters(ctx, f) {
			if err != nil {
				yield(DeadLetter{}, err)
				return
			}
			if f.takes(letter) && !yield(letter, nil) {
				return
			}
		}
	}
}

func (f DeadFilter) takes(l DeadLetter) bool {
	row := collection.LedgerRow{Key: l.Key, Source: l.Source, RecordResult: collection.RecordResult{
		Record: l.Record, Outcome: collection.OutcomeDeadLettered, Reason: l.Reason,
	}}
	return f.Select.Takes(row) && (f.Customer == "" || f.Customer == l.Customer) &&
		(f.Before.IsZero() || l.Since != nil && l.Since.Before(f.Before))
}

// named adds to names of records the ids that they may mean.
func (c *Client) named(names []string) []string {
	var all []string
	for _, name := range names {
		all = append(append(all, name), c.candidates(name)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// GroupDead counts dead letters by source, reason and customer, the largest group first.
func GroupDead(letters iter.Seq2[DeadLetter, error]) ([]DeadGroup, error) {
	type key struct {
		source, customer string
		reason           collection.Reason
	}
	groups := map[key]*DeadGroup{}
	for l, err := range letters {
		if err != nil {
			return nil, err
		}
		k := key{l.Source, l.Customer, l.Reason}
		g := groups[k]
		if g == nil {
			g = &DeadGroup{Source: l.Source, Reason: l.Reason, Customer: l.Customer}
			groups[k] = g
		}
		g.Records++
		if l.Since != nil && (g.Oldest == nil || l.Since.Before(*g.Oldest)) {
			g.Oldest = l.Since
		}
		if i, found := slices.BinarySearch(g.Submissions, l.Submission); !found {
			g.Submissions = slices.Insert(g.Submissions, i, l.Submission)
		}
		if l.Note != "" && !slices.Contains(g.Notes, l.Note) {
			g.Notes = append(g.Notes, l.Note)
		}
	}
	all := make([]DeadGroup, 0, len(groups))
	for _, g := range groups {
		all = append(all, *g)
	}
	slices.SortFunc(all, func(a, b DeadGroup) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Source, b.Source),
			cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Customer, b.Customer))
	})
	return all, nil
}
