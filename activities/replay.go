package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
)

// Replayer selects dead letters, hands them out in batches, and writes into the ledger how they ended the next time.
type Replayer struct {
	Store Store
	// Engine says whether a submission runs.
	Engine Describer
}

// SelectDead reads the ledger of a settled submission and plans what is run again. Nothing is written when there is nothing
// to do. A call that comes after one that has made the plan returns that plan, and whether the submission counts as
// cancelled by now. A submission that runs is refused; once the plan is made, its end is waited for.
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
	run := activity.GetInfo(ctx).WorkflowExecution.RunID
	numbers, err := readNumbers(ctx, r.Store, in.Submission, run)
	if err != nil {
		return collection.ReplayPlan{}, err
	}
	// Before the manifest is read: one that a submission writes at its end must not be missed.
	if err := r.hasEnded(ctx, in.Submission, numbers.made != nil); err != nil {
		return collection.ReplayPlan{}, err
	}
	standing, err := readStanding(ctx, r.Store, planned)
	if err != nil {
		return collection.ReplayPlan{}, err
	}
	// A manifest of an earlier submission under the same id settles nothing of this one.
	settled := standing.valid && standing.manifest.IsOf(planned)
	cancelled := standing.manifest.State == collection.StateCancelled
	switch {
	case numbers.made != nil && settled:
		return made(*numbers.made, cancelled), nil
	case numbers.made != nil:
		return made(*numbers.made, numbers.made.Cancelled), nil
	case !settled:
		return collection.ReplayPlan{}, finalf(collection.ReasonCommandRefused,
			"submission %s is not settled: wait for its end, or submit it again under the same id, which runs its dead letters again",
			in.Submission)
	}
	numbers.skip(standing.generation() - 1)
	s := &selection{Replayer: r, in: in, manifest: standing.manifest, numbers: numbers, plan: collection.ReplayPlan{
		Number: numbers.next, Submission: in.Submission, Customer: planned.Customer, Run: run,
		Cancelled: cancelled, Lane: planned.Lane, Weight: planned.Weight, Ship: planned.Ship,
	}}
	if err := s.sources(ctx, planned.Sources); err != nil {
		return collection.ReplayPlan{}, err
	}
	if s.plan.Selected > 0 || s.plan.Stale {
		if err := s.keepPlan(ctx); err != nil {
			return collection.ReplayPlan{}, err
		}
	}
	return made(s.plan, cancelled), nil
}

// made is a plan as it is returned: one of nothing has no number, and needs none.
func made(plan collection.ReplayPlan, cancelled bool) collection.ReplayPlan {
	plan.Cancelled = cancelled
	if plan.Selected == 0 {
		plan.Number = 0
	}
	return plan
}

// runningRetry is the wait before a submission that runs is looked at again.
const runningRetry = 10 * time.Second

// hasEnded fails for as long as a submission runs: it may be submitted again at any time, by any client, and settles by itself
// what a replay would settle in its midst. A replay that has run its records waits for the end.
func (r *Replayer) hasEnded(ctx context.Context, submission string, waits bool) error {
	running, err := runs(ctx, r.Engine, submission)
	switch {
	case err != nil || !running:
		return err
	case waits:
		return transient(collection.ReasonStoreUnavailable, runningRetry, collection.AttemptFailure{
			Detail: fmt.Sprintf("submission %s was submitted again and runs: its end is waited for, and then it is settled once more", submission),
		}, nil)
	}
	return finalf(collection.ReasonCommandRefused, "submission %s runs: wait for its end, then replay it", submission)
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
