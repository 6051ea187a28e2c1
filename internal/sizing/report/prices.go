package report

import "github.com/weir-collect/weir/internal/sizing"

// Prices is the price list: what is paid for what.
type Prices struct {
	// Promise is what keeping the promise costs beyond the fleet that the formula asks for.
	Promise float64 `json:"promise_dollars"`
	// Strict is what the strict reading costs beyond that.
	Strict float64 `json:"strict_dollars"`
	// Beyond is what the answer's fleet costs beyond the simulation's, with which everything else here compares.
	Beyond float64 `json:"beyond_simulation_dollars"`
	// Smaller are fleets between the formula's and the recommended one.
	Smaller []Trade `json:"smaller_fleets"`
	// Pacing is what it would save if customers handed in the jobs of a batch one after another.
	Pacing []Pace `json:"pacing"`
}

// Trade is a smaller fleet: money for late jobs.
type Trade struct {
	Workers int     `json:"workers"`
	Saves   float64 `json:"saves_dollars"`
	Within  float64 `json:"within"`
	// MoreLate is how many more jobs a month start late.
	MoreLate float64 `json:"more_late_per_month"`
	// LatePerDollar is how many late jobs are bought with a dollar saved; 0 where nothing is saved.
	LatePerDollar float64 `json:"late_per_dollar"`
}

// Pace is the fleet for paced batches. The saving is what a discount for pacing, or a fee for bursts, is worth.
type Pace struct {
	Name    string  `json:"name"`
	Workers int     `json:"workers"`
	Dollars float64 `json:"dollars"`
	Saves   float64 `json:"saves_dollars"`
}

func (r Report) prices(f sizing.Findings) Prices {
	now := r.Simulated.Point
	out := Prices{Smaller: []Trade{}, Pacing: []Pace{}}
	if f.Formula > 0 {
		out.Promise = now.Dollars - r.Formula.Dollars
	}
	if f.Strict > 0 {
		out.Strict = r.Strict.Dollars - now.Dollars
	}
	if r.Answer.Workers > 0 {
		out.Beyond = r.Answer.Dollars - now.Dollars
	}
	for _, point := range f.Points {
		if !point.Steady || point.Workers < f.Formula || point.Workers >= now.Workers {
			continue
		}
		t := Trade{
			Workers: point.Workers, Saves: now.Dollars - point.Dollars, Within: point.Within.Value,
			MoreLate: point.LatePerMonth - now.LatePerMonth,
		}
		if t.Saves > 0 {
			t.LatePerDollar = t.MoreLate / t.Saves
		}
		out.Smaller = append(out.Smaller, t)
	}
	for _, v := range f.Paces {
		if v.Workers > 0 {
			out.Pacing = append(out.Pacing, Pace{Name: v.Name, Workers: v.Workers, Dollars: v.Dollars, Saves: now.Dollars - v.Dollars})
		}
	}
	return out
}

// PerJob is what one job costs in dollars: the workers that the load needs, the workers that the promise needs on top by the
// simulation and beyond it, and what is paid by the piece.
type PerJob struct {
	Load    float64 `json:"load_dollars"`
	Promise float64 `json:"promise_dollars"`
	Beyond  float64 `json:"beyond_simulation_dollars"`
	Pieces  []Piece `json:"pieces"`
	Total   float64 `json:"total_dollars"`
}

// Piece is one thing paid for by the piece.
type Piece struct {
	Name    string  `json:"name"`
	Dollars float64 `json:"dollars"`
}

func perJob(p sizing.Params, r Report) PerJob {
	jobs := p.JobsPerMonth()
	out := PerJob{Promise: r.Prices.Promise / jobs, Beyond: r.Prices.Beyond / jobs, Pieces: []Piece{}}
	out.Load = r.Simulated.Dollars/jobs - out.Promise
	out.Total = r.Simulated.Dollars/jobs + out.Beyond
	for _, cost := range p.JobCosts {
		piece := Piece{Name: cost.Name, Dollars: cost.UnitsPerJob * cost.DollarsPerUnit}
		out.Pieces = append(out.Pieces, piece)
		out.Total += piece.Dollars
	}
	return out
}
