package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/sizing"
	"github.com/weir-collect/weir/starter"
)

// measured reads what arrived at this installation and how long it took.
func (a *app) measured(cmd *cobra.Command, past pastFlags) (m starter.Measured, cfg config.Config, err error) {
	err = a.withClient(cmd, func(ctx context.Context, c client, with config.Config) error {
		cfg = with
		progress := a.newPastProgress()
		defer progress.end()
		m, err = c.Measured(ctx, past.window(a.world.Now()), progress.show)
		return err
	})
	return m, cfg, err
}

// enough refuses a history that is too short to be taken for what will come, and says what it lacks.
func enough(m starter.Measured, past pastFlags) error {
	has, need := m.History.Extent(), sizing.Needed()
	if has.Covers(need) {
		return nil
	}
	if has.Submissions == 0 {
		return usagef("%s: give --arrivals FILE, or --params FILE with what is expected", nothingSince(past, m.Coverage))
	}
	advice := "collect for longer, or widen --since"
	if m.Omitted > 0 {
		advice = fmt.Sprintf("%s not read, since the others have records enough: give --customer, or --arrivals FILE",
			plural(m.Omitted, "older submission was", "older submissions were"))
	}
	return usagef("too little is measured to size a fleet from: the ledgers have %s, and it takes %s: %s", has, need, advice)
}

// measuredInput is what this installation's ledgers say, over the parameters.
func (a *app) measuredInput(cmd *cobra.Command, f *sizeFlags, in sizeInput) (sizeInput, error) {
	m, cfg, err := a.measured(cmd, f.past)
	if err != nil {
		return in, err
	}
	if err := enough(m, f.past); err != nil {
		return in, err
	}
	in.history, in.name, in.from, in.collects = m.History, "what is measured", sizing.FromMeasured, cfg.Worker.MaxCollects
	if f.params == "" {
		// The experiment's price is that of a process, which makes so many requests at once.
		in.params.WorkerMonthDollars /= float64(max(in.collects, 1))
	}
	if in.params, err = m.History.AffordableParams(in.params); err != nil {
		return in, usageError{explainProblems(in.name, err)}
	}
	for _, s := range cfg.Sources {
		in.ceilings += s.Ceiling
	}
	a.tellMeasured(m)
	return in, nil
}

func (a *app) tellMeasured(m starter.Measured) {
	out := a.remarks()
	out.Line("measured: %s of %s over %.3g days; service times are those of %s in %s", screen.Plural(m.History.Jobs(), "record"),
		screen.Plural(len(m.History.Batches), "submission"), m.History.Span().Hours()/24,
		screen.Plural(m.History.Extent().Services, "record"), screen.Plural(m.Parts, "part")+" of the ledgers")
	if share := m.History.FreeShare(); share > 0 {
		out.Line("%.2g %% of all records made no request, and count as taking no time: cancelled, refused or expired before their turn", 100*share)
	}
	if m.Unknown > 0 {
		out.Line("%s not tell how long the requests took, and were left out", plural(m.Unknown, "record of them does", "records of them do"))
	}
	a.tellOmitted(m.Coverage)
}

// tellProcesses says what a worker of the report is in this installation.
func (a *app) tellProcesses(in sizeInput, workers int) {
	if in.from != sizing.FromMeasured || workers == 0 {
		return
	}
	out := a.remarks()
	out.Line("a worker above is one request at a time: %s for %s of weir worker, which makes up to %s at once (worker.max_collects)",
		plural(workers, "is enough work", "are enough work"), plural((workers+in.collects-1)/max(in.collects, 1), "process", "processes"),
		screen.Count(in.collects))
	if in.ceilings > 0 && workers > in.ceilings {
		out.Line("all ceilings together let %s through at once: what more workers than that are for waits for permits, so it is ceilings that must be raised, or the promise lowered",
			screen.Plural(in.ceilings, "request"))
	}
}

// saveSizing keeps what the fleet was sized for, so that later arrivals can be compared with it.
func (a *app) saveSizing(name string, in sizeInput, workers int, now time.Time) error {
	if name == "" {
		return nil
	}
	kept := sizing.Assumed{
		SavedAt: now.UTC().Truncate(time.Second), From: in.from, Promise: in.params.Promise, Workers: workers, Burst: in.params.Burst(),
	}
	if in.history != nil {
		kept.Burst, kept.Doubts = in.history.Assumes(in.params), in.history.Doubts()
	}
	if err := a.writeSizing(name, kept); err != nil {
		return err
	}
	a.remarks().Line("wrote %s; compare with it later: weir promise --drift --assumed %s", screen.Clean(name), screen.Clean(name))
	return nil
}
