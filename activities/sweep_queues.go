package activities

import (
	"context"
	"fmt"
	"slices"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

const (
	runningRecords     = `WorkflowType="Record" AND ExecutionStatus="Running"`
	runningBatches     = `WorkflowType="Batch" AND ExecutionStatus="Running"`
	runningSubmissions = `WorkflowType="Submission" AND ExecutionStatus="Running"`
)

// stageQueue is a queue that all work goes through, and the role of those who poll it.
type stageQueue struct {
	name      string
	workflows bool
	role      string
}

func stageQueues() []stageQueue {
	return []stageQueue{
		{collection.QueueWorkflows, true, "workflows"}, {collection.QueuePlan, false, "plan"},
		{collection.QueueParse, false, "parse"}, {collection.QueueDeliver, false, "deliver"},
	}
}

// queues reports running work that no process can be doing (G05, J10): nobody polls its queue. A worker without permits does
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
	if submissions == 0 && len(batches) == 0 {
		return nil
	}
	err = each(ctx, c, stageQueues(), func(q stageQueue) string { return q.name }, func(c *sweepCheck, ctx context.Context, q stageQueue) error {
		return c.stageQueue(ctx, q, submissions)
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

func (c *sweepCheck) stageQueue(ctx context.Context, q stageQueue, submissions int) error {
	polled, err := c.Watch.Polled(ctx, q.name, q.workflows)
	if err != nil || polled {
		return err
	}
	c.report(collection.Finding{
		Kind: collection.FindingQueueUnpolled, Severity: collection.SEV2, Subject: q.name,
		Detail: fmt.Sprintf("%d submissions are running, and no worker polls the queue %s", submissions, q.name),
		Do:     fmt.Sprintf("Start a worker with the role %s; the work goes on by itself.", q.role),
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
	n, err := c.Watch.Count(ctx, fmt.Sprintf(`%s AND WeirSource=%q`, runningRecords, source))
	if err != nil || n == 0 {
		return err
	}
	c.report(collection.Finding{
		Kind: collection.FindingQueueUnpolled, Severity: collection.SEV2, Subject: collection.QueueCollect(source), Source: source, Records: n,
		Detail: fmt.Sprintf("%d records of source %s are running, and no worker collects from it", n, source),
		Do:     fmt.Sprintf("Start a worker with the role collect whose configuration has the source %s; the records go on by themselves.", source),
	})
	return nil
}

// hasWorker says whether a worker that lives holds a lease for the source, be it for no permit at all.
func hasWorker(rows []lease.SourceView, source string) bool {
	for _, r := range rows {
		if r.Source == source {
			return slices.ContainsFunc(r.Workers, func(w lease.WorkerView) bool { return !w.Lost })
		}
	}
	return false
}
