package sizing

import "math"

// Verdict is what a simulation says of the promise to one customer. It is a word of reports, and in them for programs.
type Verdict string

// The verdicts.
const (
	VerdictKept   Verdict = "kept"
	VerdictBroken Verdict = "broken"
	// VerdictTooFew is given where the customer's jobs are too few to tell: their share in time could be chance.
	VerdictTooFew Verdict = "too few to tell"
)

// aDay is the span whose late jobs count as one piece of evidence, in microseconds: a batch is late together, and so are batches of
// one rush, which is over by the next day.
const aDay = 24 * 60 * 60 * 1_000_000

// Count is how many jobs there were, and how many of them started in time.
type Count struct {
	Jobs, Within int64
	// Squares are summed over days: how many more jobs were late than the promise lets be late, squared.
	Squares float64
}

// countDays adds up the days of one customer.
func countDays(days []Count, promise Promise) Count {
	var all Count
	for _, day := range days {
		over := day.over(promise)
		all.merge(Count{Jobs: day.Jobs, Within: day.Within, Squares: over * over})
	}
	return all
}

func (c *Count) merge(other Count) {
	c.Jobs += other.Jobs
	c.Within += other.Within
	c.Squares += other.Squares
}

// over is how many more jobs were late than the promise lets be late.
func (c Count) over(promise Promise) float64 {
	return promise.Share*float64(c.Jobs) - float64(c.Within)
}

// broken tells whether more jobs were late than a customer to whom the promise is kept would have, of so many customers: the
// largest of a hundred equal shares is far from the middle by chance alone, so that one in twenty studies at most finds a
// customer for whom it breaks though it breaks for none.
func (c Count) broken(promise Promise, customers int) bool {
	const falseAlarms = 0.05
	errors := math.Sqrt2 * math.Erfinv(1-2*falseAlarms/float64(customers))
	over := c.over(promise)
	return !promise.keeps(c.Within, c.Jobs) && over > errors*math.Sqrt(c.Squares)
}

// Kept tells whether the promise was kept over all jobs, and to every customer, where there are some, since it was given to each of
// them: a large customer's jobs in time make up for nobody else's late ones. Who has too few jobs to tell decides nothing.
func (s Shared) Kept(promise Promise) bool {
	for _, c := range s.PerCustomer {
		if c.broken(promise, len(s.PerCustomer)) {
			return false
		}
	}
	return promise.keeps(s.Within, s.Jobs)
}

// Verdict tells whether the promise of the parameters was kept to one customer.
func (s Shared) Verdict(p Params, customer int) Verdict {
	c := s.PerCustomer[customer]
	switch {
	case c.broken(p.Promise, len(s.PerCustomer)):
		return VerdictBroken
	case !p.Promise.keeps(c.Within, c.Jobs), (1-p.Promise.Share)*p.batchesOf(float64(c.Jobs)) < FewLate:
		return VerdictTooFew
	}
	return VerdictKept
}
