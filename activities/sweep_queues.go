package activities

import (
	"context"
	"fmt"
	"slices"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// sweptQueues are those that all work goes through. Not the fleet's: the sweep itself is one of its tasks, so that where nobody
// polls it there is no sweep to say so.
func sweptQueues() []collection.StageQueue {
	return slices.DeleteFunc(collection.StageQueues(), func(q collection.StageQueue) bool { return q.Queue == collection.QueueFleet })
}

// queues reports running work that no process can be doing: nobody polls its queue. A worker without permits does
// not poll a source's queue either, but it renews its lease.
func (c *sweepCheck) queues(ctx context.Context) error {
	submissions, err := c.Watch.Count(ctx, runningSubmissions)
	if err != nil {
		return fmt.Errorf("count the running submissions: %w", err)
	}
	batches, err := c.find(ctx, maxListed, runningBatches)
	if err != nil {
		return err
	}
	// What works on a submission that has ended needs the same workers, and has for most of its time no batch.
	afterwards, err := c.Watch.Count(ctx, runningAfterwards)
	if err != nil {
		return fmt.Errorf("count the running replays and redeliveries: %w", err)
	}
	if submissions == 0 && afterwards == 0 && len(batches) == 0 {
		return nil
	}
	queues, working := sweptQueues(), collection.Plural(submissions, "submission")
	if submissions == 0 && len(batches) == 0 { // what only settles and ships parses nothing
		queues = slices.DeleteFunc(queues, func(q collection.StageQueue) bool { return q.Queue == collection.QueueParse })
		working = fmt.Sprintf("replays or redeliveries (%d)", afterwards)
	}
	err = each(ctx, c, queues, func(q collection.StageQueue) string { return q.Queue }, func(c *sweepCheck, ctx context.Context, q collection.StageQueue) error {
		return c.stageQueue(ctx, q, working)
	})
	if err != nil {
		return err
	}
	sources := sourcesOf(batches)
	rows, err := c.Watch.Table(ctx)
	if err != nil && len(sources) > 0 {
		// Then pollers alone decide, and a source that is closed may be called unpolled.
		c.unchecked(collection.CeilingsID, err)
	}
	return each(ctx, c, sources, func(s string) string { return collection.QueueCollect(s) }, func(c *sweepCheck, ctx context.Context, source string) error {
		return c.sourceQueue(ctx, source, rows)
	})
}

func sourcesOf(batches []Execution) []string {
	var sources []string
	for _, b := range batches {
		if b.Source != "" {
			sources = append(sources, b.Source)
		}
	}
	slices.Sort(sources)
	return slices.Compact(sources)
}

func (c *sweepCheck) stageQueue(ctx context.Context, q collection.StageQueue, working string) error {
	polled, err := c.Watch.Polled(ctx, q.Queue, q.Workflows)
	if err != nil || polled {
		return err
	}
	c.report(collection.Finding{
		Kind: collection.FindingQueueUnpolled, Severity: collection.SEV2, Subject: q.Queue,
		Detail: fmt.Sprintf("no worker polls the queue %s, with %s running", q.Queue, working),
		Do:     fmt.Sprintf("Start a worker with the role %s; the work goes on by itself.", q.Role),
	})
	return nil
}

func (c *sweepCheck) sourceQueue(ctx context.Context, source string, rows []lease.SourceView) error {
	if hasWorker(rows, source) {
		return nil
	}
	polled, err := c.Watch.Polled(ctx, collection.QueueCollect(source), false)
	if err != nil || polled {
		return err
	}
	n, err := c.Watch.Count(ctx, fmt.Sprintf(runningRecords+ofSource, source))
	if err != nil || n == 0 {
		return err
	}
	c.report(collection.Finding{
		Kind: collection.FindingQueueUnpolled, Severity: collection.SEV2, Subject: collection.QueueCollect(source), Source: source, Records: n,
		Detail: fmt.Sprintf("source %s has %s running, and no worker collects from it", source, collection.Plural(n, "record")),
		Do:     fmt.Sprintf("Start a worker with the role %s whose configuration has the source %s; the records go on by themselves.", collection.RoleCollect, source),
	})
	return nil
}

// hasWorker says whether a worker that lives holds a lease for the source, be it for no permit at all.
func hasWorker(rows []lease.SourceView, source string) bool {
	row, _ := lease.ViewOf(rows, source)
	return slices.ContainsFunc(row.Workers, func(w lease.WorkerView) bool { return !w.Lost })
}
