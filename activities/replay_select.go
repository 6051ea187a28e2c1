package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"go.temporal.io/sdk/activity"
	"golang.org/x/sync/errgroup"

	"github.com/weir-collect/weir/collection"
)

// selection goes through a ledger, one part at a time, and writes down what is run again.
type selection struct {
	*Replayer
	in       collection.ReplayInput
	manifest collection.Manifest
	numbers  *replayNumbers
	plan     collection.ReplayPlan
}

// replayStart is a line of a replay's batch.
type replayStart struct {
	Record string `json:"record"`
	collection.RecordReplay
}

// sources looks at every source: that the manifest counts no dead letters of one does not say that its ledger has none. A
// settlement that finds deliveries lost tells the ledger first, and may have ended before it could write its manifest.
func (s *selection) sources(ctx context.Context, planned []collection.SourcePlan) error {
	counted := map[string]collection.Tally{}
	for _, src := range s.manifest.Sources {
		counted[src.Source] = src.Outcomes
	}
	for _, src := range planned {
		if err := s.source(ctx, src, counted[src.Source]); err != nil {
			return err
		}
	}
	return nil
}

func (s *selection) source(ctx context.Context, src collection.SourcePlan, before collection.Tally) error {
	selected := collection.SourcePlan{Source: src.Source, Policy: src.Policy}
	now, gone := collection.Tally{}, 0
	for batches := range slices.Chunk(src.Batches, partsAhead) {
		parts, err := s.ledgerParts(ctx, src.Source, batches)
		if err != nil {
			return err
		}
		for i, part := range parts {
			if part.gone {
				gone++
				continue
			}
			n, err := s.batch(ctx, src.Source, batches[i].Number, part.rows, &now)
			if err != nil {
				return err
			}
			if n > 0 {
				selected.Batches = append(selected.Batches, collection.BatchPlan{Number: batches[i].Number, Records: n})
				selected.Records += n
			}
		}
		activity.RecordHeartbeat(ctx, collection.AttemptProgress{})
	}
	s.compare(now, before, gone)
	if selected.Records > 0 {
		s.plan.Selected += selected.Records
		s.plan.Sources = append(s.plan.Sources, selected)
	}
	return nil
}

// compare finds out whether the manifest tells what the ledger of a source does. The settlement at the end makes parts that are
// gone again. By a manifest that counts no dead letters there is nothing in these to replay, so that they alone are no
// reason to settle; only what is left of the ledger is.
func (s *selection) compare(now, before collection.Tally, gone int) {
	dead := before.Of(collection.OutcomeDeadLettered) + before.Of(collection.OutcomeCancelled)
	if gone > 0 && dead == 0 {
		s.plan.Stale = s.plan.Stale || exceeds(now, before)
		return
	}
	s.plan.LostParts += gone
	s.plan.Stale = s.plan.Stale || !sameTally(now, before)
}

// partsAhead is how many parts of the ledger are read at the same time: each is held in memory.
const partsAhead = 8

// ledgerPart is a part of the ledger as it was read.
type ledgerPart struct {
	rows []collection.LedgerRow
	gone bool
}

// ledgerParts reads the parts of the ledger of some batches. One that is gone must not keep the others.
func (s *selection) ledgerParts(ctx context.Context, source string, batches []collection.BatchPlan) ([]ledgerPart, error) {
	parts := make([]ledgerPart, len(batches))
	group, reading := errgroup.WithContext(ctx)
	for i, batch := range batches {
		group.Go(func() error {
			key := collection.LedgerKey(s.in.Submission, source, batch.Number)
			rows, err := readLines[collection.LedgerRow](reading, s.Store, key)
			if errors.Is(err, collection.ErrObjectMissing) {
				activity.GetLogger(ctx).Error("a part of the ledger is gone: its dead letters are not selected", "object", key)
				parts[i].gone = true
				return nil
			}
			parts[i].rows = collection.RowsOfLife(s.manifest.AcceptedAt, rows)
			// A part that tells of a submission before alone is none of this one's.
			parts[i].gone = len(parts[i].rows) == 0 && len(rows) > 0
			return err
		})
	}
	return parts, group.Wait()
}

