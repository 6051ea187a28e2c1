package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

const (
	// sampled is how many of a quiet submission's records are looked at.
	sampled = 20
	// sampledChildren is how many children of one parent are asked for.
	sampledChildren = 50
	// settledShare is the part of the quiet time for which a child must have been gone before its parent counts as not knowing
	// it, though the engine tells a parent within seconds: 5 minutes of the usual 30.
	settledShare = 6
	// orphanShare is the part of it for which a submission must have been closed before what it left running is stopped.
	orphanShare = 3
)

// progress reports running submissions in which nothing happens. Most are told apart by the time of their last event; only
// those that are quiet are looked into.
func (c *sweepCheck) progress(ctx context.Context) error {
	running, err := c.oldest(ctx, `%s AND StartTime < %q`, runningSubmissions, c.ago(c.quiet))
	if err != nil {
		return err
	}
	var rows []lease.SourceView
	if len(running) > 0 {
		if rows, err = c.Watch.Table(ctx); err != nil {
			// Without the table every source counts as open: better a word too many.
			c.unchecked(collection.CeilingsID, err)
		}
	}
	return each(ctx, c, running, workflowOf, func(c *sweepCheck, ctx context.Context, e Execution) error {
		return c.submission(ctx, e, rows)
	})
}

func (c *sweepCheck) submission(ctx context.Context, e Execution, rows []lease.SourceView) error {
	last, err := c.Watch.LastEvent(ctx, e.WorkflowID, e.RunID)
	if err != nil || c.now.Sub(last) < c.quiet {
		return goneIsFine(err)
	}
	root, err := c.Watch.Describe(ctx, e.WorkflowID, e.RunID)
	if err != nil || !root.Running || c.now.Sub(root.ActiveAt) < c.quiet {
		return goneIsFine(err)
	}
	moved, err := c.Watch.Count(ctx, fmt.Sprintf(`RootWorkflowId=%q AND (StartTime > %q OR CloseTime > %q)`, e.WorkflowID, c.ago(c.quiet), c.ago(c.quiet)))
	if err != nil || moved > 0 {
		return err
	}
	batches, _, err := c.Watch.Find(ctx, fmt.Sprintf(`%s AND RootWorkflowId=%q`, runningBatches, e.WorkflowID), sampled)
	if err != nil {
		return err
	}
	gone, err := c.childrenGone(ctx, root, batches)
	if err != nil || gone {
		return err
	}
	sources := sourcesOf(batches)
	if len(sources) > 0 && !slices.ContainsFunc(sources, func(s string) bool { return isOpen(rows, s) }) {
		return nil // it waits for its sources, and whoever closed them is shown by weir sources
	}
	active, waiting, err := c.recordsActive(ctx, e.WorkflowID)
	if err != nil || active {
		return err
	}
	c.report(collection.Finding{
		Kind: collection.FindingSubmissionStuck, Severity: collection.SEV2, Subject: e.WorkflowID, Records: waiting, Since: last,
		Detail: fmt.Sprintf("nothing has happened in the submission for %s, though it is running and a source of it is open", c.now.Sub(last).Round(time.Minute)),
		Do:     fmt.Sprintf("Look at weir status %s and at its records in Temporal Web; if no worker is to blame, cancel it and submit it again under the same id.", e.WorkflowID),
	})
	return nil
}

// goneIsFine: a submission that has ended since it was found is what everybody wants.
func goneIsFine(err error) error {
	if errors.Is(err, ErrUnknownToEngine) {
		return nil
	}
	return err
}

func isOpen(rows []lease.SourceView, source string) bool {
	for _, r := range rows {
		if r.Source == source {
			return r.Open
		}
	}
	return true
}

// recordsActive says whether any of some running records was worked at lately: one that backs off for long is not stuck.
func (c *sweepCheck) recordsActive(ctx context.Context, submission string) (active bool, running int, err error) {
	query := fmt.Sprintf(`%s AND RootWorkflowId=%q`, runningRecords, submission)
	if running, err = c.Watch.Count(ctx, query); err != nil {
		return false, running, err
	}
	records, _, err := c.Watch.Find(ctx, query, sampled)
	if err != nil {
		return false, running, err
	}
	for _, r := range records {
		d, err := c.Watch.Describe(ctx, r.WorkflowID, r.RunID)
		if goneIsFine(err) != nil {
			return false, running, err
		}
		if err != nil || !d.Running || c.now.Sub(d.ActiveAt) < c.quiet {
			return true, running, nil
		}
	}
	return false, running, nil
}

