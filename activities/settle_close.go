package activities

import (
	"context"

	"github.com/weir-collect/weir/collection"
)

// close writes what is left when every row is entered: the failures, the manifest and its checksum.
func (b *books) close(ctx context.Context) (collection.SettleResult, error) {
	plan, files := b.plan, b.parts.files
	if b.failed > 0 {
		key := collection.FailuresKey(plan.Customer, plan.Submission)
		file, err := b.writeFile(ctx, key, typeJSONLines, b.failures.Bytes(), b.failed)
		if err != nil {
			return collection.SettleResult{}, err
		}
		files = append(files, file)
	}
	manifest := collection.Manifest{
		Version: collection.ManifestVersion, Submission: plan.Submission, Customer: plan.Customer,
		State: finalState(b.cancelled, plan.Expected, b.total), AcceptedAt: plan.AcceptedAt.UTC(), Expected: plan.Expected,
		Outcomes: b.total, Sources: b.sources, Files: files,
	}
	if plan.Tolerate != nil {
		verdict := plan.Tolerate.Judge(plan.Expected-whole(b.total), plan.Expected)
		manifest.Tolerance = &verdict
	}
	if err := b.check(ctx, &manifest); err != nil {
		return collection.SettleResult{}, err
	}
	body, err := b.writeManifest(ctx, manifest)
	if err != nil {
		return collection.SettleResult{}, err
	}
	return collection.SettleResult{
		State: manifest.State, Expected: plan.Expected, Outcomes: b.total,
		Manifest: collection.ManifestKey(plan.Customer, plan.Submission), ManifestSHA256: collection.Digest(body),
		Breaches: collection.BreachesShown(manifest.Checks), Tolerance: manifest.Tolerance,
	}, nil
}

// check says in the manifest whether what was collected looks as it should. Where the delivery is still the one that stands, it
// keeps what was said when that was settled: the ledger, which tells more than the delivery does, may not be kept any more.
func (b *books) check(ctx context.Context, m *collection.Manifest) error {
	if b.standing.saysOf(*m) {
		m.Checks, m.Breaches = b.standing.manifest.Checks, b.standing.manifest.Breaches
		return nil
	}
	report, err := b.settler.Checks.report(ctx, b.settler.Store, m.Submission, b.counts.Counts())
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
