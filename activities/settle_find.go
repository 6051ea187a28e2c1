package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"golang.org/x/sync/errgroup"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/verdict"
)

// endWait is how long a record's workflow is waited for: the engine terminates it with its batch, a moment later.
const endWait = 10 * time.Second

// findRows accounts for records that no ledger knows, for instance because their batch was terminated. The engine is asked
// first, so that the ledger tells the same as the records' workflows; what these have not said, or what the engine has
// forgotten, is looked for in the store.
func (b *books) findRows(ctx context.Context, source string, number int, records []collection.Record) ([]collection.LedgerRow, error) {
	ends, err := b.ends(ctx, source, number, records)
	if err != nil {
		return nil, err
	}
	// One that was stopped may have delivered before.
	told := func(end *collection.RecordResult) bool {
		return end != nil && end.Outcome != collection.OutcomeCancelled
	}
	if slices.ContainsFunc(ends, func(end *collection.RecordResult) bool { return !told(end) }) {
		if err := b.list(ctx); err != nil {
			return nil, err
		}
		if err := b.readFailures(ctx); err != nil {
			return nil, err
		}
	}
	rows := make([]collection.LedgerRow, len(records))
	group, searching := errgroup.WithContext(ctx)
	group.SetLimit(readAhead)
	for i, r := range records {
		rows[i] = collection.LedgerRow{Line: r.Line, Key: r.Key, Source: source, AsOf: b.asOf, RecordResult: collection.RecordResult{Record: r.ID}}
		if told(ends[i]) {
			rows[i].RecordResult = *ends[i]
			continue
		}
		group.Go(func() error { return b.search(searching, &rows[i], r, ends[i]) })
	}
	return rows, group.Wait()
}

// ends are the records' ends as the engine knows them; nil where it does not.
func (b *books) ends(ctx context.Context, source string, number int, records []collection.Record) ([]*collection.RecordResult, error) {
	ends := make([]*collection.RecordResult, len(records))
	if len(records) == 0 {
		return ends, nil
	}
	if b.cancelled {
		// A cancelled submission may have many thousands of records of batches that never began.
		id := collection.BatchWorkflowID(b.plan.Submission, source, number)
		known, _, err := askEnd(ctx, b.settler.Engine, id, new(collection.BatchResult))
		if err != nil || !known {
			return ends, err
		}
	}
	group, asking := errgroup.WithContext(ctx)
	group.SetLimit(readAhead)
	for i, r := range records {
		group.Go(func() error {
			var err error
			ends[i], err = b.endOf(asking, r.ID)
			return err
		})
	}
	return ends, group.Wait()
}

// endOf is how a record ended, or nil.
func (b *books) endOf(ctx context.Context, record string) (*collection.RecordResult, error) {
	var result collection.RecordResult
	known, failure, err := askEnd(ctx, b.settler.Engine, collection.RecordWorkflowID(b.plan.Submission, record), &result)
	if err != nil || !known {
		return nil, err
	}
	if failure != nil {
		result = verdict.OfRecord(record, failure)
	}
	result.Record = record
	if result.Outcome == "" || (result.Outcome == collection.OutcomeDelivered) != (result.Delivered != nil) {
		return nil, nil
	}
	if result.Delivered != nil && b.isBefore(result.Delivered.VerifiedAt) {
		return nil, nil
	}
	return &result, nil
}

// askEnd asks how a workflow ended: with a result, or with a failure. It says false where the engine does not know it.
func askEnd(ctx context.Context, engine Engine, id string, into any) (known bool, failure, err error) {
	asked, stop := context.WithTimeout(ctx, endWait)
	defer stop()
	err = engine.Result(asked, id, into)
	var execution *temporal.WorkflowExecutionError
	switch {
	case err == nil:
		return true, nil, nil
	case errors.As(err, &execution):
		return true, err, nil
	case errors.Is(err, ErrUnknownToEngine):
		return false, nil, nil
	case ctx.Err() != nil:
		return false, nil, ctx.Err()
	case asked.Err() != nil:
		// How it ends is not known before it has.
		return false, nil, fmt.Errorf("workflow %s still runs, or the engine does not say how it ended: the settlement waits for it; terminate it if it hangs", id)
	}
	// That may heal.
	return false, nil, fmt.Errorf("ask the engine how workflow %s ended: %w", id, err)
}

// search looks for a record in the store: for its delivered document, and for its kept bytes. end is what its workflow
// was stopped with, if anybody knows. What the standing delivery says of a record that was not delivered counts before what is in
// the bucket, which may be what was found lost then, unless its workflow ran since.
func (b *books) search(ctx context.Context, row *collection.LedgerRow, r collection.Record, end *collection.RecordResult) error {
	failed := b.failedBefore(r.ID)
	if end == nil && failed != nil {
		return b.takeFailure(ctx, row, *failed)
	}
	key := collection.DeliveredKey(b.plan.Customer, b.plan.Submission, r.ID)
	info, body, err := b.lookFor(ctx, key)
	if err == nil && b.isOfAnother(info, body) {
		err = collection.ErrObjectMissing
	}
	switch {
	case err == nil && isDocumentOf(body, row.Source, r):
		row.Outcome = collection.OutcomeDelivered
		row.Delivered = &collection.Delivered{
			Key: key, SHA256: collection.Digest(body), Size: int64(len(body)), Generation: info.Generation, VerifiedAt: b.settler.Clock().UTC(),
		}
	case err == nil:
		row.Outcome, row.Reason = collection.OutcomeDeadLettered, collection.ReasonDeliveryConflict
		row.Detail = fmt.Sprintf("its batch ended without a word about it, and %s is not its document: find out who wrote it", key)
	case !errors.Is(err, collection.ErrObjectMissing):
		return storeFailed(ctx, "look for "+key, err)
	case failed != nil:
		return b.takeFailure(ctx, row, *failed)
	case b.settled != nil:
		row.Outcome, row.Reason = collection.OutcomeDeadLettered, collection.ReasonDeliveryLost
		row.Detail = fmt.Sprintf("it was delivered when the submission was settled, but %s is not there any more", key)
	case end != nil:
		row.RecordResult = *end
	case b.cancelled:
		row.Outcome, row.Reason = collection.OutcomeCancelled, collection.ReasonCancelled
		row.Detail = "the submission was cancelled before the record's batch had begun"
	default:
		row.Outcome, row.Reason = collection.OutcomeDeadLettered, collection.ReasonInternal
		row.Detail = "its batch ended without a word about it, for instance because it was terminated: replay the record"
	}
	return b.addRaw(ctx, row)
}

// addRaw adds the kept bytes to a row that tells of none.
func (b *books) addRaw(ctx context.Context, row *collection.LedgerRow) (err error) {
	if row.Raw == nil {
		row.Raw, err = b.keptRaw(ctx, row.Record)
	}
	return err
}