// batch selects the dead letters of one part of the ledger, counts its rows, and stores how they start.
func (s *selection) batch(
	ctx context.Context, source string, n int, rows []collection.LedgerRow, now *collection.Tally,
) (int, error) {
	var taken []collection.LedgerRow
	for _, row := range rows {
		now.Add(row.Outcome, row.Reason, 1)
		if row.IsDead() {
			s.plan.Dead++
		}
		if s.in.Select.Takes(row) {
			taken = append(taken, row)
		}
	}
	if err := s.lookForRaw(ctx, taken); err != nil {
		return 0, err
	}
	starts := s.starts(taken)
	if len(starts) == 0 {
		return 0, nil
	}
	if err := s.numbers.take(ctx); err != nil {
		return 0, err
	}
	body, err := encodeLines(starts)
	if err != nil {
		return 0, err
	}
	key := collection.ReplayBatchKey(s.in.Submission, s.plan.Number, source, n)
	if _, err := s.Store.Put(ctx, key, body, typeJSONLines); err != nil {
		return 0, storeFailed(ctx, "store "+key, err)
	}
	return len(starts), nil
}

// keepPlan stores the plan, last of what belongs to it.
func (s *selection) keepPlan(ctx context.Context) error {
	if err := s.numbers.take(ctx); err != nil {
		return err
	}
	body, err := json.Marshal(s.plan)
	if err != nil {
		return fmt.Errorf("encode the plan of the replay: %w", err)
	}
	key := collection.ReplayPlanKey(s.plan.Submission, s.plan.Number)
	_, err = s.Store.Create(ctx, key, body, typeJSON)
	return overtaken(ctx, "store "+key, err)
}

// overtaken shapes the error of a write that only one may make.
func overtaken(ctx context.Context, doing string, err error) error {
	var conflict *collection.ConflictError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &conflict):
		return transient(collection.ReasonStoreUnavailable, 0,
			collection.AttemptFailure{Detail: conflict.Error() + ": another attempt was faster"}, nil)
	}
	return storeFailed(ctx, doing, err)
}

// lookForRaw takes the kept bytes from rows whose bytes are not there any more: the retention of raw bytes may be shorter than
// the ledger's.
func (s *selection) lookForRaw(ctx context.Context, rows []collection.LedgerRow) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readAhead)
	for i := range rows {
		row := &rows[i]
		if row.Raw == nil || s.in.From == collection.ReplayFromCollect {
			continue
		}
		group.Go(func() error {
			_, err := s.Store.Head(ctx, row.Raw.Key)
			if errors.Is(err, collection.ErrObjectMissing) {
				row.Raw = nil
				return nil
			}
			if err != nil {
				return storeFailed(ctx, "look for "+row.Raw.Key, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// starts is how the rows are run again that have something to start from.
func (s *selection) starts(rows []collection.LedgerRow) []replayStart {
	var starts []replayStart
	for _, row := range rows {
		start, ok := s.in.From.Start(row.RecordResult)
		if !ok {
			s.plan.WithoutRaw++
			continue
		}
		starts = append(starts, replayStart{row.Record, start})
	}
	return starts
}

func sameTally(a, b collection.Tally) bool { return !exceeds(a, b) && !exceeds(b, a) }

// exceeds says whether a tally counts more of anything than another one.
func exceeds(a, b collection.Tally) bool {
	return slices.ContainsFunc(a, func(row collection.Count) bool { return row.Records > count(b, row) })
}

func count(t collection.Tally, like collection.Count) int {
	for _, row := range t {
		if row.Outcome == like.Outcome && row.Reason == like.Reason {
			return row.Records
		}
	}
	return 0
}

// encodeLines is JSON Lines.
func encodeLines[T any](rows []T) ([]byte, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	for i, row := range rows {
		if err := encoder.Encode(row); err != nil {
			return nil, fmt.Errorf("encode line %d: %w", i+1, err)
		}
	}
	return body.Bytes(), nil
}
