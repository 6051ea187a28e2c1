package promise

import (
	"time"

	"github.com/weir-collect/weir/collection"
)

// Book collects what became of records, customer by customer. It keeps eight bytes for each record that started.
type Book struct{ pages map[string]*page }

// page is one customer's.
type page struct {
	submissions, rows int
	waits             []time.Duration
	fates             map[Fate]int
	waiting           []waiting
	underWay, unknown int
	outcomes          collection.Tally
}

// waiting are records that have not been given to a worker yet.
type waiting struct {
	records int
	waited  time.Duration
}

// NewBook is an empty book.
func NewBook() *Book { return &Book{pages: map[string]*page{}} }

func (b *Book) of(customer string) *page {
	p := b.pages[customer]
	if p == nil {
		p = &page{fates: map[Fate]int{}}
		b.pages[customer] = p
	}
	return p
}

// Submission counts a submission, and its rows that never became records.
func (b *Book) Submission(customer string, rejected collection.Tally) {
	p := b.of(customer)
	p.submissions++
	p.outcomes.Merge(rejected)
}

// Row books a record that has ended.
func (b *Book) Row(customer string, accepted time.Time, row collection.LedgerRow) {
	p := b.of(customer)
	fate, wait := Of(accepted, row)
	p.fates[fate]++
	p.rows++
	p.outcomes.Add(row.Outcome, row.Reason, 1)
	if fate == Started {
		p.waits = append(p.waits, wait)
	}
}

// Waiting books records that nobody has begun, and how long they have waited so far.
func (b *Book) Waiting(customer string, records int, waited time.Duration) {
	if records > 0 {
		p := b.of(customer)
		p.waiting = append(p.waiting, waiting{records, max(waited, 0)})
	}
}

// UnderWay books records that a worker may have begun: no ledger tells yet.
func (b *Book) UnderWay(customer string, records int) { b.of(customer).underWay += records }

// Unknown books records of which nobody can tell any more when they started: their ledger is no longer kept.
func (b *Book) Unknown(customer string, records int) { b.of(customer).unknown += records }

// Lost books records that no ledger will tell of: their submission has ended without a word about them.
func (b *Book) Lost(customer string, records int) { b.of(customer).fates[NeverStarted] += records }

// Cancelled books records that were stopped before anybody began them.
func (b *Book) Cancelled(customer string, records int) { b.of(customer).fates[Cancelled] += records }

// Records is how many rows of ledgers are booked.
func (b *Book) Records() int {
	n := 0
	for _, p := range b.pages {
		n += p.rows
	}
	return n
}

// merge adds another page's records.
func (p *page) merge(other *page) {
	p.submissions += other.submissions
	p.rows += other.rows
	p.waits = append(p.waits, other.waits...)
	for fate, n := range other.fates {
		p.fates[fate] += n
	}
	p.waiting = append(p.waiting, other.waiting...)
	p.underWay += other.underWay
	p.unknown += other.unknown
	p.outcomes.Merge(other.outcomes)
}
