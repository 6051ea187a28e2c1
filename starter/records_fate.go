package starter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
)

// rowReader reads the parts of one submission's rows.
type rowReader struct {
	client *Client
	plan   collection.PlanResult
	// without is what is known of records without a ledger, once somebody has asked: the same for all of them.
	without *collection.RecordResult
	// silent is set when it is known from the bucket alone.
	silent *NoEngineError
	// live has the engine asked for records whose batch still runs, and began is when the submission's run began.
	live  bool
	began time.Time
}

func (c *Client) rows(plan collection.PlanResult) *rowReader {
	return &rowReader{client: c, plan: plan}
}

// part is one stored object's rows.
func (r *rowReader) part(ctx context.Context, at Cursor) ([]collection.LedgerRow, error) {
	if at.Source == "" {
		return r.rejected(ctx, at.Part)
	}
	return r.batch(ctx, at.Source, at.Part)
}

// Why nothing is known of a record.
const (
	ledgerNotKept = "its ledger is no longer kept"
	ledgerMissing = "the submission ended before this record's batch had written its ledger, or its ledger is no longer kept"
)

// fate is what is known of records without a ledger: while the submission runs they are pending.
func (r *rowReader) fate(ctx context.Context) (collection.RecordResult, error) {
	if r.without != nil {
		return *r.without, nil
	}
	running, began, err := r.client.runs(ctx, r.plan.Submission)
	if r.silent = silentEngine(ctx, err); err != nil && r.silent == nil {
		return collection.RecordResult{}, err
	}
	r.began = began
	fate := collection.RecordResult{Outcome: OutcomePending}
	if !running {
		manifest, _, err := r.client.manifest(ctx, r.plan)
		if err != nil && !errors.Is(err, collection.ErrObjectMissing) {
			return fate, err
		}
		if err != nil && r.silent != nil {
			return fate, fmt.Errorf("where the records of submission %s without a ledger are cannot be known now: the bucket has no manifest, "+
				"as of one that is under way; %w", r.plan.Submission, r.silent)
		}
		fate = collection.RecordResult{Outcome: OutcomeUnknown, Detail: ledgerNotKept}
		if err != nil || manifest.State == collection.StateCancelled {
			fate.Detail = ledgerMissing
		}
		if r.silent != nil {
			fate.Detail += " (" + r.silent.Short() + byStoreAlone + ")"
		}
	}
	r.without = &fate
	return fate, nil
}

// runs says whether the engine runs a submission, and since when. One that it has forgotten has ended.
func (c *Client) runs(ctx context.Context, id string) (bool, time.Time, error) {
	described, err := c.describe(ctx, id)
	switch {
	case engine.IsUnknown(err):
		return false, time.Time{}, nil
	case err != nil:
		return false, time.Time{}, fmt.Errorf("ask for submission %s: %w", id, err)
	}
	return isSubmission(described) && isRunning(described), described.GetWorkflowExecutionInfo().GetStartTime().AsTime(), nil
}
