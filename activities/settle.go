package activities

import (
	"context"
	"errors"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
)

// Settler reconciles a submission and completes its delivery.
type Settler struct {
	Store Store
	Clock Clock
	// PartRecords and PartBytes close a part of the results, whichever comes first; bytes are counted before compression.
	PartRecords int
	PartBytes   int
	// Engine tells how records ended whose batch has left no word about them. Its ErrUnknownToEngine says that
	// there is no such workflow, or no longer.
	Engine Engine
	// Checks say whether what was collected looks as it should.
	Checks QualityChecks
}

// Settle accounts for every submitted row: it reads the plan and the ledger, looks at every delivered object, writes the
// parts of the results, the failures, what checks have found, and last the manifest. A row that the ledger does not know, or
// whose object is not there as it was delivered, is a failure with a reason, which the ledger is told. If the counts do not add up
// it fails, and the submission with it: nothing is called complete that is not.
func (s *Settler) Settle(ctx context.Context, in collection.SettleInput) (collection.SettleResult, error) {
	a := begin(ctx)
	before := a.snapshot()
	result, err := s.settle(ctx, a, in)
	if a.wasContested(before) {
		// Somebody else has written meanwhile, and perhaps not only what we came across: the next attempt looks at all of it.
		a.beginAnew()
	}
	return result, a.end(err)
}

func (s *Settler) settle(ctx context.Context, a *attempt, in collection.SettleInput) (collection.SettleResult, error) {
	run, err := beginSettlement(ctx, s, a, in)
	if err != nil {
		return collection.SettleResult{}, err
	}
	result, err := run.account(ctx)
	if errors.Is(err, errOtherLedger) {
		activity.GetLogger(ctx).Info("the settlement begins anew: the ledger is not the one that the attempt before has read")
		a.beginAnew()
		result, err = run.account(ctx)
	}
	return result, err
}
