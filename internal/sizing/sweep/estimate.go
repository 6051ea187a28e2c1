package sweep

import (
	"time"

	"github.com/weir-collect/weir/internal/sizing"
)

// What a study computes, measured on a core of a small server: a job is drawn in drawn and given to a worker in played. A table
// has so many rows where nobody chose them, and a study so many variants, each played through so many fleets.
const (
	drawn         = 50 * time.Nanosecond
	played        = 20 * time.Nanosecond
	usualRows     = 50
	usualVariants = 16
	usualFleets   = 6
	// A recorded job is put down once, and given to so many fleets one after another, on one core whatever their number.
	replayedFleets = 16
)

// Estimate is how long Study takes on so many cores with nothing else to do, to a factor of about two. Ceilings, customers and
// elastic capacity of large fleets come on top. The history is nil where there is none.
func Estimate(p sizing.Params, history *sizing.History, cores int) time.Duration {
	rows := usualRows
	if p.Workers.To > 0 {
		rows = len(p.Fleets(p.Workers.To))
	}
	takes := func(jobs float64, fleets int) time.Duration {
		return time.Duration(jobs * float64(drawn+time.Duration(fleets)*played))
	}
	spent := func(p sizing.Params, fleets int) time.Duration { return takes(p.JobsPerRun()*float64(p.Seeds), fleets) }
	variant := p
	if !affordable(p) {
		variant = few(p)
	}
	all := (spent(p, rows) + usualVariants*spent(variant, usualFleets)) / time.Duration(max(cores, 1))
	if history != nil && history.Replayable(p) {
		part, _ := history.Newest()
		all += takes(float64(part.Jobs()), replayedFleets)
	}
	return all
}
