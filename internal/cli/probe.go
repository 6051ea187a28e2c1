package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/internal/probe"
	"github.com/weir-collect/weir/internal/probe/drive"
)

const probeLong = `Find how many requests in flight a source can take: start with one, raise the
number step by step, and look where success or response time deteriorates.

Every request is a real one, with a permit of the fleet: the source's ceiling,
pace, hours and pauses hold as for a worker, and a worker with the role fleet
must run. A probe never goes beyond the ceiling in force; to look further, raise
the ceiling first, if the source's owner agrees. It ends at the first step that
makes things worse: a throttle, more failures, or slower answers without more of
them. robots.txt is obeyed as ever. Responses are thrown away.

The targets are those of --urls FILE, which is read like a file that is
submitted, or of --url. They are asked for again and again, so give enough of
them that a cache does not answer in the source's place. Rows of other sources
are left out.

Requests of other workers at the same source blur the figures: probe when it is
quiet.

  IN FLIGHT  requests that were to be in flight at once, and were on average
  OK         share of requests that were answered in order
  P50, P95   median and 95th percentile of their response times
  PER S      requests in order that ended per second

With --output json: {"source", "ceiling", "pace", "others_in_flight", "targets",
"steps": [{"concurrency", "in_flight", "requests", "ok", "throttled", "failed",
"ours", "reasons", "p50_seconds", "p95_seconds", "seconds", "per_second"}],
"advice": {"ceiling", "at_least", "cause", "why", "pace"}}. A ceiling of 0 is
none; at_least says that the source may take more. The exit code is 1 where no
ceiling can be recommended.`

const probeExample = `  weir probe bookshop --urls sample.csv
  weir probe bookshop --url https://www.bookshop.example/1 --max 8
  weir probe bookshop --urls sample.csv --steps each --charts charts`

const (
	defaultStepTime = 20 * time.Second
	leastStepTime   = time.Second
	// mostTargets bounds the targets that are kept.
	mostTargets = 10_000

	stepsDoubling = "doubling"
	stepsEach     = "each"
)

// probeFlags are the flags of probe.
type probeFlags struct {
	file     string
	urls     []string
	format   choice
	steps    choice
	stepTime time.Duration
	max      int
	charts   string
}

