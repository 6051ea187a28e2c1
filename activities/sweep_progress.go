package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
)

// runningAfterwards are what works on a submission that was settled before.
const runningAfterwards = `WorkflowType IN ("` + collection.WorkflowReplay + `", "` + collection.WorkflowRedeliver + `")` + areRunning

// progress reports running submissions, replays and redeliveries in which nothing happens. Most are told apart by the time of
// their last event; only those that are quiet are looked into.
func (c *sweepCheck) progress(ctx context.Context) error {
	running, err := c.oldest(ctx, `%s AND StartTime < %q`, runningSubmissions, c.ago(c.quiet))
	if err != nil {
		return err
	}
	afterwards, err := c.oldest(ctx, `%s AND StartTime < %q`, runningAfterwards, c.ago(c.quiet))
	if err != nil {
		return err
	}
	running = append(running, afterwards...)
	var rows []lease.SourceView
	if len(running) > 0 {
		if rows, err = c.Watch.Table(ctx); err != nil {
			// Without the table every source counts as open: better a word too many.
			c.unchecked(collection.CeilingsID, err)
		}
	}
	return each(ctx, c, running, workflowOf, func(c *sweepCheck, ctx context.Context, e Execution) error {
		return c.stuck(ctx, e, rows)
	})
}

func (c *sweepCheck) stuck(ctx context.Context, e Execution, rows []lease.SourceView) error {
	last, err := c.Watch.LastEvent(ctx, e.WorkflowID, e.RunID)
	if err != nil || c.now.Sub(last) < c.quiet {
		return goneIsFine(err)
	}
	root, err := c.Watch.Describe(ctx, e.WorkflowID, e.RunID)
	if err != nil || !root.Running || c.now.Sub(root.ActiveAt) < c.quiet {
		return goneIsFine(err)
	}
	moved, err := c.Watch.Count(ctx, fmt.Sprintf(`(StartTime > %q OR CloseTime > %q)`+under, c.ago(c.quiet), c.ago(c.quiet), recordsUnder(e)))
	if err != nil || moved > 0 {
		return err
	}
	batches, _, err := c.Watch.Find(ctx, fmt.Sprintf(runningBatches+under, e.WorkflowID+"/"), sampled)
	if err != nil {
		return err
	}
	gone, err := c.childrenGone(ctx, root, batches)
	if err != nil || gone {
		return err
	}
	sources := sourcesOf(batches)
	open := slices.DeleteFunc(slices.Clone(sources), func(s string) bool { return !isOpen(rows, s) })
	if len(sources) > 0 && len(open) == 0 {
		return nil // it waits for its sources, and whoever closed them is shown by weir sources
	}
	active, waiting, err := c.recordsActive(ctx, recordsUnder(e))
	if err != nil || active {
		return err
	}
	if waiting > 0 && len(open) > 0 {
		idle, err := c.anyIdle(ctx, open, rows)
		if err != nil || !idle {
			return err // its records wait for their turn behind others'
		}
	}
	c.report(collection.Finding{
		Kind: collection.FindingSubmissionStuck, Severity: collection.SEV2, Subject: e.WorkflowID, Records: waiting, Since: last,
		Detail: fmt.Sprintf("nothing has happened in %s for %s, though it is running and a source of it is open", e.WorkflowID, c.now.Sub(last).Round(time.Minute)),
		Do:     stuckDo(e),
	})
	return nil
}

// under narrows a search down to ids that begin with its argument. Not by the root of their tree: a submission may itself be
// the child of a workflow that is not weir's.
const under = ` AND WorkflowId STARTS_WITH %q`

// recordsUnder is how the ids of the records begin that a workflow works on: those of a replay are its submission's.
func recordsUnder(e Execution) string {
	if e.Type == collection.WorkflowReplay {
		return submissionOf(e.WorkflowID) + "/"
	}
	return e.WorkflowID + "/"
}

// submissionOf is the submission of whatever works on it: its own id has no slash.
func submissionOf(workflowID string) string {
	submission, _, _ := strings.Cut(workflowID, "/")
	return submission
}

func stuckDo(e Execution) string {
	switch submission := submissionOf(e.WorkflowID); e.Type {
	case collection.WorkflowReplay:
		return fmt.Sprintf("Look at it and at its records in Temporal Web; if no worker is to blame, cancel it (temporal workflow cancel --workflow-id %s) and run weir replay %s again.", e.WorkflowID, submission)
	case collection.WorkflowRedeliver:
		return fmt.Sprintf("Look at it in Temporal Web; if no worker is to blame, terminate it (temporal workflow terminate --workflow-id %s) and run weir redeliver %s again.", e.WorkflowID, submission)
	}
	return fmt.Sprintf("Look at weir status %s and at its records in Temporal Web; if no worker is to blame, cancel it and submit it again under the same id.", e.WorkflowID)
}

// goneIsFine: a submission that has ended since it was found is what everybody wants.
func goneIsFine(err error) error {
	if errors.Is(err, ErrUnknownToEngine) {
		return nil
	}
	return err
}

func isOpen(rows []lease.SourceView, source string) bool {
	row, known := lease.ViewOf(rows, source)
	return !known || row.Open
}

// recordsActive says whether any of some running records was worked at lately: one that backs off for long is not stuck.
func (c *sweepCheck) recordsActive(ctx context.Context, prefix string) (active bool, running int, err error) {
	query := fmt.Sprintf(runningRecords+under, prefix)
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
			Detail: fmt.Sprintf("%s waits in vain, and does not know it, for %s: ended, or not there any more", p.WorkflowID, collection.Plural(lost, "child workflow")),
			Do:     fmt.Sprintf("Terminate %s: its submission settles what is delivered and names the rest, which can then be replayed.", p.WorkflowID),
		})
		return true, nil
	}
	return false, nil
}
