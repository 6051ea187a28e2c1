package cli

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/internal/sizing/report"
	"github.com/weir-collect/weir/internal/sizing/sweep"
)

const sizeLong = `Say how many workers a promise takes, such as "95 % of jobs start within 5
minutes", and what it costs.

Two answers stand side by side: Erlang's formula, which takes jobs for coming
one by one, and a simulation of jobs that come in batches. Then a table of
fleets, what a smaller fleet or paced batches would save, and how far wrong
assumptions move the answer.

Without flags it sizes the experiment of docs/sizing.md: 30 jobs an hour of
10 minutes, in batches of mean 12. --params FILE says in JSON what differs from
it; docs/sizing.md lists the keys. --arrivals FILE takes load and batches from
what really arrived: CSV with the column submitted_at, and where there are
them, jobs, submission and service_minutes. --from-measured takes them from this
installation's plans and ledgers: a job is then a record, a batch those of one
submission, and a worker one request at a time. Parameters may be given with
either: the promise and the prices then come from them.

--save FILE keeps what was sized for, for weir promise --drift to compare with.
--print-params computes nothing and writes the whole input as JSON, to be edited
and given to --params.

The same input gives the same numbers on every machine. It takes some seconds,
and minutes for tens of millions of jobs: the first line says about how long.
Without --from-measured it needs neither Temporal nor S3 nor a configuration.

With --output json: the report, every fleet of the table included. answer has
the fleet to plan for: {"workers", "dollars_per_month", "because"}, which is the
simulation's (because "simulated"), or more where recorded arrivals ("replay")
or ceilings and customers ("shared") take more, or 0 where no fleet keeps the
promise under them.`

const sizeExample = `  weir size
  weir size --print-params > params.json
  weir size --params params.json --charts charts
  weir size --arrivals submissions.csv --output json | jq .answer.workers
  weir size --from-measured --since 30d --save sizing.json`

// sizeFlags are the flags of size.
type sizeFlags struct {
	params, arrivals, charts, save string
	measured, print                bool
	past                           pastFlags
}

func (a *app) sizeCommand() *cobra.Command {
	f := &sizeFlags{}
	cmd := &cobra.Command{
		Use: "size", Short: "Say how many workers a promise takes", Long: sizeLong, Example: sizeExample, Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// An empty name is mostly a variable that was not set; the experiment would then pass for an answer.
			for _, name := range []string{"params", "arrivals", "charts", "save"} {
				if flag := cmd.Flag(name); flag.Changed && flag.Value.String() == "" {
					return usagef("--%s is empty: give a name, or leave it out", name)
				}
			}
			switch {
			case f.measured && f.arrivals != "":
				return usagef("--arrivals and --from-measured both say what arrived: give one")
			case !f.measured && (cmd.Flag("since").Changed || cmd.Flag("customer").Changed):
				return usagef("--since and --customer belong to --from-measured: give it too")
			}
			if err := f.past.check(); err != nil {
				return err
			}
			if f.print {
				return a.printParams(cmd.Flags(), f)
			}
			return a.size(cmd, f)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.params, "params", "", "JSON `FILE` of what differs from the experiment")
	flags.BoolVar(&f.print, "print-params", false, "write the input as a file for --params, and size nothing")
	flags.StringVar(&f.arrivals, "arrivals", "", "CSV `FILE` of recorded arrivals")
	flags.BoolVar(&f.measured, "from-measured", false, "take arrivals from this installation's ledgers")
	f.past.add(flags, driftSpan)
	flags.StringVar(&f.save, "save", "", "keep what was sized for in this `FILE`")
	flags.StringVar(&f.charts, "charts", "", "write both charts, as SVG and PNG, into this `FOLDER`; created if it is missing")
	return cmd
}

func (a *app) size(cmd *cobra.Command, f *sizeFlags) error {
	ctx := cmd.Context()
	in, err := a.sizeInput(f)
	if err != nil {
		return err
	}
	// Seconds of computing must not end at a folder that cannot be.
	if err := errors.Join(a.chartFolder(f.charts), a.checkSave(f.save)); err != nil {
		return err
	}
	if f.measured {
		if in, err = a.measuredInput(cmd, f, in); err != nil {
			return err
		}
	}
	cores := runtime.GOMAXPROCS(0)
	progress := newSizeProgress(a.remarks(), in.params, in.history, cores, a.world.Now)
	stop := progress.start()
	findings, err := sweep.Study(ctx, in.params, in.history, cores)
	stop()
	if err != nil {
		if ctx.Err() != nil {
			return errInterrupted
		}
		return usageError{explainProblems(in.name, err)}
	}
	r := report.New(findings)
	write := r.Text
	if a.wantsJSON() {
		write = r.JSON
	}
	if err := write(a.world.Stdout); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	workers := r.Answer.Workers
	if workers == 0 { // no fleet is enough under all conditions; what is kept and told is then the simulation's
		workers = r.Simulated.Workers
	}
	a.tellProcesses(in, workers)
	if err := a.saveSizing(f.save, in, workers, a.world.Now()); err != nil {
		return err
	}
	return a.writeCharts(f.charts, r)
}
