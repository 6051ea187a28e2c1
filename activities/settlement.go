package activities

import (
	"context"
	"errors"
	"time"

	"github.com/weir-collect/weir/collection"
)

// settlement is one run of Settle: what it is of, and what it found at its beginning. It stays as it is from then on: what
// changes while rows are entered is in the books, of which a run that begins anew takes new ones.
type settlement struct {
	settler *Settler
	attempt *attempt
	plan    collection.PlanResult
	// standing is the delivery that stood when the settlement began.
	standing standing
	// cancelled says that the submission was.
	cancelled bool
	// asOf is when the settlement was scheduled, whichever attempt of it this is.
	asOf *time.Time
}

// beginSettlement reads what a settlement is of.
func beginSettlement(ctx context.Context, s *Settler, a *attempt, in collection.SettleInput) (*settlement, error) {
	plan, err := readPlan(ctx, s.Store, in.Submission)
	if errors.Is(err, collection.ErrObjectMissing) {
		err = finalf(collection.ReasonInternal, "the plan of submission %s is gone: nothing can be settled without it", in.Submission)
	}
	if err != nil {
		return nil, err
	}
	stands, err := readStanding(ctx, s.Store, plan)
	if err != nil {
		return nil, err
	}
	return &settlement{settler: s, attempt: a, plan: plan, standing: stands, cancelled: in.Cancelled, asOf: scheduledAt(ctx)}, nil
}

// account enters every row into new books, and closes them if they balance.
func (s *settlement) account(ctx context.Context) (collection.SettleResult, error) {
	b := newBooks(s)
	if err := b.rejectedRows(ctx); err != nil {
		return collection.SettleResult{}, err
	}
	if err := b.ledgerRows(ctx); err != nil {
		return collection.SettleResult{}, err
	}
	if got := b.total.Total(); got != s.plan.Expected {
		return collection.SettleResult{}, finalf(collection.ReasonInternal,
			"the books do not balance: %d rows were submitted, %d are accounted for; look at the plan and the ledger of %s",
			s.plan.Expected, got, s.plan.Submission)
	}
	if err := b.compareParts(); err != nil {
		return collection.SettleResult{}, err
	}
	if err := b.noteLost(ctx); err != nil {
		return collection.SettleResult{}, err
	}
	if err := b.lookAtParts(ctx); err != nil {
		return collection.SettleResult{}, err
	}
	return b.close(ctx)
}
