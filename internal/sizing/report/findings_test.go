package report_test

import (
	"github.com/weir-collect/weir/internal/sizing"
)

// point is a row with round numbers.
func point(workers int, median, wait, within float64, late float64, kept, strict int) sizing.Point {
	p := sizing.Default()
	return sizing.Point{
		Workers: workers, Steady: true, Dollars: p.Dollars(workers), SmoothWait: p.Smooth().Wait(workers, 0.95),
		Median: sizing.Interval{Value: median}, Wait: sizing.Interval{Value: wait, HalfWidth: wait / 40},
		MeanWait: sizing.Interval{Value: wait / 4}, Within: sizing.Interval{Value: within, HalfWidth: 0.001},
		LatePerMonth: late, Utilisation: sizing.Interval{Value: 5 / float64(workers), HalfWidth: 0.001},
		KeptRuns: kept, StrictRuns: strict, BestMonth: wait * 0.7, WorstMonth: wait * 1.5,
	}
}

// experiment is findings near the published ones, written by hand: what is tested is the wording, not the simulation.
func experiment() sizing.Findings {
	p := sizing.Default()
	return sizing.Findings{
		Params: p, Formula: 8, Recommended: 31, Strict: 33,
		Smooth: sizing.Point{Workers: 8, Steady: true, Wait: sizing.Interval{Value: 3.99, HalfWidth: 0.05}},
		Points: []sizing.Point{
			sizing.Unsteady(p, 4), sizing.Unsteady(p, 5),
			point(6, 80, 360, 0.12, 19000, 0, 0), point(8, 18.4, 106.4, 0.295, 14968, 0, 0), point(20, 0, 15, 0.823, 3765, 0, 0),
			point(30, 0, 5.2, 0.947, 1140, 3, 0), point(31, 0, 4.7, 0.953, 1006, 17, 1), point(32, 0, 4.2, 0.958, 900, 20, 4),
			point(33, 0, 3.7, 0.963, 800, 20, 14), point(40, 0, 0, 0.984, 340, 20, 20),
		},
		Arrivals: sizing.Arrivals{Jobs: 4_247_040, BatchSizes: map[int]int{1: 100, 10: 100, 36: 100, 60: 2}},
		Curves:   []sizing.Curve{{Workers: 8, Smooth: true, Dots: []sizing.Share{{Minutes: 1, Share: 0.9}, {Minutes: 20, Share: 1}}}},
		Sizes: []sizing.Variant{
			{Name: "one by one", Workers: 8, Dollars: 520, Steady: true, Within: 1},
			{Name: "batches of mean 12 (as assumed)", Workers: 31, Dollars: 2015, Steady: true, Wait: 4.7, Within: 0.953},
			{Name: "batches of mean 1000", Steady: true, Within: 0.02},
		},
		Tails:        []sizing.Variant{{Name: "service times all alike", Workers: 42, Dollars: 2730, Within: 0.88}},
		Paces:        []sizing.Variant{{Name: "a job every 1 min", Workers: 19, Dollars: 1235}, {Name: "never found"}},
		VariantSeeds: 20,
		EventSeeds:   5,
		Elastic: &sizing.Sized{
			Recommended: shared(31, 1000, 936, 310),
			Smallest:    shared(34, 1000, 953, 330),
		},
	}
}

// shared is an event simulation of thirty minutes in which so many worker minutes were paid.
func shared(workers int, jobs, within int64, paid float64) sizing.Shared {
	return sizing.Shared{
		Workers: workers, Jobs: jobs, Within: within, PaidMinutes: paid, Minutes: 30, Peak: workers, Waits: sizing.NewHistogram(),
	}
}
