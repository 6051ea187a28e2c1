package workers

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
)

// fleetSlots bounds the checks and tidyings of one process at a time: a sweep makes one after another.
const fleetSlots = 4

// fleetActivities are what looks at the fleet from outside.
func (p *process) fleetActivities(w worker.Worker) {
	at := p.watch()
	sweeper := &activities.Sweeper{Watch: at, Store: p.store, Clock: time.Now}
	janitor := &activities.Janitor{Store: p.store, Submissions: at, Ages: p.cfg.Retention.Ages(), Clock: time.Now}
	register(w, collection.ActivitySweepCheck, sweeper.SweepCheck)
	register(w, collection.ActivityTidy, janitor.Tidy)
}

func (p *process) watch() watch { return watch{engine: p.engine, namespace: p.namespace} }

// keepLookout looks out until ctx ends, in a process with the role fleet.
func (p *process) keepLookout(ctx context.Context, roles []collection.Role, logger *slog.Logger) {
	if !slices.Contains(roles, collection.RoleFleet) {
		return
	}
	l := &lookout{watch: p.watch(), logger: logger, swept: p.metrics.Swept, tidied: p.metrics.Tidied, seen: map[string]string{}}
	l.run(ctx)
}
