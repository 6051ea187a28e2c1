package doctor

import (
	"fmt"
	"time"

	"github.com/weir-collect/weir/internal/lease"
)

// leaseOver is how long after its end a lease counts as lost though the table does not say so yet: the table's time is that of
// its last event, and clocks of two machines may differ a little.
const leaseOver = 30 * time.Second

// gone looks for workers that Temporal remembers and that are no more: who was killed is in the list of pollers for minutes,
// while the owner of the ceilings answers only where a worker with the role fleet runs, and a lease lasts seconds.
func (x *exam) gone(rows []lease.SourceView, err error) []Finding {
	if err != nil {
		return []Finding{warn(fmt.Sprintf("queues were polled within two minutes, but no worker answers now: %v", err),
			"Temporal remembers who is gone for minutes: see that workers still run, one with the role fleet at least (weir worker)")}
	}
	live, lost := map[string]bool{}, map[string]bool{}
	for _, r := range rows {
		for _, w := range r.Workers {
			if x.lost(w) {
				lost[w.Worker] = true
			} else {
				live[w.Worker] = true
			}
		}
	}
	if len(live) > 0 || len(lost) == 0 {
		return nil
	}
	what := fmt.Sprintf("the lease of each of the %d workers that collect is lost", len(lost))
	if len(lost) == 1 {
		what = "the lease of the one worker that collects is lost"
	}
	return []Finding{warn("queues were polled within two minutes, but "+what,
		"see that workers with the role collect still run (weir worker); weir sources --verbose says since when each is lost")}
}

// lost says whether a worker holds nothing any more.
func (x *exam) lost(w lease.WorkerView) bool {
	return w.Lost || !w.LeaseEnds.IsZero() && x.Now().Sub(w.LeaseEnds) > leaseOver
}
