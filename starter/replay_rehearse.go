package starter

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"golang.org/x/sync/errgroup"

	"github.com/weir-collect/weir/collection"
)

// Rehearsed is a dead letter, and what a replay would do with it.
type Rehearsed struct {
	DeadLetter
	// WithoutRaw is set when it would be left, because no bytes of it are kept.
	WithoutRaw bool
	// Refused says why its submission cannot be replayed now; nil when it can.
	Refused error
}

// lookAtOnce bounds how many objects are looked for at the same time.
const lookAtOnce = 16

// Rehearse says what Replay would do with the dead letters that a filter chooses, and starts nothing.
func (c *Client) Rehearse(ctx context.Context, f DeadFilter, from collection.ReplayFrom) iter.Seq2[Rehearsed, error] {
	fromRaw := from != "" && from != collection.ReplayFromCollect
	f.Rows = f.Rows || fromRaw
	return func(yield func(Rehearsed, error) bool) {
		var of []Rehearsed
		tell := func() bool {
			if err := c.rehearse(ctx, of, fromRaw); err != nil {
				yield(Rehearsed{}, err)
				return false
			}
			for _, r := range of {
				if !yield(r, nil) {
					return false
				}
			}
			of = nil
			return true
		}
		for l, err := range c.Dead(ctx, f) {
			if err != nil {
				yield(Rehearsed{}, err)
				return
			}
			if len(of) > 0 && of[0].Submission != l.Submission && !tell() {
				return
			}
			of = append(of, Rehearsed{DeadLetter: l})
		}
		if len(of) > 0 {
			tell()
		}
	}
}

// rehearse looks at the dead letters of one submission.
func (c *Client) rehearse(ctx context.Context, of []Rehearsed, fromRaw bool) error {
	refused := c.Replayable(ctx, of[0].Submission)
	// One that could not be looked up cannot be replayed either, and keeps no other.
	if refused != nil && of[0].Note == "" && !errors.Is(refused, ErrNotSettled) && !errors.Is(refused, ErrNotFound) {
		return refused
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(lookAtOnce)
	for i := range of {
		if of[i].Refused = refused; refused != nil || !fromRaw {
			continue
		}
		group.Go(func() (err error) {
			of[i].WithoutRaw, err = c.lacks(ctx, of[i].Raw)
			return err
		})
	}
	return group.Wait()
}

// lacks says whether kept bytes are not there any more: their retention may be shorter than the ledger's.
func (c *Client) lacks(ctx context.Context, raw string) (bool, error) {
	if raw == "" {
		return true, nil
	}
	_, err := c.store.GetRange(ctx, collection.ObjectRange{Key: raw, Length: 1})
	if errors.Is(err, collection.ErrObjectMissing) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for %s: %w", raw, err)
	}
	return false, nil
}

// Replayable says why a submission cannot be replayed now; nil when it can. ErrNotSettled says that it must end first.
func (c *Client) Replayable(ctx context.Context, submission string) error {
	if _, err := c.settledPlan(ctx, submission); err != nil {
		return err
	}
	return c.notRunning(ctx, submission)
}

// settledPlan is the plan of a submission that has a manifest.
func (c *Client) settledPlan(ctx context.Context, submission string) (collection.PlanResult, error) {
	plan, err := c.planned(ctx, submission)
	if err != nil {
		return plan, err
	}
	_, _, err = c.manifest(ctx, plan)
	if !errors.Is(err, collection.ErrObjectMissing) {
		return plan, err
	}
	// Submitting again under the same id does nothing while it runs, and all where it does not.
	running, _, err := c.runs(ctx, submission)
	switch {
	case err != nil:
		return plan, err
	case running:
		return plan, fmt.Errorf("submission %s is still under way: wait for its end, then replay it: %w", submission, ErrNotSettled)
	}
	return plan, fmt.Errorf("submission %s has ended without being settled: submit it again under the same id, and replay it after its end: %w",
		submission, ErrNotSettled)
}
