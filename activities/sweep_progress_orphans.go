package activities

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/weir-collect/weir/collection"
)

// orphanShare is the part of the quiet time for which a submission must have been closed before what it left running is stopped.
const orphanShare = 3

// orphans finds batches whose submission, or replay, has ended, for instance because it was reset and then terminated, and
// cancels them: nobody waits for what they collect. A submission that was started again since takes them over, so it is
// looked at right before; a batch that has ended meanwhile stays as it ended.
func (c *sweepCheck) orphans(ctx context.Context) error {
	batches, err := c.oldest(ctx, runningBatches)
	if err != nil {
		return err
	}
	var owners sync.Map // the answers so far; two lookers may ask for one at the same time, and that is no harm
	return each(ctx, c, batches, workflowOf, func(c *sweepCheck, ctx context.Context, b Execution) error {
		owner, ok := ownerOf(b.WorkflowID)
		if !ok || b.Root == "" || b.Root == b.WorkflowID {
			return nil // somebody started it by hand
		}
		orphan, known := owners.Load(owner)
		if !known {
			ended, err := c.ended(ctx, owner)
			if err != nil {
				return err
			}
			orphan, _ = owners.LoadOrStore(owner, ended)
		}
		if orphan == false {
			return nil
		}
		return c.adoptOrStop(ctx, b, owner)
	})
}

// ownerOf is the submission or the replay that a batch belongs to by its own id: the root of its tree may be a workflow that
// is not weir's, which has started the submission and need not outlive it. It says false for an id that no batch of weir's has.
func ownerOf(batch string) (owner string, ok bool) {
	parts := strings.Split(batch, "/")
	switch len(parts) {
	case 3:
		return parts[0], true
	case 5:
		owner = collection.ReplayWorkflowID(parts[0])
		return owner, strings.HasPrefix(batch, owner+"/")
	}
	return "", false
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

func (c *sweepCheck) adoptOrStop(ctx context.Context, b Execution, owner string) error {
	if orphan, err := c.ended(ctx, owner); err != nil || !orphan {
		return err
	}
	latest, err := c.Watch.Describe(ctx, b.WorkflowID, "")
	if err != nil || !latest.Running || latest.RunID != b.RunID {
		return goneIsFine(err)
	}
	if err := c.Watch.Cancel(ctx, b.WorkflowID, b.RunID, owner+" has ended"); err != nil {
		return fmt.Errorf("cancel %s: %w", b.WorkflowID, err)
	}
	c.result.Mended++
	c.report(collection.Finding{
		Kind: collection.FindingOrphan, Severity: collection.SEV3, Subject: b.WorkflowID, Source: b.Source, Since: b.Started, Mended: true,
		Detail: fmt.Sprintf("the batch was running, and %s, which it belongs to, has ended: it was cancelled", owner),
		Do:     "Nothing; submit again under the same id if its records are wanted after all.",
	})
	return nil
}