func (a *app) probeCommand() *cobra.Command {
	f := &probeFlags{
		format: choice{allowed: []string{"csv", "jsonl"}, name: "FORMAT"},
		steps:  choice{value: stepsDoubling, allowed: []string{stepsDoubling, stepsEach}, name: "STEPS"},
	}
	cmd := &cobra.Command{
		Use: "probe SOURCE", Short: "Find how many requests in flight a source can take", Long: probeLong, Example: probeExample,
		Args: exactly(1, "SOURCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.load(cmd.Flags())
			if err != nil {
				return err
			}
			return a.probe(cmd.Context(), cfg, args[0], f, openProbe)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.file, "urls", "", "`FILE` of targets: CSV or JSON Lines, as for weir submit; - reads stdin")
	flags.StringArrayVar(&f.urls, "url", nil, "`URL` of a target; may be given several times")
	flags.Var(&f.format, "format", "csv or jsonl; told by the file's name and content when not given")
	flags.Var(&f.steps, "steps", "doubling (1, 2, 4, and so on) or each (1, 2, 3, and so on)")
	flags.DurationVar(&f.stepTime, "step-time", defaultStepTime, "how long each step is measured, a `DURATION`")
	flags.IntVar(&f.max, "max", 0, "most requests in flight to try, `N`; the ceiling in force when not given")
	flags.StringVar(&f.charts, "charts", "", "write the chart, as SVG and PNG, into this `FOLDER`; created if it is missing")
	return cmd
}

func (f *probeFlags) check() error {
	switch {
	case f.file == "" && len(f.urls) == 0:
		return usagef("what is to be asked for? Give --urls FILE or --url URL")
	case f.file != "" && len(f.urls) > 0:
		return usagef("give --urls or --url, not both")
	case f.stepTime < leastStepTime:
		return usagef("--step-time %s: use %s or more", f.stepTime, leastStepTime)
	case f.max < 0:
		return usagef("--max %d: use 1 or more, or leave it out", f.max)
	}
	return nil
}

// probeAnswer is what probe prints as JSON.
type probeAnswer struct {
	Source         string       `json:"source"`
	Ceiling        int          `json:"ceiling"`
	Pace           lease.Rate   `json:"pace"`
	OthersInFlight int          `json:"others_in_flight"`
	Targets        int          `json:"targets"`
	Steps          []probe.Step `json:"steps"`
	Advice         probe.Advice `json:"advice"`
}

func (a *app) probe(ctx context.Context, cfg config.Config, source string, f *probeFlags, open openProbeTools) error {
	src, targets, err := a.probeTargets(cfg, source, f)
	if err != nil {
		return err
	}
	// Minutes of asking must not end at a folder that cannot be.
	if err := a.chartFolder(f.charts); err != nil {
		return err
	}
	tools, err := open(ctx, cfg, a.secrets())
	if err != nil {
		return err
	}
	defer tools.close()
	row, err := a.probedRow(ctx, tools, source)
	if err != nil {
		return err
	}
	answer := probeAnswer{Source: source, Ceiling: row.Ceiling, Pace: row.Pace, OthersInFlight: row.InFlight, Targets: len(targets)}
	result, err := a.runProbe(ctx, cfg, src, row, targets, f, tools)
	if errors.Is(err, drive.ErrNoTargets) {
		return usageError{fmt.Errorf("probe %s: %w", source, err)}
	}
	if err != nil && ctx.Err() == nil {
		return err
	}
	answer.Steps = result.Steps
	if answer.Steps == nil {
		answer.Steps = []probe.Step{}
	}
	if ctx.Err() != nil {
		// Whoever breaks it off has seen enough: what was measured is theirs.
		a.showProbeSteps(answer.Steps)
		return errInterrupted
	}
	answer.Advice = probe.Recommend(result.Steps, result.Cause)
	return a.tellProbe(answer, f.charts)
}

// probedRow is the source's row in the fleet's table; an error if the source takes no requests now.
func (a *app) probedRow(ctx context.Context, tools probeTools, source string) (lease.SourceView, error) {
	rows, err := tools.rows(ctx)
	if err != nil {
		return lease.SourceView{}, explainNoTable(err)
	}
	row, err := sourceRow(rows, source)
	if err != nil {
		return row, err
	}
	if !row.Open {
		until := ""
		if !row.OpensAt.IsZero() {
			until = " until " + screen.Time(row.OpensAt)
		}
		return row, fmt.Errorf("source %s takes no requests now (%s)%s: see weir sources %s", source, row.Why, until, source)
	}
	return row, nil
}

// settleRenewals is for how many renewals a step waits for its permits: one asks, the next brings what others gave back.
const settleRenewals = 4

func (a *app) runProbe(
	ctx context.Context, cfg config.Config, src collection.Source, row lease.SourceView, targets []collection.Record, f *probeFlags, tools probeTools,
) (drive.Result, error) {
	remarks := a.remarks()
	largest := row.InForce
	if f.max > largest {
		remarks.Line("the ceiling in force is %d: a probe goes no further, whatever --max says", largest)
	} else if f.max > 0 {
		largest = f.max
	}
	steps := probe.Ladder(largest, f.steps.value == stepsEach)
	session, err := tools.begin(src, largest)
	if err != nil {
		return drive.Result{}, err
	}
	defer session.Return()
	pace := 0.0
	if row.Pace < lease.Unlimited {
		pace = row.Pace.PerSecond()
	}
	remarks.Line("probing %s: %s, up to %s in flight, at least %s", src.Name, screen.Plural(len(targets), "target"),
		screen.Plural(largest, "request"), screen.Duration(f.stepTime*time.Duration(len(steps))))
	if row.InFlight > 0 {
		remarks.Line("other workers have %s in flight there, which blurs the figures", screen.Plural(row.InFlight, "request"))
	}
	result, err := drive.Run(ctx, drive.Options{
		Source: src.Name, Targets: targets, Steps: steps, StepTime: f.stepTime,
		Settle: settleRenewals * cfg.Fleet.LeaseTTL / renewalsPerTTL, Pace: pace, Permits: session, Grant: session.Grant, Clock: wallClock{},
		Fetch: session.Fetch, Allow: session.Allow,
		Ended: func(s probe.Step) { remarks.Line("%s", stepText(s)) },
	})
	if result.Refused > 0 {
		remarks.Line("left out %s that may not be asked for; the first: %s", screen.Plural(result.Refused, "target"),
			screen.Clean(result.Refusal.Detail))
	}
	return result, err
}
