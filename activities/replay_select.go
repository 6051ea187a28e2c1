package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

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

// sources looks at those sources of which the manifest counts dead letters: a ledger only ever has fewer than its manifest.
func (s *selection) sources(ctx context.Context, planned []collection.SourcePlan) error {
	counted := map[string]collection.Tally{}
	for _, src := range s.manifest.Sources {
		counted[src.Source] = src.Outcomes
	}
	for _, src := range planned {
		before := counted[src.Source]
		if before.Of(collection.OutcomeDeadLettered)+before.Of(collection.OutcomeCancelled) == 0 {
			continue
		}
		if err := s.source(ctx, src, before); err != nil {
			return err
		}
	}
	return nil
}

func (s *selection) source(ctx context.Context, src collection.SourcePlan, before collection.Tally) error {
	selected := collection.SourcePlan{Source: src.Source, Policy: src.Policy}
	now := collection.Tally{}
	for _, batch := range src.Batches {
		n, err := s.batch(ctx, src.Source, batch.Number, &now)
		if err != nil {
			return err
		}
		if n > 0 {
			selected.Batches = append(selected.Batches, collection.BatchPlan{Number: batch.Number, Records: n})
			selected.Records += n
		}
		activity.RecordHeartbeat(ctx, collection.AttemptProgress{})
	}
	if !sameTally(now, before) {
		s.plan.Stale = true
	}
	if selected.Records > 0 {
		s.plan.Selected += selected.Records
		s.plan.Sources = append(s.plan.Sources, selected)
	}
	return nil
}

// batch selects the dead letters of one part of the ledger and stores how they start.
func (s *selection) batch(ctx context.Context, source string, n int, now *collection.Tally) (int, error) {
	key := collection.LedgerKey(s.in.Submission, source, n)
	rows, err := readLines[collection.LedgerRow](ctx, s.Store, key)
	if errors.Is(err, collection.ErrObjectMissing) {
		// It must not keep the others. The settlement at the end makes it again: its tally is not the manifest's.
		activity.GetLogger(ctx).Error("a part of the ledger is gone: its dead letters are not selected", "object", key)
		s.plan.LostParts++
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
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
	key = collection.ReplayBatchKey(s.in.Submission, s.plan.Number, source, n)
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

func sameTally(a, b collection.Tally) bool {
	for _, pair := range [][2]collection.Tally{{a, b}, {b, a}} {
		for _, row := range pair[0] {
			if count(pair[1], row) != row.Records {
				return false
			}
		}
	}
	return true
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
