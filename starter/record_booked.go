package starter

import (
	"context"
	"fmt"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
)

// unlessBooked is the ledger's answer where that counts more than how the record's workflow ended, which a replay has run if
// replayed is set. A ledger that cannot be read leaves the workflow's answer as it is; that the store does not answer is noted.
func (c *Client) unlessBooked(ctx context.Context, answer RecordAnswer, replayed bool) RecordAnswer {
	ended := *answer.Result
	// The replay is asked for before the ledger is read: it writes there before it ends.
	over := replayed && c.replayOver(ctx, answer.Submission)
	if ended.Outcome != collection.OutcomeDelivered && ended.Outcome != collection.OutcomeCancelled && !over {
		return answer
	}
	stored, err := c.storedRecord(ctx, answer.Submission, answer.Record)
	switch {
	case silentStore(ctx, err):
		answer.Notes = append(answer.Notes, byEngineAlone)
	case err != nil || stored.Result == nil:
	case over && unheard(*stored.Result, ended):
		stored.Notes = append(stored.Notes, fmt.Sprintf("a replay has ended this record as %s, and was stopped before that was booked: "+
			"replay it once more (weir replay %s --record %s)", ended.Outcome, answer.Submission, answer.Record))
		return stored
	case outdates(*stored.Result, ended):
		return stored
	}
	return answer
}

// outdates says whether what is booked of a record is a later word than how its workflow ended: the settlement has found
// that the delivered object was not there any more, or that a record which was stopped had been delivered before.
func outdates(booked, ended collection.RecordResult) bool {
	if ended.Outcome == collection.OutcomeDelivered {
		return booked.Lost != nil
	}
	return booked.Outcome == collection.OutcomeDelivered
}

// replayOver says whether the engine runs no replay of a submission. Where it does not say, a replay may run.
func (c *Client) replayOver(ctx context.Context, submission string) bool {
	described, err := c.describe(ctx, collection.ReplayWorkflowID(submission))
	return engine.IsUnknown(err) || err == nil && !isRunning(described)
}

// unheard says whether the ledger has never heard how a replay has ended a record: its row, which is what the lists and the
// manifest are made of, still tells what was before.
func unheard(booked, ended collection.RecordResult) bool {
	switch booked.Outcome {
	case collection.OutcomeDelivered, OutcomePending, OutcomeUnknown:
		return false
	}
	if booked.Lost != nil && ended.Delivered != nil && booked.Lost.Is(*ended.Delivered) {
		// It was booked, and what it delivered was found lost since.
		return false
	}
	return booked.Outcome != ended.Outcome || booked.Reason != ended.Reason
}
