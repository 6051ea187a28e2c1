package sizing

import "math"

// The jobs of a batch are late together, so what a simulation shows of a small share of late jobs it shows by batches.
const (
	// noneLate is the rule of three: of n batches none was late, so with 95 % confidence at most 3/n of them are.
	noneLate = 3
	// FewLate is how many batches the promise must let be late for the spread of the runs to mean much.
	FewLate = 10
)

// batchesOf is how many batches so many jobs are, as jobs see batches.
func (p Params) batchesOf(jobs float64) float64 { return jobs / p.Burst().BatchSeen }

// LateBatches is how many batches the promise lets be late, in all months of all runs together, as jobs see batches.
func (p Params) LateBatches() float64 {
	return (1 - p.Promise.Share) * p.batchesOf(p.JobsPerMonth()*float64(p.Months*p.Seeds))
}

// humble widens the interval of a share in time to what so many jobs can show at all: runs without a late job differ in
// nothing, and would pass for certain.
func (p Params) humble(within Interval, jobs int64) Interval {
	if p.Seeds > 1 && jobs > 0 {
		shown := math.Max(0, 1-noneLate/p.batchesOf(float64(jobs)))
		within.HalfWidth = math.Max(within.HalfWidth, within.Value-shown)
	}
	return within
}
