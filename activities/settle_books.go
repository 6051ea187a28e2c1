package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/quality"
)

// books is the account of one settlement: every row of the submission is entered once.
type books struct {
	*settlement
	// total counts all rows by outcome, and sources those of each source.
	total   collection.Tally
	sources []collection.SourceOutcomes
	// failures are the lines of failures.jsonl, and failed is how many these are.
	failures bytes.Buffer
	failed   int
	parts    *partWriter
	// booked is the digest of the records that are booked as delivered; see packedDigest.
	booked string
	// counts are what the checks look at.
	counts *quality.Counter
	// ledger is the part of the ledger whose rows are entered, and lost are the deliveries that are lost by part.
	ledger string
	lost   []lostOfPart
	// listed is what is in the store of records that no ledger knows; nil until somebody asks.
	listed *listing
	// settled is what the standing delivery tells of them; nil until somebody asks, or where none stands.
	settled map[string]collection.FailureRow
}

func newBooks(s *settlement) *books {
	return &books{
		settlement: s, sources: []collection.SourceOutcomes{}, total: collection.Tally{},
		parts: newPartWriter(s), counts: quality.NewCounter(s.plan.Submission, s.plan.AcceptedAt),
	}
}

const (
	// maxLedgerObject bounds what is read of one ledger part or one part of the rejected rows.
	maxLedgerObject = 64 << 20
	// maxDelivered bounds what is read of one delivered object.
	maxDelivered = 64 << 20
	// readAhead is how many delivered objects are read at the same time.
	readAhead = 32
)

// rejectedRows enters the rows that never became records.
func (b *books) rejectedRows(ctx context.Context) error {
	for n := 1; n <= b.plan.RejectedParts; n++ {
		key := collection.RejectedKey(b.plan.Submission, n)
		rows, err := readLines[collection.FailureRow](ctx, b.settler.Store, key)
		if errors.Is(err, collection.ErrObjectMissing) {
			return finalf(collection.ReasonInternal, "the object %s is gone, and with it the rows that became no record: restore it from a version or a copy of the bucket, then run again what has failed", key)
		}
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := b.fail(row); err != nil {
				return err
			}
			b.total.Add(row.Outcome, row.Reason, 1)
			b.counts.Rejected(row)
		}
	}
	return nil
}

// ledgerRows enters every record, source by source and batch by batch, in the order of the plan: the same ledger makes
// the same files.
func (b *books) ledgerRows(ctx context.Context) error {
	for _, src := range b.plan.Sources {
		outcomes := collection.SourceOutcomes{Source: src.Source, Expected: src.Records, Outcomes: collection.Tally{}}
		for _, batch := range src.Batches {
			rows, err := b.batchRows(ctx, src.Source, batch)
			if err != nil {
				return err
			}
			b.ledger = collection.LedgerKey(b.plan.Submission, src.Source, batch.Number)
			if err := b.enter(ctx, rows, &outcomes.Outcomes); err != nil {
				return err
			}
		}
		b.total.Merge(outcomes.Outcomes)
		b.sources = append(b.sources, outcomes)
	}
	return b.parts.flush(ctx)
}

// enter books rows in their order. Delivered objects are read some at a time.
func (b *books) enter(ctx context.Context, rows []collection.LedgerRow, outcomes *collection.Tally) error {
	for start := 0; start < len(rows); start += readAhead {
		chunk := rows[start:min(start+readAhead, len(rows))]
		documents, err := b.read(ctx, chunk)
		if err != nil {
			return err
		}
		if err := b.takeAgain(ctx, chunk, documents); err != nil {
			return err
		}
		for i, row := range chunk {
			if row.Outcome == collection.OutcomeDelivered {
				lost, err := b.parts.add(ctx, row, documents[i])
				if err != nil {
					return err
				}
				if lost != nil {
					row = b.lose(row, *lost)
				}
			} else if err := b.parts.pass(row); err != nil {
				return err
			}
			b.count(row)
			outcomes.Add(row.Outcome, row.Reason, 1)
			if row.Outcome == collection.OutcomeDelivered {
				b.booked = packedDigest(b.booked, row)
				continue
			}
			if err := b.fail(failureOf(row)); err != nil {
				return err
			}
		}
	}
	return nil
}

// read fetches the delivered objects of some rows at the same time; what an earlier attempt has already put into a part
// is not read again.
func (b *books) read(ctx context.Context, rows []collection.LedgerRow) ([]delivered, error) {
	documents := make([]delivered, len(rows))
	group, ctx := errgroup.WithContext(ctx)
	skip := b.parts.toSkip()
	for i, row := range rows {
		if row.Outcome != collection.OutcomeDelivered && !b.parts.wasPassed(row) {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		if row.Outcome != collection.OutcomeDelivered {
			continue
		}
		group.Go(func() error {
			body, err := b.settler.Store.Get(ctx, row.Delivered.Key, maxDelivered)
			if err != nil && !errors.Is(err, collection.ErrObjectMissing) {
				return storeFailed(ctx, "read "+row.Delivered.Key, err)
			}
			if err != nil {
				documents[i].missing = true
				return nil
			}
			documents[i] = delivered{body: body, sha256: collection.Digest(body)}
			documents[i].again, err = b.deliveredAgain(ctx, row, documents[i].sha256)
			return err
		})
	}
	return documents, group.Wait()
}

func failureOf(row collection.LedgerRow) collection.FailureRow {
	return collection.FailureRow{
		Line: row.Line, Key: row.Key, Source: row.Source, Record: row.Record,
		Outcome: row.Outcome, Reason: row.Reason, Attempts: row.Attempts, Detail: row.Detail,
	}
}

// fail adds one line to failures.jsonl.
func (b *books) fail(row collection.FailureRow) error {
	line, err := json.Marshal(row)
	if err != nil {
		return fmt.Errorf("encode the failure of line %d: %w", row.Line, err)
	}
	b.failures.Write(line)
	b.failures.WriteByte('\n')
	b.failed++
	return nil
}
