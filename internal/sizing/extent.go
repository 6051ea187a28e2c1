package sizing

import (
	"fmt"
	"strings"
)

// Extent is how much was recorded, or is needed.
type Extent struct {
	Submissions int `json:"submissions"`
	Jobs        int `json:"jobs"`
	// Services is how many service times are known.
	Services int     `json:"service_times"`
	Days     float64 `json:"days"`
}

// Extent is how much the history holds.
func (h *History) Extent() Extent {
	return Extent{Submissions: len(h.Batches), Jobs: h.Jobs(), Services: len(h.Services), Days: h.Span().Hours() / 24}
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

// affordable is how many jobs a study draws in some ten seconds on two cores.
const affordable = 5e6

// Affordable are the parameters with no more replications and months than a study of so many jobs has time for, but at least
// so many replications that their spread tells something. Where even that is too much, Check says so.
func (p Params) Affordable() Params {
	const leastSeeds = 3
	for p.jobs()*float64(p.Seeds) > affordable && (p.Months > 1 || p.Seeds > leastSeeds) {
		if p.Months > 1 {
			p.Months = (p.Months + 1) / 2
			continue
		}
		p.Seeds = max(p.Seeds/2, leastSeeds)
	}
	return p
}
