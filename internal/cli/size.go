package cli

import (
	"context"
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
them, jobs, submission and service_minutes. Both may be given: the promise and
the prices then come from the first, arrivals from the second.

The same input gives the same numbers on every machine. It takes some seconds,
and needs neither Temporal nor S3 nor a configuration.

With --output json: the report, every fleet of the table included.`

const sizeExample = `  weir size
  weir size --params params.json --charts charts
  weir size --arrivals submissions.csv --output json | jq .simulated.workers`

// sizeFlags are the flags of size.
type sizeFlags struct {
	params, arrivals, charts string
}

func (a *app) sizeCommand() *cobra.Command {
	f := &sizeFlags{}
	cmd := &cobra.Command{
		Use: "size", Short: "Say how many workers a promise takes", Long: sizeLong, Example: sizeExample, Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// An empty name is mostly a variable that was not set; the experiment would then pass for an answer.
			for _, name := range []string{"params", "arrivals", "charts"} {
				if flag := cmd.Flag(name); flag.Changed && flag.Value.String() == "" {
					return usagef("--%s is empty: give a name, or leave it out", name)
				}
			}
			return a.size(cmd.Context(), f)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.params, "params", "", "JSON `FILE` of what differs from the experiment")
	flags.StringVar(&f.arrivals, "arrivals", "", "CSV `FILE` of recorded arrivals")
	flags.StringVar(&f.charts, "charts", "", "write both charts, as SVG and PNG, into this `FOLDER`; created if it is missing")
	return cmd
}

func (a *app) size(ctx context.Context, f *sizeFlags) error {
	in, err := a.sizeInput(f)
	if err != nil {
		return err
	}
	// Seconds of computing must not end at a folder that cannot be.
	if err := a.chartFolder(f.charts); err != nil {
		return err
	}
	progress := newSizeProgress(a.remarks(), in.params, a.world.Now)
	stop := progress.start()
	findings, err := sweep.Study(ctx, in.params, in.history, runtime.GOMAXPROCS(0))
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
	return a.writeCharts(f.charts, r)
}
