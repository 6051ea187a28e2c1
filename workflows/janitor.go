package workflows

import (
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/verdict"
)

// Janitor goes through every class of objects and deletes what is kept no longer. A class that fails keeps none of the
// others from being gone through.
func Janitor(ctx workflow.Context, in collection.JanitorInput) (collection.JanitorResult, error) {
	j := &janitor{in: in, result: collection.JanitorResult{DryRun: in.DryRun, Classes: []collection.TidyResult{}}}
	if err := workflow.SetQueryHandler(ctx, collection.QueryStatus, j.status); err != nil {
		return collection.JanitorResult{}, err
	}
	return j.run(ctx)
}

type janitor struct {
	in     collection.JanitorInput
	result collection.JanitorResult
}

func (j *janitor) status() (collection.JanitorResult, error) { return j.result, nil }

// run is the only place where the workflow ends.
func (j *janitor) run(ctx workflow.Context) (collection.JanitorResult, error) {
	j.result.StartedAt = workflow.Now(ctx).UTC()
	for _, class := range collection.ObjectClasses() {
		done, err := j.tidy(ctx, class)
		if temporal.IsCanceledError(err) {
			return collection.JanitorResult{}, err
		}
		if err != nil {
			done = collection.TidyResult{Class: class, Problem: verdict.OfActivity(err).Detail}
		}
		j.result.Classes = append(j.result.Classes, done)
		workflow.SetCurrentDetails(ctx, janitorMarkdown(j.result))
	}
	j.result.EndedAt = workflow.Now(ctx).UTC()
	return j.result, nil
}

// tidyFor bounds the work on one class, so that a run ends before the next day's begins.
const tidyFor = 3 * time.Hour

func (j *janitor) tidy(ctx workflow.Context, class collection.ObjectClass) (collection.TidyResult, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: collection.QueueFleet, StartToCloseTimeout: tidyFor, ScheduleToCloseTimeout: tidyFor, HeartbeatTimeout: time.Minute,
		WaitForCancellation: true, RetryPolicy: retry(), Summary: string(class),
	})
	var done collection.TidyResult
	err := workflow.ExecuteActivity(ctx, keeper.Tidy, collection.TidyInput{
		Class: class, Now: j.result.StartedAt, DryRun: j.in.DryRun,
	}).Get(ctx, &done)
	return done, err
}

func janitorMarkdown(r collection.JanitorResult) string {
	var b strings.Builder
	if r.DryRun {
		b.WriteString("A dry run: nothing is deleted.\n\n")
	}
	b.WriteString("| class | kept for | looked at | deleted | bytes | held | failed | problem |\n|---|---|---:|---:|---:|---:|---:|---|\n")
	for _, c := range r.Classes {
		kept := c.Retention.String()
		if c.Retention == 0 {
			kept = "ever"
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d | %d | %s |\n", c.Class, kept, c.Looked, c.Deleted, c.Bytes, c.Held, c.Failed, cell(c.Problem))
	}
	return b.String()
}
