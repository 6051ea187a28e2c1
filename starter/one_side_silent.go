package starter

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/weir-collect/weir/collection"
)

// alone answers for a submission whose look has failed, where that is because one of the two sides is silent: with the other's word
// and a note. status is what is told with any other error.
func (c *Client) alone(ctx context.Context, id string, status collection.SubmissionStatus, err error) (collection.SubmissionStatus, error) {
	var one collection.SubmissionStatus
	silent := silentEngine(ctx, err)
	switch {
	case silent != nil:
		one, err = c.storedAlone(ctx, id, silent)
	case silentStore(ctx, err):
		one, err = c.endAlone(ctx, id, err)
	}
	if err != nil {
		return status, err
	}
	return one, nil
}

// endAlone is how a submission ended by what the engine says, while the store does not answer; silent where it knows of no end.
func (c *Client) endAlone(ctx context.Context, id string, silent error) (collection.SubmissionStatus, error) {
	var none collection.SubmissionStatus
	described, err := c.describe(ctx, id)
	if err != nil || !isSubmission(described) || isRunning(described) {
		return none, silent
	}
	status, err := c.endedStatus(ctx, id, described)
	if err != nil {
		return none, silent
	}
	status.Notes = append(slices.Clip(status.Notes), byEngineAlone)
	return status, nil
}

// storedAlone is where a submission stands by what the bucket says, while the engine does not answer. Only an end is told: a
// submission that has none there may be under way, or not, and nobody can say now which.
func (c *Client) storedAlone(ctx context.Context, id string, silent *NoEngineError) (collection.SubmissionStatus, error) {
	var none collection.SubmissionStatus
	status, err := c.storedStatus(ctx, id, c.forgotten(id))
	switch {
	case errors.Is(err, ErrNotFound):
		return none, fmt.Errorf("submission %s cannot be found now: the bucket has nothing of it, which may be because it has just begun; %w", id, silent)
	case silentEngine(ctx, err) != nil:
		return none, fmt.Errorf("where submission %s stands cannot be known now: it is settled, but whether its delivery is being shipped is not in the bucket; %w",
			id, silent)
	case err != nil:
		return none, fmt.Errorf("where submission %s stands cannot be known now: %w; the bucket does not tell either: %v", id, silent, err)
	case !ended(status.State):
		return none, fmt.Errorf("where submission %s stands cannot be known now: the bucket has its plan of %d rows and no manifest, as of one that is under way; %w",
			id, status.Expected, silent)
	}
	status.Notes = append(slices.Clip(status.Notes), silent.Short()+byStoreAlone)
	return status, nil
}

// recordAlone is where a record is by what the bucket says, while the engine does not answer. That it has no such record is its
// word, too: its plan is there then, and whole.
func (c *Client) recordAlone(ctx context.Context, id, name string, silent *NoEngineError) (RecordAnswer, error) {
	answer, err := c.storedRecord(ctx, id, name)
	switch {
	case errors.Is(err, ErrNotFound), silentEngine(ctx, err) != nil:
		return answer, err
	case err != nil:
		return answer, fmt.Errorf("where record %s of submission %s is cannot be known now: %w; the bucket does not tell either: %v", name, id, silent, err)
	}
	answer.Notes = append(answer.Notes, silent.Short()+byStoreAlone)
	return answer, nil
}
