package sizing_test

import (
	"fmt"
	"strings"

	"github.com/weir-collect/weir/internal/sizing"
)

// The formula's answer, which takes jobs for coming one by one.
func ExampleSmooth_Smallest() {
	fleet := sizing.Smooth{Load: 5, MeanMinutes: 10}
	workers := fleet.Smallest(sizing.Promise{Share: 0.95, Minutes: 5})
	fmt.Printf("%d workers, 95 %% of jobs start within %.1f minutes\n", workers, fleet.Wait(workers, 0.95))
	// Output: 8 workers, 95 % of jobs start within 4.0 minutes
}

// What the formula's fleet shows when the same jobs come in batches of twelve, and what a fleet four times as large does.
func ExampleBatched_Within() {
	fleet := sizing.Batched{Load: 5, MeanMinutes: 10, MeanBatch: 12}
	for _, workers := range []int{8, 31} {
		fmt.Printf("%d workers start %.1f %% within 5 minutes\n", workers, 100*fleet.Within(workers, 5))
	}
	// Output:
	// 8 workers start 29.1 % within 5 minutes
	// 31 workers start 95.3 % within 5 minutes
}

// A parameter file says what differs from the experiment, and hears of all its faults at once.
func ExampleReadParams() {
	p, err := sizing.ReadParams(strings.NewReader(`{"batches": {"max": 24}}`))
	fmt.Printf("batches of mean %.1f, %v\n", p.Batches.MeanSize(), err)

	_, err = sizing.ReadParams(strings.NewReader(`{"jobs_per_hour": 0, "seeds": 0}`))
	fmt.Println(err)
	// Output:
	// batches of mean 10.5, <nil>
	// jobs_per_hour = 0: use more than 0, up to 1e+06
	// seeds = 0: use 1 to 1000
}

// A history that is too short says what it is missing.
func ExampleReadHistory() {
	h, err := sizing.ReadHistory(strings.NewReader("submitted_at,jobs\n2026-03-01T08:00:00Z,40\n2026-03-09T09:30:00Z,600\n"))
	fmt.Println(h.Jobs(), "jobs,", err)
	fmt.Println(h.Check())
	// Output:
	// 640 jobs, <nil>
	// history: it has 2 submissions and needs 50: record for longer
}

// A search that trusts that more never hurts.
func ExampleSmallest() {
	fmt.Println(sizing.Smallest(6, 100, func(workers int) bool { return workers*workers > 900 }))
	fmt.Println(sizing.Smallest(6, 30, func(workers int) bool { return workers*workers > 900 }))
	// Output:
	// 31
	// 0
}
