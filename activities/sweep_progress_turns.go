package activities

import (
	"context"
	"fmt"
	"slices"

	"github.com/weir-collect/weir/internal/lease"
)

// endedByThemselves are records that came to an end of their own: nobody has to work at a source to cancel its records.
const endedByThemselves = ofRecords + ` AND ExecutionStatus IN ("Completed", "Failed")`

// anyIdle says whether nothing happens at one of some sources. Where all of them work, be it on the records of others, a submission
// without an event only waits for its turn: it is in the bulk lane, or has little weight at a slow source.
func (c *sweepCheck) anyIdle(ctx context.Context, sources []string, rows []lease.SourceView) (bool, error) {
	for _, source := range sources {
		if inFlight(rows, source) {
			continue
		}
		ended, err := c.Watch.Count(ctx, fmt.Sprintf(endedByThemselves+ofSource+` AND CloseTime > %q`, source, c.ago(c.quiet)))
		if err != nil {
			return false, fmt.Errorf("count what has ended at %s: %w", source, err)
		}
		if ended == 0 {
			return true, nil
		}
	}
	return false, nil
}

// inFlight says whether a worker that lives has a request in flight at a source.
func inFlight(rows []lease.SourceView, source string) bool {
	row, _ := lease.ViewOf(rows, source)
	return slices.ContainsFunc(row.Workers, func(w lease.WorkerView) bool { return !w.Lost && w.InFlight > 0 })
}
