package activities

import (
	"context"
	"errors"
	"path"

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

	// plan is the plan of a settlement, and standing the delivery that it found; each works on a copy of the Settler.
	plan     collection.PlanResult
	standing standing
}

// Settle accounts for every submitted row: it reads the plan and the ledger, looks at every delivered object, writes the
// parts of the results, the failures, what checks have found, and last the manifest. A row that the ledger does not know, or whose object is not
// there as it was delivered, is a failure with a reason, which the ledger is told. If the counts do not add up it fails, and the submission with
// it: nothing is called complete that is not.
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
	plan, err := readPlan(ctx, s.Store, in.Submission)
	if errors.Is(err, collection.ErrObjectMissing) {
		err = finalf(collection.ReasonInternal, "the plan of submission %s is gone: nothing can be settled without it", in.Submission)
	}
	if err != nil {
		return collection.SettleResult{}, err
	}
	own := *s
	own.plan = plan
	if own.standing, err = readStanding(ctx, s.Store, plan); err != nil {
		return collection.SettleResult{}, err
	}
	result, err := own.account(ctx, a, in, plan)
	if errors.Is(err, errOtherLedger) {
		activity.GetLogger(ctx).Info("the settlement begins anew: the ledger is not the one that the attempt before has read")
		a.beginAnew()
		result, err = own.account(ctx, a, in, plan)
	}
	return result, err
}

// account enters every row into the books, and closes them if they balance.
func (s *Settler) account(ctx context.Context, a *attempt, in collection.SettleInput, plan collection.PlanResult) (collection.SettleResult, error) {
	b := newBooks(s, a, plan, in.Cancelled)
	if err := b.rejectedRows(ctx); err != nil {
		return collection.SettleResult{}, err
	}
	if err := b.ledgerRows(ctx); err != nil {
		return collection.SettleResult{}, err
	}
	if got := b.total.Total(); got != plan.Expected {
		return collection.SettleResult{}, finalf(collection.ReasonInternal,
			"the books do not balance: %d rows were submitted, %d are accounted for; look at the plan and the ledger of %s",
			plan.Expected, got, in.Submission)
	}
	if err := b.compareParts(); err != nil {
		return collection.SettleResult{}, err
	}
	if err := b.noteLost(ctx); err != nil {
		return collection.SettleResult{}, err
	}
	if err := s.lookAtParts(ctx, a, b.parts.files); err != nil {
		return collection.SettleResult{}, err
	}
	return s.close(ctx, a, in, plan, b)
}

// close writes what is left: the failures, the manifest and its checksum.
func (s *Settler) close(
	ctx context.Context, a *attempt, in collection.SettleInput, plan collection.PlanResult, b *books,
) (collection.SettleResult, error) {
	files := b.parts.files
	if b.failed > 0 {
		key := collection.FailuresKey(plan.Customer, plan.Submission)
		file, err := s.writeFile(ctx, a, key, typeJSONLines, b.failures.Bytes(), b.failed)
		if err != nil {
			return collection.SettleResult{}, err
		}
		files = append(files, file)
	}
	manifest := collection.Manifest{
		Version: collection.ManifestVersion, Submission: plan.Submission, Customer: plan.Customer,
		State: finalState(in.Cancelled, plan.Expected, b.total), AcceptedAt: plan.AcceptedAt.UTC(), Expected: plan.Expected,
		Outcomes: b.total, Sources: b.sources, Files: files,
	}
	if plan.Tolerate != nil {
		verdict := plan.Tolerate.Judge(plan.Expected-whole(b.total), plan.Expected)
		manifest.Tolerance = &verdict
	}
	if err := s.check(ctx, &manifest, b); err != nil {
		return collection.SettleResult{}, err
	}
	body, err := s.writeManifest(ctx, a, manifest)
	if err != nil {
		return collection.SettleResult{}, err
	}
	return collection.SettleResult{
		State: manifest.State, Expected: plan.Expected, Outcomes: b.total,
		Manifest: collection.ManifestKey(plan.Customer, plan.Submission), ManifestSHA256: collection.Digest(body),
		Breaches: collection.BreachesShown(manifest.Checks), Tolerance: manifest.Tolerance,
	}, nil
}

// check says in the manifest whether what was collected looks as it should. Of the delivery that stands it keeps what was said when
// that was settled: the ledger, which tells more than the delivery does, may not be kept any more.
func (s *Settler) check(ctx context.Context, m *collection.Manifest, b *books) error {
	if s.standing.saysOf(*m) {
		m.Checks, m.Breaches = s.standing.manifest.Checks, s.standing.manifest.Breaches
		return nil
	}
	report, err := s.Checks.report(ctx, s.Store, m.Submission, b.counts.Counts())
	m.Checks, m.Breaches = report.Checks, len(collection.Breaches(report.Checks))
	return err
}

// whole is how many rows are no loss. A target that does not exist is a fact and a row that names a record twice is
// delivered once: neither is lost.
func whole(t collection.Tally) int {
	return t.Of(collection.OutcomeDelivered) + t.Of(collection.OutcomeGone) + t.Of(collection.OutcomeDuplicate)
}

// finalState is the submission's state.
func finalState(cancelled bool, expected int, t collection.Tally) collection.State {
	switch {
	case cancelled:
		return collection.StateCancelled
	case whole(t) == expected:
		return collection.StateComplete
	default:
		return collection.StatePartiallyFailed
	}
}

// writeFile writes one file of the delivery and verifies it there. key is its name in the first generation.
func (s *Settler) writeFile(
	ctx context.Context, a *attempt, key, contentType string, body []byte, records int,
) (collection.ManifestFile, error) {
	key, err := s.placeFile(ctx, a, key, contentType, body)
	if err != nil {
		return collection.ManifestFile{}, err
	}
	return collection.ManifestFile{
		Key: key, Name: path.Base(key), Size: int64(len(body)), Records: records, SHA256: collection.Digest(body), VerifiedAt: s.Clock().UTC(),
	}, nil
}
