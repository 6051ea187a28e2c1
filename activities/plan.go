package activities

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/weir-collect/weir/collection"
)

// Planner turns submitted rows into batches.
type Planner struct {
	Store     Store
	Directory Directory
	// CheckRequest says whether a record's request can be built.
	CheckRequest func(collection.Source, collection.Record) error
	Metrics      Metrics
	// Fleet knows whether other workers know more sources.
	Fleet Fleet
	// BatchRecords is the largest number of records in one batch.
	BatchRecords int
	// HeartbeatTimeout is handed to the workflows in the sources' policies.
	HeartbeatTimeout time.Duration
}

// maxPlan bounds plan.json.
const maxPlan = 16 << 20

// Plan streams the submitted rows, checks each by itself, and stores the batches and then the plan. A plan that stands is
// returned as it is, if it is one of the same rows; until then, running it again writes the same objects again.
func (p *Planner) Plan(ctx context.Context, in collection.PlanInput) (collection.PlanResult, error) {
	beat, endBeat := beginPlan(ctx)
	defer endBeat()
	plan, err := readPlan(ctx, p.Store, in.Submission)
	switch {
	case err == nil:
		return p.standing(ctx, in, plan, beat)
	case !errors.Is(err, collection.ErrObjectMissing):
		return collection.PlanResult{}, err
	}
	customer, err := p.customer(ctx, in)
	if err != nil {
		return collection.PlanResult{}, err
	}
	if err := p.knowsDefault(ctx, in); err != nil {
		return collection.PlanResult{}, err
	}
	rows, err := p.open(ctx, in, beat)
	if err != nil {
		return collection.PlanResult{}, err
	}
	defer rows.close()

	w := newPlanWriter(p, in, customer, rows, beat)
	if err := w.readAll(ctx, rows); err != nil {
		return collection.PlanResult{}, err
	}
	return w.finish(ctx)
}

// readPlan is the plan of a submission; collection.ErrObjectMissing when none stands.
func readPlan(ctx context.Context, store Store, submission string) (collection.PlanResult, error) {
	var plan collection.PlanResult
	body, err := store.Get(ctx, collection.PlanKey(submission), maxPlan)
	if errors.Is(err, collection.ErrObjectMissing) {
		return plan, err
	}
	if err != nil {
		return plan, storeFailed(ctx, "read the plan", err)
	}
	if err := json.Unmarshal(body, &plan); err != nil {
		return plan, finalf(collection.ReasonInternal, "the plan %s cannot be read: %w", collection.PlanKey(submission), err)
	}
	return plan, nil
}
