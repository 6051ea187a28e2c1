package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/internal/verdict"
)

const (
	// endsWithin is how far back the ends of submissions are looked at; a sweep runs every few minutes, so that this is what
	// a fleet may be without one. The engine's own retention must be longer than the time between two sweeps.
	endsWithin = 24 * time.Hour
	// maxEnd bounds what is read of a kept end, a proof of shipment or a checksum, in bytes.
	maxEnd = 64 << 10
)

// ends looks at submissions that ended with a failure: it keeps how they ended where the engine's retention does not reach
// and no manifest tells it, so that the answer stays the same, and reports those that are a promise broken. And it looks at replays
// that have not settled what they ran.
func (c *sweepCheck) ends(ctx context.Context) error {
	if err := c.endsOf(ctx, brokenSubmissions, (*sweepCheck).end); err != nil {
		return err
	}
	return c.endsOf(ctx, brokenReplays, (*sweepCheck).replayEnd)
}

// endsOf looks at what has ended of late, the latest first: the others were looked at by the sweeps before.
func (c *sweepCheck) endsOf(ctx context.Context, query string, look func(*sweepCheck, context.Context, Execution) error) error {
	closed, err := c.find(ctx, maxLooked, query+` AND CloseTime > %q`, c.ago(endsWithin))
	if err != nil {
		return err
	}
	slices.SortStableFunc(closed, func(a, b Execution) int { return b.Ended.Compare(a.Ended) })
	return each(ctx, c, closed, workflowOf, look)
}

func (c *sweepCheck) end(ctx context.Context, e Execution) error {
	latest, err := c.Watch.Describe(ctx, e.WorkflowID, "")
	if err != nil || latest.RunID != e.RunID {
		return goneIsFine(err) // it was submitted again: what counts is how that ends
	}
	end, told := verdict.OfSubmission(c.Watch.Failure(ctx, e.WorkflowID, e.RunID))
	switch {
	case !told:
		return fmt.Errorf("ask how %s ended: nobody answers", e.WorkflowID)
	case end.Result != nil:
		return nil // it has a manifest
	}
	stands, err := c.delivered(ctx, latest.Execution)
	if err != nil {
		return err
	}
	if stands != endInPlace {
		if err := c.keepEnd(ctx, latest.Execution, end); err != nil {
			return err
		}
	}
	if stands == endInPlace || end.State != collection.StateFailed || failure.Lookup(end.Reason).Severity == failure.SeverityNone {
		return nil
	}
	c.report(brokenEnd(e, end, stands))
	return nil
}

// brokenEnd is the finding about a submission whose customer has no delivery.
func brokenEnd(e Execution, end verdict.SubmissionEnd, stands endStanding) collection.Finding {
	f := collection.Finding{
		Kind: collection.FindingSubmissionFailed, Severity: collection.SEV1, Subject: e.WorkflowID, Since: e.Ended,
		Detail: fmt.Sprintf("the submission failed as a whole (%s), and its customer has no delivery: %s", end.Reason, end.Detail),
		Do:     "Put right what the reason says, then submit it again under the same id: what is delivered already is found.",
	}
	if stands == endNotShipped {
		f.Detail = fmt.Sprintf("the submission is settled in weir's bucket, and its delivery has not reached the customer's destination (%s): %s", end.Reason, end.Detail)
		f.Do = fmt.Sprintf("Put right what the reason says, then run weir redeliver %s: nothing is collected again.", e.WorkflowID)
	}
	return f
}

// keepEnd writes how a submission ended, once. A manifest that appears later counts more, and so does the end of a later run.
func (c *sweepCheck) keepEnd(ctx context.Context, e Execution, end verdict.SubmissionEnd) error {
	status := collection.SubmissionStatus{
		Submission: e.WorkflowID, Customer: e.Customer, State: end.State, AcceptedAt: e.Started.UTC(), Outcomes: collection.Tally{},
		Reason: end.Reason, Detail: end.Detail,
	}
	body, err := json.Marshal(status)
	if err != nil {
		return fmt.Errorf("encode the end of %s: %w", e.WorkflowID, err)
	}
	key := collection.EndKey(e.WorkflowID)
	if there, err := c.Store.Get(ctx, key, maxEnd); err == nil && bytes.Equal(there, body) {
		return nil
	}
	// An earlier run's end, or another sweep's, is replaced only if it still is what stands there.
	if _, _, err = writeGeneration(ctx, c.Store, key, body, typeJSON); err != nil {
		return fmt.Errorf("keep the end of %s: %w", e.WorkflowID, err)
	}
	c.result.Mended++
	return nil
}
