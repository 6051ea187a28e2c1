package workers

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
)

// lookout keeps the schedules of the fleet made, and its metrics true: the last sweep and the last janitor are read from the
// engine, so that every process with the role fleet shows the same, whoever ran them, and a restarted one at once.
type lookout struct {
	watch  watch
	logger *slog.Logger
	swept  func(collection.SweepResult)
	tidied func(collection.JanitorResult)

	// made says that the schedules have been made where they were missing.
	made bool
	// seen are the runs whose results are shown, by workflow type.
	seen map[string]string
}

// keepLookout looks out until ctx ends, in a process with the role fleet.
func (p *process) keepLookout(ctx context.Context, roles []collection.Role, logger *slog.Logger) {
	if !slices.Contains(roles, collection.RoleFleet) {
		return
	}
	l := &lookout{watch: p.watch(), logger: logger, swept: p.metrics.Swept, tidied: p.metrics.Tidied, seen: map[string]string{}}
	l.run(ctx)
}

// lookoutInterval is how often the lookout looks. It costs two searches, and a result where there is a new one.
const lookoutInterval = time.Minute

func (l *lookout) run(ctx context.Context) {
	ticker := time.NewTicker(lookoutInterval)
	defer ticker.Stop()
	for {
		if err := l.look(ctx); err != nil && ctx.Err() == nil {
			l.logger.Warn("the figures of the last sweep are not up to date", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (l *lookout) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookoutInterval/2)
	defer cancel()
	var made error
	if !l.made {
		// Once: who deletes a schedule while the fleet runs has a reason.
		made = ensureSchedules(ctx, l.watch.engine.ScheduleClient(), l.logger)
		l.made = made == nil
	}
	return errors.Join(made,
		latest(ctx, l, collection.WorkflowSweep, nil, l.swept),
		latest(ctx, l, collection.WorkflowJanitor, func(r collection.JanitorResult) bool { return !r.DryRun }, l.tidied))
}

// latest shows the result of the latest run of a type that ended well and counts, if it is not shown already.
func latest[T any](ctx context.Context, l *lookout, kind string, counts func(T) bool, show func(T)) error {
	last, isNew, err := engine.Latest(ctx, l.watch.engine, engine.Wanted[T]{
		Namespace: l.watch.namespace, Workflow: kind, Counts: counts, Seen: l.seen[kind],
	})
	if err != nil || !isNew {
		return err
	}
	l.seen[kind] = last.RunID
	show(last.Result)
	return nil
}
