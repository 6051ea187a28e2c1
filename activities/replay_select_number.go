package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/weir-collect/weir/collection"
)

// A replay's number is part of the ids of its batches. Two replays with one number would be one to the engine: what the first
// has completed would be adopted by the second, which then runs nothing. How long the plans of replays are kept is no measure
// of how long the engine remembers, so that the last number is kept by itself.

// replayCount is the last number that a replay of a submission has taken, and the run of the Replay workflow that took it.
type replayCount struct {
	Number int    `json:"number"`
	Run    string `json:"run"`
}

// maxReplayCount bounds what is read of a counter, in bytes.
const maxReplayCount = 4 << 10

// replayNumbers is what is known of a submission's replays when a run of one begins.
type replayNumbers struct {
	store           Store
	submission, run string
	// info is the counter as it was read, nil where there is none; taken says that it has this run's number already.
	info  *collection.ObjectInfo
	taken bool
	// next is this run's number, and made the plan that it has made before.
	next int
	made *collection.ReplayPlan
}

// readNumbers finds this run's number: behind the last one that was taken, and behind every plan that is kept.
func readNumbers(ctx context.Context, store Store, submission, run string) (*replayNumbers, error) {
	n := &replayNumbers{store: store, submission: submission, run: run}
	key := collection.ReplayCountKey(submission)
	body, info, err := readWhole(ctx, store, key, maxReplayCount)
	var last replayCount
	switch {
	case errors.Is(err, collection.ErrObjectMissing):
		return n, n.fromPlans(ctx)
	case err != nil:
		return nil, storeFailed(ctx, "read "+key, err)
	}
	n.info = &info
	if json.Unmarshal(body, &last) != nil || last.Number < 1 {
		return n, n.fromPlans(ctx)
	}
	if last.Run == run {
		free, err := n.look(ctx, last.Number)
		if err != nil || n.made != nil {
			return n, err
		}
		if free {
			n.next, n.taken = last.Number, true
			return n, nil
		}
	}
	return n, n.behind(ctx, last.Number)
}

// fromPlans goes by the plans that are kept, of replays from before numbers were.
func (n *replayNumbers) fromPlans(ctx context.Context) error {
	prefix := path.Dir(path.Dir(collection.ReplayPlanKey(n.submission, 1))) + "/"
	last := 0
	for info, err := range n.store.List(ctx, prefix) {
		if err != nil {
			return storeFailed(ctx, "list "+prefix, err)
		}
		folder, name, _ := strings.Cut(strings.TrimPrefix(info.Key, prefix), "/")
		number, err := strconv.Atoi(folder)
		if err != nil {
			continue
		}
		last = max(last, number)
		if name != path.Base(collection.ReplayPlanKey(n.submission, number)) {
			continue
		}
		if _, err := n.look(ctx, number); err != nil || n.made != nil {
			return err
		}
	}
	return n.behind(ctx, last)
}

// behind takes the first number after the last one that has no plan: a worker from before numbers were kept may have made one.
func (n *replayNumbers) behind(ctx context.Context, last int) error {
	for n.next = last + 1; ; n.next++ {
		free, err := n.look(ctx, n.next)
		if err != nil || free || n.made != nil {
			return err
		}
	}
}

// look says whether a number has no plan. One that this run has made is its own.
func (n *replayNumbers) look(ctx context.Context, number int) (free bool, err error) {
	key := collection.ReplayPlanKey(n.submission, number)
	body, err := n.store.Get(ctx, key, maxPlan)
	if errors.Is(err, collection.ErrObjectMissing) {
		return true, nil
	}
	if err != nil {
		return false, storeFailed(ctx, "read "+key, err)
	}
	var plan collection.ReplayPlan
	if json.Unmarshal(body, &plan) == nil && plan.Run == n.run {
		n.made = &plan
	}
	return false, nil
}

// skip passes over numbers of which nothing is kept, where there is no counter yet: a manifest of generation 4 was settled
// again three times, most likely by replays.
func (n *replayNumbers) skip(settledAgain int) {
	if n.info == nil && n.next <= settledAgain {
		n.next = settledAgain + 1
	}
}

// take writes the number down as this run's, before anything is written under it.
func (n *replayNumbers) take(ctx context.Context) error {
	if n.taken {
		return nil
	}
	key := collection.ReplayCountKey(n.submission)
	body, err := json.Marshal(replayCount{Number: n.next, Run: n.run})
	if err != nil {
		return fmt.Errorf("encode the number of the replay: %w", err)
	}
	if err := overtaken(ctx, "write "+key, swap(ctx, n.store, key, body, typeJSON, n.info)); err != nil {
		return err
	}
	n.taken = true
	return nil
}
