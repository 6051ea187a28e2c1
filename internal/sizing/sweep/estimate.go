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
)

// Estimate is how long Study takes on so many cores with nothing else to do, to a factor of about two. Ceilings, customers and
// elastic capacity of large fleets come on top.
func Estimate(p sizing.Params, cores int) time.Duration {
	rows := usualRows
	if p.Workers.To > 0 {
		rows = len(p.Fleets(p.Workers.To))
	}
	spent := func(p sizing.Params, fleets int) time.Duration {
		each := drawn + time.Duration(fleets)*played
		return time.Duration(p.JobsPerRun() * float64(p.Seeds) * float64(each))
	}
	variant := p
	if !affordable(p) {
		variant = few(p)
	}
	return (spent(p, rows) + usualVariants*spent(variant, usualFleets)) / time.Duration(max(cores, 1))
}
