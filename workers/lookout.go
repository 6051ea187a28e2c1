package workers

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
)

// lookout keeps the schedules of the fleet made, and its metrics true: the last sweep and the last janitor are read from the
// engine, so that every process with the role fleet shows the same, whoever ran them, and a restarted one at once.
type lookout struct {
	watch  watch
	logger *slog.Logger
	swept  func(collection.SweepResult)
	tidied func(collection.JanitorResult)

	made bool
	// seen are the runs whose results are shown, by workflow type.
	seen map[string]string
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
		latest(ctx, l, collection.WorkflowSweep, func(collection.SweepResult) bool { return true }, l.swept),
		latest(ctx, l, collection.WorkflowJanitor, func(r collection.JanitorResult) bool { return !r.DryRun }, l.tidied))
}

// recentRuns is how many runs are looked through for one that counts.
const recentRuns = 10

// latest shows the result of the latest run of a type that ended well and counts, if it is not shown already.
func latest[T any](ctx context.Context, l *lookout, kind string, counts func(T) bool, show func(T)) error {
	runs, _, err := l.watch.Find(ctx, `WorkflowType="`+kind+`" AND ExecutionStatus="Completed"`, recentRuns)
	if err != nil {
		return err
	}
	for _, r := range newestFirst(runs) {
		if l.seen[kind] == r.RunID {
			return nil
		}
		var result T
		if err := l.watch.engine.GetWorkflow(ctx, r.WorkflowID, r.RunID).Get(ctx, &result); err != nil {
			return err
		}
		if counts(result) {
			l.seen[kind] = r.RunID
			show(result)
			return nil
		}
	}
	return nil
}

func newestFirst(runs []activities.Execution) []activities.Execution {
	slices.SortFunc(runs, func(a, b activities.Execution) int { return b.Ended.Compare(a.Ended) })
	return runs
}