// childrenGone reports a submission or a batch that waits for children that the engine does not have any more.
func (c *sweepCheck) childrenGone(ctx context.Context, root Described, batches []Execution) (bool, error) {
	parents := []Described{root}
	for _, b := range batches {
		d, err := c.Watch.Describe(ctx, b.WorkflowID, b.RunID)
		if goneIsFine(err) != nil {
			return false, err
		}
		if err == nil {
			parents = append(parents, d)
		}
	}
	for _, p := range parents {
		lost := 0
		for _, child := range p.Children[:min(len(p.Children), sampledChildren)] {
			d, err := c.Watch.Describe(ctx, child.WorkflowID, child.RunID)
			switch {
			case goneIsFine(err) != nil:
				return false, err
			case err != nil, !d.Running && c.now.Sub(d.Ended) > c.quiet/settledShare:
				lost++
			}
		}
		if lost == 0 {
			continue
		}
		c.report(collection.Finding{
			Kind: collection.FindingChildrenGone, Severity: collection.SEV2, Subject: p.WorkflowID, Source: p.Source, Records: lost,
			Detail: fmt.Sprintf("%s waits for %d children that have ended or are not there any more, and does not know it", p.WorkflowID, lost),
			Do:     fmt.Sprintf("Terminate %s: its submission settles what is delivered and names the rest, which can then be replayed.", p.WorkflowID),
		})
		return true, nil
	}
	return false, nil
}

// orphans finds batches whose submission has ended, for instance because it was reset and then terminated, and cancels
// them: nobody waits for what they collect. A submission that was started again since takes them over, so it is looked at
// right before; a batch that has ended meanwhile stays as it ended.
func (c *sweepCheck) orphans(ctx context.Context) error {
	batches, err := c.oldest(ctx, runningBatches)
	if err != nil {
		return err
	}
	var roots sync.Map // the answers so far; two lookers may ask for one at the same time, and that is no harm
	return each(ctx, c, batches, workflowOf, func(c *sweepCheck, ctx context.Context, b Execution) error {
		if b.Root == "" || b.Root == b.WorkflowID {
			return nil // somebody started it by hand
		}
		orphan, known := roots.Load(b.Root)
		if !known {
			ended, err := c.ended(ctx, b.Root)
			if err != nil {
				return err
			}
			orphan, _ = roots.LoadOrStore(b.Root, ended)
		}
		if orphan == false {
			return nil
		}
		return c.adoptOrStop(ctx, b)
	})
}

// ended says whether a workflow's latest run has ended a while ago.
func (c *sweepCheck) ended(ctx context.Context, id string) (bool, error) {
	d, err := c.Watch.Describe(ctx, id, "")
	switch {
	case errors.Is(err, ErrUnknownToEngine):
		return true, nil
	case err != nil:
		return false, err
	}
	return !d.Running && c.now.Sub(d.Ended) > c.quiet/orphanShare, nil
}

func (c *sweepCheck) adoptOrStop(ctx context.Context, b Execution) error {
	if orphan, err := c.ended(ctx, b.Root); err != nil || !orphan {
		return err
	}
	latest, err := c.Watch.Describe(ctx, b.WorkflowID, "")
	if err != nil || !latest.Running || latest.RunID != b.RunID {
		return goneIsFine(err)
	}
	if err := c.Watch.Cancel(ctx, b.WorkflowID, b.RunID, "its submission has ended"); err != nil {
		return fmt.Errorf("cancel %s: %w", b.WorkflowID, err)
	}
	c.result.Mended++
	c.report(collection.Finding{
		Kind: collection.FindingOrphan, Severity: collection.SEV3, Subject: b.WorkflowID, Source: b.Source, Since: b.Started, Mended: true,
		Detail: fmt.Sprintf("the batch was running, and its submission %s has ended: it was cancelled", b.Root),
		Do:     "Nothing; submit again under the same id if its records are wanted after all.",
	})
	return nil
}
