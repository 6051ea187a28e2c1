package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// replayEnd looks at a replay that was terminated, or has failed, before it had settled: records that it has run have ended
// well, and neither the manifest nor, where their batch was terminated, the ledger tells of it. Nobody waits for it any more,
// so that somebody must be told. Another replay finds what was delivered, and settles it.
func (c *sweepCheck) replayEnd(ctx context.Context, e Execution) error {
	latest, err := c.Watch.Describe(ctx, e.WorkflowID, "")
	if err != nil || latest.RunID != e.RunID {
		return goneIsFine(err) // there was another one since
	}
	if toldSettled(c.Watch.Failure(ctx, e.WorkflowID, e.RunID)) {
		return nil
	}
	submission := submissionOf(e.WorkflowID)
	unsettled, err := c.unsettledReplay(ctx, submission, e.RunID)
	if err != nil || !unsettled {
		return err
	}
	running, err := c.Watch.Describe(ctx, submission, "")
	if err != nil && !errors.Is(err, ErrUnknownToEngine) {
		return err
	}
	if err == nil && running.Running {
		return nil // it settles at its own end
	}
	ended, err := c.Watch.Count(ctx, fmt.Sprintf(completedRecords+` AND StartTime >= %q`+under, e.Started.UTC().Format(time.RFC3339), submission+"/"))
	if err != nil || ended == 0 {
		return err
	}
	c.report(collection.Finding{
		Kind: collection.FindingReplayUnsettled, Severity: collection.SEV2, Subject: e.WorkflowID, Records: ended, Since: e.Ended,
		Detail: fmt.Sprintf("the replay ended before it had settled submission %s: %s of it ended well, and its manifest does not tell of them",
			submission, collection.Plural(ended, "record")),
		Do: fmt.Sprintf("Run weir replay %s once more: what was delivered is found, not collected again, and the submission is settled.", submission),
	})
	return nil
}

// toldSettled says whether a replay has failed behind its settlement, for instance because it could not ship.
func toldSettled(failure error) bool {
	var app *temporal.ApplicationError
	var result collection.ReplayResult
	return errors.As(failure, &app) && app.HasDetails() && app.Details(&result) == nil && result.Settled != nil
}

// unsettledReplay says whether a run of a replay has made a plan, and nobody has settled the submission since. Stores tell times in
// whole seconds: of one second, the manifest counts as the older.
func (c *sweepCheck) unsettledReplay(ctx context.Context, submission, run string) (bool, error) {
	var last replayCount
	if counted, err := c.read(ctx, collection.ReplayCountKey(submission), maxReplayCount, &last); err != nil || !counted || last.Run != run {
		return false, err
	}
	var plan collection.ReplayPlan
	key := collection.ReplayPlanKey(submission, last.Number)
	if planned, err := c.read(ctx, key, maxPlan, &plan); err != nil || !planned {
		return false, err // it ended while it was selecting
	}
	planned, err := c.written(ctx, key)
	if err != nil {
		return false, err
	}
	settled, err := c.written(ctx, collection.ManifestKey(plan.Customer, submission))
	return !settled.IsZero() && !settled.After(planned), err
}
