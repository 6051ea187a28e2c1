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
	// BatchRecords is the largest number of records in one batch.
	BatchRecords int
	// HeartbeatTimeout is handed to the workflows in the sources' policies.
	HeartbeatTimeout time.Duration
}

// maxPlan bounds plan.json.
const maxPlan = 16 << 20

// Plan streams the submitted rows, checks each by itself, and stores the batches and then the plan. A plan that stands is
// returned as it is; until then, running it again writes the same objects again.
func (p *Planner) Plan(ctx context.Context, in collection.PlanInput) (collection.PlanResult, error) {
	if plan, err := readPlan(ctx, p.Store, in.Submission); err == nil || !errors.Is(err, collection.ErrObjectMissing) {
		return plan, err
	}
	customer, ok := p.Directory.Customer(in.Request.Customer)
	if !ok {
		return collection.PlanResult{}, finalf(collection.ReasonCustomerUnknown,
			"customer %q is not in the configuration: add it under customers", in.Request.Customer)
	}
	if in.Request.Source != "" {
		if _, ok := p.Directory.Source(in.Request.Source); !ok {
			return collection.PlanResult{}, finalf(collection.ReasonSourceUnknown,
				"source %q is not in the configuration: add it under sources", in.Request.Source)
		}
	}
	rows, err := p.open(ctx, in)
	if err != nil {
		return collection.PlanResult{}, err
	}
	defer rows.close()

	w := newPlanWriter(p, in, customer, rows)
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
