package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
)

// Replayer selects dead letters, hands them out in batches, and writes into the ledger how they ended the next time.
type Replayer struct {
	Store Store
}

// SelectDead reads the ledger of a settled submission and plans what is run again. Nothing is written when there is nothing
// to do. An attempt that comes after one that has made the plan returns that plan.
func (r *Replayer) SelectDead(ctx context.Context, in collection.ReplayInput) (collection.ReplayPlan, error) {
	return keptAlive(ctx, func() (collection.ReplayPlan, error) { return r.selectDead(ctx, in) })
}

func (r *Replayer) selectDead(ctx context.Context, in collection.ReplayInput) (collection.ReplayPlan, error) {
	planned, err := readPlan(ctx, r.Store, in.Submission)
	if errors.Is(err, collection.ErrObjectMissing) {
		err = finalf(collection.ReasonCommandRefused, "there is no plan of submission %s: nothing is known of its records", in.Submission)
	}
	if err != nil {
		return collection.ReplayPlan{}, err
	}
	standing, err := readStanding(ctx, r.Store, planned)
	if err != nil {
		return collection.ReplayPlan{}, err
	}
	if !standing.valid {
		return collection.ReplayPlan{}, finalf(collection.ReasonCommandRefused,
			"submission %s is not settled: wait for its end, or submit it again under the same id, which runs its dead letters again",
			in.Submission)
	}
	run := activity.GetInfo(ctx).WorkflowExecution.RunID
	number, made, err := r.nextNumber(ctx, in.Submission, run)
	if err != nil || made != nil {
		return orEmpty(made), err
	}
	s := &selection{Replayer: r, in: in, manifest: standing.manifest, plan: collection.ReplayPlan{
		Number: number, Submission: in.Submission, Customer: planned.Customer, Run: run,
		Cancelled: standing.manifest.State == collection.StateCancelled, Lane: planned.Lane, Weight: planned.Weight, Ship: planned.Ship,
	}}
	if err := s.sources(ctx, planned.Sources); err != nil {
		return collection.ReplayPlan{}, err
	}
	if s.plan.Selected == 0 {
		s.plan.Number = 0
		return s.plan, nil
	}
	return r.keepPlan(ctx, s.plan)
}

func orEmpty(p *collection.ReplayPlan) collection.ReplayPlan {
	if p == nil {
		return collection.ReplayPlan{}
	}
	return *p
}

// nextNumber is the first number that no replay has, or the plan that this run has made before.
func (r *Replayer) nextNumber(ctx context.Context, submission, run string) (int, *collection.ReplayPlan, error) {
	for n := 1; ; n++ {
		key := collection.ReplayPlanKey(submission, n)
		body, err := r.Store.Get(ctx, key, maxPlan)
		if errors.Is(err, collection.ErrObjectMissing) {
			return n, nil, nil
		}
		if err != nil {
			return 0, nil, storeFailed(ctx, "read "+key, err)
		}
		var plan collection.ReplayPlan
		if json.Unmarshal(body, &plan) == nil && plan.Run == run {
			return n, &plan, nil
		}
	}
}

// keepPlan stores the plan, last of what belongs to it.
func (r *Replayer) keepPlan(ctx context.Context, plan collection.ReplayPlan) (collection.ReplayPlan, error) {
	body, err := json.Marshal(plan)
	if err != nil {
		return plan, fmt.Errorf("encode the plan of the replay: %w", err)
	}
	key := collection.ReplayPlanKey(plan.Submission, plan.Number)
	_, err = r.Store.Create(ctx, key, body, typeJSON)
	var conflict *collection.ConflictError
	if errors.As(err, &conflict) {
		return plan, transient(collection.ReasonStoreUnavailable, 0,
			collection.AttemptFailure{Detail: conflict.Error() + ": another attempt was faster"}, nil)
	}
	if err != nil {
		return plan, storeFailed(ctx, "store "+key, err)
	}
	return plan, nil
}

// maxReplayInline bounds a record that is handed out by value: what is known of its kept bytes goes with it, and 500 of both
// mostly go into one result.
const maxReplayInline = collection.MaxRecordInline / 2

// LoadReplay reads the records of one batch of a replay, and where each starts: as many as one result may hold. A row of a
// record that the submission's plan does not know is left out: it must not keep the others.
func (r *Replayer) LoadReplay(ctx context.Context, in collection.LoadReplayInput) (collection.LoadReplayResult, error) {
	return keptAlive(ctx, func() (collection.LoadReplayResult, error) { return r.loadReplay(ctx, in) })
}

func (r *Replayer) loadReplay(ctx context.Context, in collection.LoadReplayInput) (collection.LoadReplayResult, error) {
	var out collection.LoadReplayResult
	key := collection.ReplayBatchKey(in.Submission, in.Replay, in.Source, in.Number)
	starts, err := readLines[replayStart](ctx, r.Store, key)
	if errors.Is(err, collection.ErrObjectMissing) {
		return out, finalf(collection.ReasonInternal, "the batch %s of the replay is gone: start another replay", key)
	}
	if err != nil {
		return out, err
	}
	records, err := readBatchInline(ctx, r.Store, in.Submission, in.Source, in.Number, maxReplayInline)
	if err != nil {
		return out, err
	}
	known := make(map[string]collection.Record, len(records))
	for _, record := range records {
		known[record.ID] = record
	}
	size := 0
	for i := in.After; i < len(starts); i++ {
		record, ok := known[starts[i].Record]
		if !ok {
			activity.GetLogger(ctx).Error("a dead letter stands in no batch of the plan", "record", starts[i].Record, "batch", key)
			continue
		}
		one := collection.ReplayedRecord{Record: record, Replay: starts[i].RecordReplay}
		encoded, err := json.Marshal(one)
		if err != nil {
			return out, fmt.Errorf("encode record %s of the replay: %w", record.ID, err)
		}
		// A comma stands between two.
		if size += len(encoded) + 1; size > collection.MaxCall && len(out.Records) > 0 {
			out.Next = i
			return out, nil
		}
		out.Records = append(out.Records, one)
	}
	return out, nil
}
