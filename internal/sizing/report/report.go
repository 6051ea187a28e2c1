// Package report words the findings of package sizing: as a model with stable JSON names, and as text for a terminal.
//
// It is pure. It must not know how findings are computed, where they are printed, or the command line.
package report

import (
	"encoding/json"
	"io"

	"github.com/weir-collect/weir/internal/sizing"
)

// Report is the answer to "how many workers does the promise take". Its JSON names are stable: fields are added, never
// renamed. Money is dollars a month, waits are minutes, shares are between 0 and 1.
type Report struct {
	Inputs  Inputs         `json:"inputs"`
	Promise sizing.Promise `json:"promise"`
	// Load is the offered load in erlangs.
	Load float64 `json:"load_erlangs"`
	// Answer is the fleet to plan for.
	Answer  Answer  `json:"answer"`
	Formula Formula `json:"formula"`
	// Simulated is the fleet that the simulation recommends. Ceilings, customers or recorded arrivals may take more: see Answer.
	Simulated Simulated `json:"simulated"`
	Strict    Strict    `json:"strict"`
	// Fleets is the table, smallest first.
	Fleets []sizing.Point `json:"fleets"`
	Deep   Deep           `json:"deep"`
	Prices Prices         `json:"prices"`
	// PerJob is what one job costs.
	PerJob      PerJob      `json:"cost_per_job"`
	Sensitivity Sensitivity `json:"sensitivity"`
	Elastic     *Elastic    `json:"elastic,omitempty"`
	Shared      *Shared     `json:"shared,omitempty"`
	Replay      *Replay     `json:"replay,omitempty"`
	// Curves are distributions of waits.
	Curves []sizing.Curve `json:"curves"`
	// Notes are sentences that a reader must not miss.
	Notes []string `json:"notes"`
}

// Inputs is what the fleet was sized for. It is what a later measurement is compared with to see drift.
type Inputs struct {
	JobsPerHour    float64      `json:"jobs_per_hour"`
	ServiceShape   sizing.Shape `json:"service_shape"`
	ServiceMinutes float64      `json:"service_mean_minutes"`
	BatchShape     sizing.Shape `json:"batch_shape"`
	BatchMean      float64      `json:"batch_mean"`
	// BatchSeen is the mean batch as its jobs see it: every batch counts once for each of its jobs.
	BatchSeen          float64 `json:"batch_mean_seen_by_jobs"`
	WorkerMonthDollars float64 `json:"worker_month_dollars"`
	Months             int     `json:"months"`
	HoursPerMonth      float64 `json:"hours_per_month"`
	WarmUpHours        float64 `json:"warm_up_hours"`
	Seed               uint64  `json:"seed"`
	Seeds              int     `json:"seeds"`
	Jobs               int64   `json:"jobs_simulated"`
}

// Formula is Erlang's answer, which takes arrivals for smooth.
type Formula struct {
	// Workers is 0 where not even the largest fleet would do.
	Workers int     `json:"workers"`
	Dollars float64 `json:"dollars"`
	// Wait is the promised share's wait by the formula, SimulatedWait the same by simulation of smooth arrivals.
	Wait          float64         `json:"wait_minutes"`
	SimulatedWait sizing.Interval `json:"simulated_wait_minutes"`
	// WaitOneLess is with one worker less; 0 where that never catches up.
	WaitOneLess float64 `json:"wait_one_less_minutes"`
	// Batched is what that fleet shows when jobs arrive in batches.
	Batched *sizing.Point `json:"under_batches,omitempty"`
}

// Simulated is the recommended fleet and how sure that is.
type Simulated struct {
	sizing.Point
	// Runs is how many replications there were, Votes how many of them each fleet was the smallest to keep.
	Runs  int            `json:"runs"`
	Votes []sizing.Votes `json:"votes"`
	// Exact is the share in time by the exact solution, where the shapes have one.
	Exact *float64 `json:"exact_within,omitempty"`
}

// Strict is the reading of the promise by which every single month must keep it.
type Strict struct {
	// Workers is 0 where no fleet of the table keeps it in at least half of the replications.
	Workers int            `json:"workers"`
	Dollars float64        `json:"dollars"`
	Votes   []sizing.Votes `json:"votes"`
	// Alone is the smallest fleet that keeps it in at least half of the replications. Workers are more where the recommended fleet
	// is larger.
	Alone int `json:"workers_alone"`
}

// Deep is why batches cost: jobs that stand so deep in their own batch, or deeper.
type Deep struct {
	Depth int     `json:"depth"`
	Share float64 `json:"share"`
}

// Sensitivity is the same load under other assumptions.
type Sensitivity struct {
	// Seeds is how many runs it is from. Where those are all of them, fleets are found by the rule of the answer; else they are
	// about right, as those of Prices.Pacing are.
	Seeds      int              `json:"seeds"`
	BatchSizes []sizing.Variant `json:"batch_sizes"`
	Tails      []sizing.Variant `json:"tails"`
}

// JSON writes the report as indented JSON.
func (r Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// at is the row of a fleet, or nil.
func (r Report) at(workers int) *sizing.Point {
	for i := range r.Fleets {
		if r.Fleets[i].Workers == workers {
			return &r.Fleets[i]
		}
	}
	return nil
}
