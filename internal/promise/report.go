package promise

import (
	"maps"
	"slices"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/percentile"
)

// Terms are what was promised: that a share of records starts within a time of acceptance.
type Terms struct {
	Within time.Duration
	Share  float64
}

// Verdict is whether a promise was kept. It is a word in the answer for programs.
type Verdict string

// The verdicts. Nothing means that no record is on record by which to tell.
const (
	Kept    Verdict = "kept"
	Broken  Verdict = "broken"
	Nothing Verdict = "nothing"
)

// Report is what every customer got. Its JSON names are stable: fields are added, never renamed.
type Report struct {
	WithinSeconds float64 `json:"within_seconds"`
	Percent       float64 `json:"percent"`
	// Customers are in the order of their names; All is all records together, for no customer's promise.
	Customers []Line `json:"customers"`
	All       Line   `json:"all"`
}

// Line is what one customer got.
type Line struct {
	Customer    string `json:"customer,omitempty"`
	Submissions int    `json:"submissions"`
	// Records are those that count: Started + NeverStarted + WaitingLate.
	Records int `json:"records"`
	Started int `json:"started"`
	// NeverStarted ended without a request; they are late.
	NeverStarted int `json:"never_started"`
	// WaitingLate wait still, and longer than promised: they are late, and count with their wait so far.
	WaitingLate int `json:"waiting_late"`
	// Undecided wait still, and not too long yet; UnderWay may have started. Neither counts.
	Undecided int `json:"undecided"`
	UnderWay  int `json:"under_way"`
	// Unknown have no ledger any more: nobody can tell when they started. They do not count.
	Unknown int `json:"unknown,omitempty"`
	// Cancelled and Refused had no request, and do not count.
	Cancelled int `json:"cancelled_before_start"`
	Refused   int `json:"refused_before_start"`
	// P50, P95 and P99 are start waits in seconds; null where so many records did not start at all.
	P50 *float64 `json:"p50_seconds"`
	P95 *float64 `json:"p95_seconds"`
	P99 *float64 `json:"p99_seconds"`
	// InTime is how many of Records started in time, and Within their share.
	InTime  int     `json:"in_time"`
	Within  float64 `json:"within_share"`
	Verdict Verdict `json:"verdict"`
	// Outcomes count rows that ended, and those that never became records; Success is the share of ended records that were
	// delivered or gone, cancelled ones left out.
	Outcomes collection.Tally `json:"outcomes"`
	Success  float64          `json:"success_share"`
	Ended    int              `json:"ended"`
}

// Broken names the customers whose promise was broken.
func (r Report) Broken() []string {
	var names []string
	for _, line := range r.Customers {
		if line.Verdict == Broken {
			names = append(names, line.Customer)
		}
	}
	return names
}

// Report reads the book.
func (b *Book) Report(t Terms) Report {
	r := Report{WithinSeconds: t.Within.Seconds(), Percent: 100 * t.Share, Customers: []Line{}}
	all := &page{fates: map[Fate]int{}}
	for _, customer := range slices.Sorted(maps.Keys(b.pages)) {
		line := b.pages[customer].line(t)
		line.Customer = customer
		r.Customers = append(r.Customers, line)
		all.merge(b.pages[customer])
	}
	r.All = all.line(t)
	return r
}

func (p *page) line(t Terms) Line {
	line := Line{
		Submissions: p.submissions, Started: p.fates[Started], NeverStarted: p.fates[NeverStarted], UnderWay: p.underWay, Unknown: p.unknown,
		Cancelled: p.fates[Cancelled], Refused: p.fates[Refused], Verdict: Nothing,
		Outcomes: append(collection.Tally{}, p.outcomes...),
	}
	waits := slices.Clone(p.waits)
	for _, w := range p.waiting {
		if w.waited <= t.Within {
			line.Undecided += w.records
			continue
		}
		line.WaitingLate += w.records
		for range w.records {
			waits = append(waits, w.waited)
		}
	}
	slices.Sort(waits)
	line.Records = len(waits) + line.NeverStarted
	line.P50, line.P95, line.P99 = seconds(waits, line.Records, 0.5), seconds(waits, line.Records, 0.95), seconds(waits, line.Records, 0.99)
	line.InTime, _ = slices.BinarySearchFunc(waits, t.Within, func(wait, limit time.Duration) int {
		if wait <= limit {
			return -1
		}
		return 1
	})
	if line.Records > 0 {
		line.Within = float64(line.InTime) / float64(line.Records)
		line.Verdict = Broken
		if line.InTime >= percentile.Rank(line.Records, t.Share) {
			line.Verdict = Kept
		}
	}
	line.Ended = p.rows - p.outcomes.Of(collection.OutcomeCancelled)
	if line.Ended > 0 {
		good := p.outcomes.Of(collection.OutcomeDelivered) + p.outcomes.Of(collection.OutcomeGone)
		line.Success = float64(good) / float64(line.Ended)
	}
	return line
}

// seconds is the wait that the share of n records did not exceed. The waits are those of the records that started, ascending;
// the others wait for ever.
func seconds(waits []time.Duration, n int, share float64) *float64 {
	wait, ok := percentile.Of(waits, n, share)
	if !ok {
		return nil
	}
	s := wait.Seconds()
	return &s
}
