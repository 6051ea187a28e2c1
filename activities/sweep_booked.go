package activities

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/weir-collect/weir/collection"
)

// A record that had failed, was run again and then stopped may have been delivered before it was stopped, for instance by the
// termination of its batch. Its workflow does not tell; the settlement looks into the bucket, and the ledger says what it found.

// maxSweptIndex bounds what is read of a submission's index, in bytes: that of four million records.
const maxSweptIndex = 64 << 20

// bookedLook are the dead letters of one submission that are looked for in its ledger.
type bookedLook struct {
	submission string
	// accepted is when it was accepted; zero where nobody knows.
	accepted time.Time
	dead     []Execution
	// alive are the workflows of those that are none by the ledger.
	alive []string
}

// dropBooked takes out those that were stopped when they were run again, and of which the ledger says that they are no dead
// letters. What the ledger does not know, or could not be asked for, counts as the engine has it.
func (c *sweepCheck) dropBooked(ctx context.Context, latest map[string]Execution) error {
	stopped, err := c.stoppedSince(ctx, latest)
	if err != nil {
		return err
	}
	var looks []*bookedLook
	for _, id := range stopped { // sorted, so that those of one submission stand together
		submission, record, _ := strings.Cut(id, "/")
		if collection.CheckSubmissionID(submission) != nil || !collection.IsRecordID(record) {
			continue // somebody started it by hand
		}
		if n := len(looks); n == 0 || looks[n-1].submission != submission {
			looks = append(looks, &bookedLook{submission: submission})
		}
		last := looks[len(looks)-1]
		last.dead = append(last.dead, latest[id])
	}
	looked := c.result.Looked
	err = each(ctx, c, looks, func(l *bookedLook) string { return l.submission }, (*sweepCheck).lookIntoLedger)
	c.result.Looked = looked // the records are counted already
	for _, l := range looks {
		for _, id := range l.alive {
			delete(latest, id)
		}
	}
	return err
}

// stoppedSince are those that were run again and stopped, sorted. One question tells that there are none at all, as mostly.
func (c *sweepCheck) stoppedSince(ctx context.Context, latest map[string]Execution) ([]string, error) {
	if len(latest) == 0 {
		return nil, nil
	}
	first := slices.MinFunc(slices.Collect(maps.Values(latest)), func(a, b Execution) int { return a.Started.Compare(b.Started) })
	n, err := c.Watch.Count(ctx, fmt.Sprintf(stoppedRecords+` AND StartTime >= %q`, first.Started.UTC().Format(time.RFC3339)))
	switch {
	case outOfTime(ctx) || err == nil && n == 0:
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("count the records that were stopped: %w", err)
	}
	var stopped []string
	ids := slices.Sorted(maps.Keys(latest))
	asked, err := c.laterRuns(ctx, latest, ids, stoppedRecords, func(id string) { stopped = append(stopped, id) })
	c.leave(len(ids) - asked)
	slices.Sort(stopped)
	return slices.Compact(stopped), err
}

// lookIntoLedger reads the rows of a submission's dead letters.
func (c *sweepCheck) lookIntoLedger(ctx context.Context, l *bookedLook) error {
	index, err := c.Store.Get(ctx, collection.IndexKey(l.submission), maxSweptIndex)
	if errors.Is(err, collection.ErrObjectMissing) {
		return nil // it is of a time before there were any, or its plan is gone
	}
	if err != nil {
		return fmt.Errorf("read the index of %s: %w", l.submission, err)
	}
	var plan collection.PlanResult
	if _, err := c.read(ctx, collection.PlanKey(l.submission), maxPlan, &plan); err != nil {
		return err
	}
	l.accepted = plan.AcceptedAt
	byPart := map[string][]string{}
	for _, e := range l.dead {
		_, record, _ := strings.Cut(e.WorkflowID, "/")
		if entry, ok, _ := collection.FindInIndex(index, record, true, true); ok && e.Source != "" {
			key := collection.LedgerKey(l.submission, e.Source, entry.Batch)
			byPart[key] = append(byPart[key], record)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(byPart)) {
		if err := c.lookIntoPart(ctx, l, key, byPart[key]); err != nil {
			return err
		}
	}
	return nil
}

func (c *sweepCheck) lookIntoPart(ctx context.Context, l *bookedLook, key string, records []string) error {
	body, err := c.Store.Get(ctx, key, maxLedgerObject)
	if errors.Is(err, collection.ErrObjectMissing) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", key, err)
	}
	rows, err := collection.DecodeLines[collection.LedgerRow](body)
	if err != nil {
		return fmt.Errorf("%s is damaged in %w", key, err)
	}
	// That a record was delivered in a life before of its submission does not say that it is no dead letter of this one.
	for _, row := range collection.RowsOfLife(l.accepted, rows) {
		if !row.IsDead() && slices.Contains(records, row.Record) {
			l.alive = append(l.alive, collection.RecordWorkflowID(l.submission, row.Record))
		}
	}
	return nil
}
