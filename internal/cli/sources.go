package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/api/serviceerror"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/starter"
)

const sourcesLong = `Show every source as the whole fleet sees it, or one: how hard it is asked, and
what keeps it closed.

  STATE      open, or what keeps it closed
  CEILING    requests that may be in flight at once, over all workers
  IN FORCE   what a pause, the breaker or the hours leave of it now
  GRANTED    permits that workers hold
  IN FLIGHT  requests under way
  WAITING    records on workers that wait for a permit or for the pace; records
             that are still in the source's queue are not counted
  OLDEST     how long the one that waits longest has waited
  PACE       requests that may start per second; none where only the ceiling
             bounds them, which is 1000000000 in JSON
  BREAKER    closed is good; open and held let nothing through, half-open lets
             one request try, and closing lets more through step by step
  METHOD     by which of its methods the source is fetched; only shown where a
             source has some

On a narrow terminal METHOD, BREAKER, GRANTED, OLDEST and IN FORCE are left
out, in this order, and the workers' OLDEST, PACE, GRANTED and WAITING.

Beneath the table stands, for each source that is not as configured, who or
what did it, why, and until when. With -v also what each worker holds, and the
last commands for each source. A worker is full when its process runs as many
collects as it may.

IN FLIGHT, WAITING and OLDEST are as the workers told with their last renewal.

With --output json: [{"source", "ceiling", "in_force", "granted", "exposed",
"in_flight", "waiting", "oldest_waiting_ms", "pace", "method", "methods",
"method_until", "open", "why", "opens_at", "closes_at", "breaker",
"breaker_level", "breaker_trips", "breaker_held", "requests", "faults",
"paused", "ceiling_override", "pace_override", "method_override", "log",
"workers"}], with or without -v. A pace of 1000000000 is none. What is not
known, or not so, is left out.`

const sourcesExample = `  weir sources
  weir sources bookshop -v
  weir sources --output json | jq -r '.[] | select(.open | not) | .source'`

func (a *app) sourcesCommand() *cobra.Command {
	var verbose bool
	cmd := &cobra.Command{
		Use: "sources [SOURCE]", Short: "Show how hard each source is asked, and what keeps one closed", Long: sourcesLong,
		Example: sourcesExample, Args: between(0, 1, "SOURCE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if err := checkSource(args[0]); err != nil {
					return err
				}
			}
			return a.withClient(cmd, func(ctx context.Context, c client, _ config.Config) error {
				return a.sources(ctx, c, args, verbose)
			})
		},
	}
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "also what each worker holds, and the last commands")
	return cmd
}

func (a *app) sources(ctx context.Context, c client, names []string, verbose bool) error {
	rows, err := sourceRows(ctx, c)
	if err != nil {
		return err
	}
	commands := commandsOfAll
	if len(names) == 1 {
		row, err := sourceRow(rows, names[0])
		if err != nil {
			return err
		}
		rows, commands = []lease.SourceView{row}, commandsOfOne
	}
	return a.answer(rows, func() {
		now := a.world.Now()
		showSources(a.answers(), rows, now, verbose)
		if verbose {
			showHoldings(a.answers(), rows, now)
			showCommands(a.answers(), rows, commands)
		}
		a.remarkOnWorkers(rows, now)
	})
}

// sourceRows is the table of all sources; never nil, so that its JSON is a list.
func sourceRows(ctx context.Context, c client) ([]lease.SourceView, error) {
	rows, err := c.Sources(ctx)
	if err != nil {
		return nil, explainNoTable(err)
	}
	if rows == nil {
		rows = []lease.SourceView{}
	}
	return rows, nil
}

// explainNoTable says what to do where no worker has ever asked for a permit, and where none keeps the table any more.
// What nobody polls for is no matter of waiting longer.
func explainNoTable(err error) error {
	var unpolled *serviceerror.FailedPrecondition
	if errors.As(err, &unpolled) {
		return fmt.Errorf("no worker with the role fleet answers, and it keeps the table of sources: start one with weir worker (%w)", unpolled)
	}
	if !errors.Is(err, starter.ErrNotFound) {
		return err
	}
	return fmt.Errorf("there is no table of sources yet, since no worker has asked for permits: start one with weir worker: %w", starter.ErrNotFound)
}

func sourceRow(rows []lease.SourceView, name string) (lease.SourceView, error) {
	if row, known := lease.ViewOf(rows, name); known {
		return row, nil
	}
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.Source
	}
	return lease.SourceView{}, fmt.Errorf("the fleet has no source %q%s: %w", name, list("; its sources are ", names), starter.ErrNotFound)
}

func checkSource(name string) error {
	if err := collection.CheckName("source", name); err != nil {
		return usageError{err}
	}
	return nil
}

// staleAfter is how old the latest renewal may look before a person is warned: clocks of two machines may differ a little.
const staleAfter = time.Minute

// remarkOnWorkers says so where no worker keeps the table up to date.
func (a *app) remarkOnWorkers(rows []lease.SourceView, now time.Time) {
	remarks := a.remarks()
	if len(rows) == 0 {
		remarks.Line("no sources: no worker has brought a configuration yet")
		return
	}
	latest, live := time.Time{}, false
	for _, r := range rows {
		for _, w := range r.Workers {
			live = live || !w.Lost
			if w.LeaseEnds.After(latest) {
				latest = w.LeaseEnds
			}
		}
	}
	if n := withOtherConfig(rows); n > 0 {
		remarks.Line("%s with another configuration than the one in force, which counts for nothing: give all the one that is meant, and start them anew",
			screen.Plural(n, "worker"))
	}
	switch {
	case !live:
		remarks.Line("no worker holds a lease: nothing is requested until one does; see weir worker --help")
	case now.Sub(latest) > staleAfter:
		remarks.Line("no worker has renewed since its lease ended %s ago: the figures are from then, and nothing is requested",
			sinceText(latest, now))
	}
}

// withOtherConfig is how many live workers have another configuration than the one that is in force.
func withOtherConfig(rows []lease.SourceView) int {
	others := map[string]bool{}
	for _, r := range rows {
		for _, w := range r.Workers {
			if w.OtherConfig && !w.Lost {
				others[w.Worker] = true
			}
		}
	}
	return len(others)
}
