package activities

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.temporal.io/sdk/activity"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

const (
	// maxDeadLetters is how many dead letters are looked at; of more, the latest are counted and the rest is not.
	maxDeadLetters = 10_000
	// idsAtOnce is how many workflow ids one query names.
	idsAtOnce = 100
)

// deadLetters counts the records that have failed for good and were not run again since, by source and reason.
func (c *sweepCheck) deadLetters(ctx context.Context) error {
	failed, err := c.find(ctx, maxDeadLetters, failedRecords)
	if err != nil {
		return err
	}
	latest := map[string]Execution{}
	for _, e := range failed {
		c.result.Looked++
		if known, ok := latest[e.WorkflowID]; !ok || e.Started.After(known.Started) {
			latest[e.WorkflowID] = e
		}
	}
	if err := c.dropRunAgain(ctx, latest); err != nil {
		return err
	}
	if err := c.dropBooked(ctx, latest); err != nil {
		return err
	}
	c.tally(latest)
	c.broken()
	return nil
}

// dropRunAgain takes out those that have a later run, which runs, or ended well. One that was cancelled or terminated does not
// tell that of itself; see dropBooked. Those that cannot be asked for in time are not counted.
func (c *sweepCheck) dropRunAgain(ctx context.Context, latest map[string]Execution) error {
	ids := slices.Sorted(maps.Keys(latest))
	asked, err := c.laterRuns(ctx, latest, ids, liveRecords, func(id string) { delete(latest, id) })
	if err != nil {
		return err
	}
	c.leave(len(ids) - asked)
	for _, id := range ids[asked:] {
		delete(latest, id)
	}
	return nil
}

// laterRuns tells of each of some dead letters that has a later run of a kind. asked is how many were asked for when the time of
// the check was over.
func (c *sweepCheck) laterRuns(
	ctx context.Context, latest map[string]Execution, ids []string, kind string, has func(id string),
) (asked int, err error) {
	n := 0
	for some := range slices.Chunk(ids, idsAtOnce) {
		again, err := c.find(ctx, 10*idsAtOnce, kind+` AND WorkflowId IN (%s)`, quoted(some))
		if outOfTime(ctx) {
			return asked, nil
		}
		if err != nil {
			return asked, err
		}
		asked += len(some)
		n++
		activity.RecordHeartbeat(ctx, n)
		for _, e := range again {
			if dead, ok := latest[e.WorkflowID]; ok && e.Started.After(dead.Started) {
				has(e.WorkflowID)
			}
		}
	}
	return asked, nil
}

func quoted(ids []string) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = fmt.Sprintf("%q", id)
	}
	return strings.Join(texts, ", ")
}

func (c *sweepCheck) tally(latest map[string]Execution) {
	type group struct {
		source string
		reason collection.Reason
	}
	groups := map[group]*collection.DeadLetterCount{}
	for _, e := range latest {
		g := group{e.Source, e.Reason}
		if groups[g] == nil {
			groups[g] = &collection.DeadLetterCount{Source: e.Source, Reason: e.Reason, Oldest: e.Ended}
		}
		groups[g].Records++
		if e.Ended.Before(groups[g].Oldest) {
			groups[g].Oldest = e.Ended
		}
	}
	for _, d := range groups {
		c.result.DeadLetters = append(c.result.DeadLetters, *d)
	}
	slices.SortFunc(c.result.DeadLetters, func(a, b collection.DeadLetterCount) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Reason, b.Reason))
	})
}

// broken reports dead letters that mean that data may be wrong: they do not wait for somebody to look at the queue.
func (c *sweepCheck) broken() {
	for _, d := range c.result.DeadLetters {
		row := failure.Lookup(d.Reason)
		if row.Severity != failure.SeveritySEV1 {
			continue
		}
		c.report(collection.Finding{
			Kind: collection.FindingDeadLettersBroken, Severity: collection.SEV1, Subject: fmt.Sprintf("%s at %s", d.Reason, d.Source),
			Source: d.Source, Records: d.Records, Since: d.Oldest,
			Detail: fmt.Sprintf("%s of source %s ended as %s", collection.Plural(d.Records, "record"), d.Source, d.Reason), Do: row.Explain,
		})
	}
}
