package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

// reportInterval is the least time between two reports of a batch to its submission.
const reportInterval = 3 * time.Second

// report tells the submission how far the batch is, from now until stop is called: when ProgressStep records have moved
// and reportInterval has passed, and at once when the last record is released, since the submission then starts the
// source's next batch. The last outcomes are in the batch's result.
func (b *batch) report(ctx workflow.Context) (stop func()) {
	parent := workflow.GetInfo(ctx).ParentWorkflowExecution
	ctx, cancel := workflow.WithCancel(ctx)
	workflow.Go(ctx, func(ctx workflow.Context) {
		told, toldReleased := 0, false
		for {
			err := workflow.Await(ctx, func() bool {
				return b.moved()-told >= b.in.ProgressStep || (b.allReleased() && !toldReleased)
			})
			if err != nil {
				return
			}
			told, toldReleased = b.moved(), b.allReleased()
			b.details(ctx)
			if parent != nil {
				b.signal(ctx, parent)
			}
			if b.pause(ctx, toldReleased) != nil {
				return
			}
		}
	})
	return cancel
}

// pause waits between two reports, but not longer than until the last record is released.
func (b *batch) pause(ctx workflow.Context, toldReleased bool) error {
	_, err := workflow.AwaitWithTimeout(ctx, reportInterval, func() bool { return b.allReleased() && !toldReleased })
	return err
}

func (b *batch) signal(ctx workflow.Context, parent *workflow.Execution) {
	// Without a run id it reaches the run that is current: the one that started us may have been reset.
	err := workflow.SignalExternalWorkflow(ctx, parent.ID, "", collection.SignalBatchProgress,
		collection.BatchProgress{
			Source: b.in.Source, Number: b.in.Number, Released: b.released, Outcomes: b.outcomes,
		}).Get(ctx, nil)
	if err != nil && ctx.Err() == nil {
		// The numbers are absolute and the result brings the last ones: a lost report costs nothing but its freshness.
		workflow.GetLogger(ctx).Warn("the batch could not report to its submission", "error", err)
	}
}

func (b *batch) moved() int { return b.released + b.outcomes.Total() }

func (b *batch) allReleased() bool { return b.released == len(b.records) }
