package sizing

import (
	"fmt"
	"strings"
)

// Extent is how much was recorded, or is needed.
type Extent struct {
	Submissions int `json:"submissions"`
	Jobs        int `json:"jobs"`
	// Services is how many service times were measured.
	Services int     `json:"service_times"`
	Days     float64 `json:"days"`
}

// Extent is how much the history holds.
func (h *History) Extent() Extent {
	return Extent{Submissions: len(h.Batches), Jobs: h.Jobs(), Services: h.timed(), Days: h.Span().Hours() / 24}
}

// Needed is what Check asks for.
func Needed() Extent {
	return Extent{Submissions: needBatches, Jobs: needJobs, Services: needServices, Days: needSpan.Hours() / 24}
}

// Covers tells whether there is as much as needed of everything.
func (e Extent) Covers(need Extent) bool {
	return e.Submissions >= need.Submissions && e.Jobs >= need.Jobs && e.Services >= need.Services && e.Days >= need.Days
}

// String is the extent in words; jobs are called records, as customers know them.
func (e Extent) String() string {
	count := func(n int, thing string) string {
		if n == 1 {
			return "1 " + thing
		}
		return fmt.Sprintf("%d %ss", n, thing)
	}
	days := strings.TrimSuffix(fmt.Sprintf("%.1f", e.Days), ".0")
	return fmt.Sprintf("%s, %s, %s and %s days", count(e.Submissions, "submission"), count(e.Jobs, "record"),
		count(e.Services, "service time"), days)
}

const (
	// affordable is how many jobs a study draws in some ten seconds on two cores.
	affordable = 5e6
	// patience is how many times that many it may draw for batches that are large and therefore few.
	patience = 8
)

// Affordable are the parameters with no more replications and months than a study of so many jobs has time for, but at least
// so many replications that their spread tells something, and within patience so many batches that they can show the promise.
// Where even that is too much, Check says so.
func (p Params) Affordable() Params {
	const leastSeeds = 3
	for p.Months > 1 || p.Seeds > leastSeeds {
		drawn := p.JobsPerRun() * float64(p.Seeds)
		less := p
		if p.Months > 1 {
			less.Months = (p.Months + 1) / 2
		} else {
			less.Seeds = max(p.Seeds/2, leastSeeds)
		}
		if drawn <= affordable || drawn <= patience*affordable && less.LateBatches() < FewLate {
			break
		}
		p = less
	}
	return p
}
