package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// failingTasks finds workflows whose tasks have failed several times in a row: the engine itself marks them.
const failingTasks = `ExecutionStatus="Running" AND TemporalReportedProblems IN ("category=WorkflowTaskFailed", "category=WorkflowTaskTimedOut")`

// tasks reports running workflows that cannot go on, one finding for each type in each tree.
func (c *sweepCheck) tasks(ctx context.Context) error {
	found, err := c.find(ctx, maxLooked, failingTasks)
	if err != nil {
		return err
	}
	type tree struct{ root, kind string }
	trees := map[tree][]Execution{}
	for _, e := range found {
		c.result.Looked++
		t := tree{cmp.Or(e.Root, e.WorkflowID), e.Type}
		trees[t] = append(trees[t], e)
	}
	for t, runs := range trees {
		f := collection.Finding{
			Kind: collection.FindingTaskFailing, Severity: collection.SEV2, Subject: runs[0].WorkflowID, Source: runs[0].Source,
			Since:  runs[0].Started,
			Detail: fmt.Sprintf("%s of type %s of %s cannot go on: workflow tasks fail again and again", collection.Plural(len(runs), "workflow"), t.kind, t.root),
			Do:     "Look at the failed task in Temporal Web: if it says nondeterminism or panic, roll the workers back to the version before, and they go on by themselves.",
		}
		if t.kind == collection.WorkflowRecord {
			f.Records = len(runs)
		}
		if t.kind == collection.WorkflowCeilings {
			f.Severity = collection.SEV1
		}
		c.report(f)
	}
	c.sort()
	return nil
}

// sort makes the order of findings that come from a map a fixed one.
func (c *sweepCheck) sort() {
	slices.SortFunc(c.result.Findings, func(a, b collection.Finding) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Detail, b.Detail))
	})
}

const (
	// lateBy is how late a schedule may be.
	lateBy = 5 * time.Minute
	// returnBy is how long after its end a lease may still count against a ceiling before that is worth a word.
	returnBy = 5 * time.Minute
)

// leases looks at the owner of the ceilings, and for permits that lost workers have left behind.
func (c *sweepCheck) leases(ctx context.Context) error {
	owner, err := c.Watch.Describe(ctx, collection.CeilingsID, "")
	if err != nil && !errors.Is(err, ErrUnknownToEngine) {
		return fmt.Errorf("look at %s: %w", collection.CeilingsID, err)
	}
	c.result.Looked++
	if err != nil || !owner.Running {
		return c.ownerMissing(ctx)
	}
	rows, err := c.Watch.Table(ctx)
	if err != nil {
		return fmt.Errorf("ask %s for its table: %w", collection.CeilingsID, err)
	}
	return each(ctx, c, rows, func(r lease.SourceView) string { return r.Source }, func(c *sweepCheck, _ context.Context, r lease.SourceView) error {
		for _, w := range r.Workers {
			if !w.Lost || w.Exposed == 0 || c.now.Sub(w.LeaseEnds) < returnBy {
				continue
			}
			c.report(collection.Finding{
				Kind: collection.FindingLeaseNotReturned, Severity: collection.SEV3, Subject: w.Worker, Source: r.Source, Since: w.LeaseEnds,
				Detail: fmt.Sprintf("the worker's lease ended %s ago, with %s still held against the ceiling of %s", c.now.Sub(w.LeaseEnds).Round(time.Second), collection.Plural(w.Exposed, "permit"), r.Source),
				Do:     "Nothing: they are free once its longest request must have ended; if the worker's machine still runs, look whether the process hangs.",
			})
		}
		return nil
	})
}

// ownerMissing is worth a word only where somebody waits for permits.
func (c *sweepCheck) ownerMissing(ctx context.Context) error {
	n, err := c.Watch.Count(ctx, runningRecords)
	if err != nil || n == 0 {
		return err
	}
	c.report(collection.Finding{
		Kind: collection.FindingOwnerMissing, Severity: collection.SEV2, Subject: collection.CeilingsID, Records: n,
		Detail: "records are running, and nobody owns the ceilings: no request is made",
		Do:     "Start a worker with the role collect: it starts the owner with its first renewal.",
	})
	return nil
}

// schedules looks at weir's schedules: those that it makes itself must be there.
func (c *sweepCheck) schedules(ctx context.Context) error {
	ids, err := c.Watch.ScheduleIDs(ctx)
	if err != nil {
		return fmt.Errorf("list the schedules: %w", err)
	}
	// A list may lag behind; these two are looked at by name.
	ids = append(ids, collection.SweepScheduleID, collection.JanitorScheduleID)
	slices.Sort(ids)
	return each(ctx, c, slices.Compact(ids), func(id string) string { return id }, (*sweepCheck).schedule)
}

func (c *sweepCheck) schedule(ctx context.Context, id string) error {
	state, err := c.Watch.Schedule(ctx, id)
	f := collection.Finding{Severity: collection.SEV3, Subject: id}
	if id == collection.SweepScheduleID {
		f.Severity = collection.SEV2
	}
	switch {
	case errors.Is(err, ErrUnknownToEngine):
		if id != collection.SweepScheduleID && id != collection.JanitorScheduleID {
			return nil // deleted since it was listed
		}
		f.Kind, f.Detail = collection.FindingScheduleMissing, "the schedule is not there"
		f.Do = "Restart a worker with the role fleet: it makes the schedule again."
	case err != nil:
		return err
	case state.Paused:
		f.Kind, f.Detail = collection.FindingScheduleOff, "the schedule is paused"
		if state.Note != "" {
			f.Detail += ": " + state.Note
		}
		f.Do = fmt.Sprintf("Turn it on again when its reason is gone: temporal schedule toggle --unpause --schedule-id %s", id)
	case !state.Next.IsZero() && c.now.Sub(state.Next) > lateBy, state.Next.IsZero():
		f.Kind, f.Since, f.Detail = collection.FindingScheduleLate, state.Next, "the schedule has no next time"
		if !state.Next.IsZero() {
			f.Detail = fmt.Sprintf("the schedule should have started something at %s, and has not", state.Next.UTC().Format(time.RFC3339))
		}
		f.Do = "Look at the schedule in Temporal Web, and whether the engine's own workers run."
	default:
		return nil
	}
	c.report(f)
	return nil
}
