package activities

import (
	"context"
	"errors"

	"github.com/weir-collect/weir/collection"
)

// A delivery may be kept for longer than the ledger that it was made of, whose parts expire one by one. What is settled again
// then must not come out as something else: of records that neither the ledger nor the engine knows any more the standing delivery
// tells. Its failures are the records that were not delivered, and all others were.

// readFailures reads the failures of the delivery that stands, if one does. Without them nobody can tell a fact about a target from a
// failure of ours: then nothing is settled.
func (b *books) readFailures(ctx context.Context) error {
	if b.settled != nil || !b.standing.valid {
		return nil
	}
	manifest := b.standing.manifest
	rows, err := listedFailures(ctx, b.settler.Store, b.plan, manifest.Files)
	var other *notAsListed
	var damaged *damagedFailures
	switch {
	case errors.As(err, &other):
		return b.noLedger(other.file.Key + " is not there as it was settled, which told how its records had ended: restore it from a version or a copy of the bucket")
	case errors.As(err, &damaged):
		return b.noLedger(damaged.key + ", which told how its records had ended, cannot be read (" + damaged.cause.Error() + ")")
	case err != nil:
		return err
	}
	failed := map[string]collection.FailureRow{}
	for _, row := range rows {
		if isRecord(row) {
			failed[row.Record] = row
		}
	}
	if source := otherSource(manifest, failed); source != "" {
		return b.noLedger("the failures that its manifest names are not those that the manifest counts of source " + source)
	}
	b.settled = failed
	return nil
}

// noLedger refuses to settle.
func (b *books) noLedger(why string) error {
	return finalf(collection.ReasonInternal,
		"submission %s cannot be settled again, and its delivery stays as it is: a part of its ledger is no longer kept, and %s", b.plan.Submission, why)
}

// isRecord says whether a row is of a record of the plan, and not of a row that never became one, or that repeats one.
func isRecord(row collection.FailureRow) bool {
	return row.Record != "" && row.Outcome != collection.OutcomeInvalid && row.Outcome != collection.OutcomeDuplicate
}

// otherSource is a source of which failures are not what its manifest counts; empty where there is none.
func otherSource(manifest collection.Manifest, failed map[string]collection.FailureRow) string {
	counted := map[string]collection.Tally{}
	for _, row := range failed {
		tally := counted[row.Source]
		tally.Add(row.Outcome, row.Reason, 1)
		counted[row.Source] = tally
	}
	for _, source := range manifest.Sources {
		tally := counted[source.Source]
		if delivered := source.Expected - tally.Total(); delivered > 0 {
			tally.Add(collection.OutcomeDelivered, "", delivered)
		}
		if !sameTally(tally, source.Outcomes) {
			return source.Source
		}
	}
	return ""
}

// failedBefore is what the standing delivery says of a record that was not delivered; nil where it does not.
func (b *books) failedBefore(record string) *collection.FailureRow {
	if row, ok := b.settled[record]; ok {
		return &row
	}
	return nil
}

// takeFailure makes it the record's row.
func (b *books) takeFailure(ctx context.Context, row *collection.LedgerRow, failed collection.FailureRow) error {
	row.Outcome, row.Reason, row.Attempts, row.Detail = failed.Outcome, failed.Reason, failed.Attempts, failed.Detail
	return b.addRaw(ctx, row)
}
