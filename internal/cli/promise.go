package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/promise"
	"github.com/weir-collect/weir/starter"
)

const promiseLong = `Say whether the promise was kept, customer by customer: that a share of records
starts within some time of being submitted.

The clock begins when a submission is accepted and ends with the first request
for a record, as the ledgers have it. A record that ended without a request is
late. So is one that waits still, and longer than promised. Records that were
cancelled, or refused by policy, before any request do not count, nor do those
that may have started; how many there are is said. docs/promise.md tells more.

--weekly is the report for the weekly review: start waits first, then how much
succeeded, and what became of the rest.

--drift tells instead whether arrivals still are what the fleet was sized for:
--assumed names a file that weir size --save wrote, or one of parameters;
without it, the experiment of docs/sizing.md is meant. It looks back 30 days.
The answer is grown, shrunk, steady, or unclear: a figure differs, and that may
still be chance.

The exit code is 7 if a promise was broken, or if arrivals have outgrown what
the fleet was sized for.

With --output json: {"within_seconds", "percent", "customers": [{"customer",
"p95_seconds", "within_share", "verdict", …}], "all", "broken", "covered"}. A
wait is null where so many records did not start at all. With --drift: {"trend",
"shifts", "assumed", "measured", "verdict", "covered"}.`

const promiseExample = `  weir promise
  weir promise --customer acme --since 24h --within 10m --percent 99
  weir promise --weekly
  weir promise --drift --assumed sizing.json --output json | jq .trend`

// pastReader is what the commands that look back ask.
type pastReader interface {
	Waits(ctx context.Context, w starter.Window, progress func(starter.Coverage)) (*promise.Book, starter.Coverage, error)
	Measured(ctx context.Context, w starter.Window, progress func(starter.Coverage)) (starter.Measured, error)
}

// promiseFlags are the flags of promise.
type promiseFlags struct {
	past          pastFlags
	within        time.Duration
	percent       float64
	weekly, drift bool
	assumed       string
}

func (a *app) promiseCommand() *cobra.Command {
	f := &promiseFlags{}
	cmd := &cobra.Command{
		Use: "promise", Short: "Say whether records start in time", Long: promiseLong, Example: promiseExample, Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(cmd.Flags()); err != nil {
				return err
			}
			if f.drift {
				return a.drift(cmd, f)
			}
			return a.withClient(cmd, func(ctx context.Context, c client, _ config.Config) error { return a.promise(ctx, c, f) })
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	f.past.add(flags, 7*day)
	flags.DurationVar(&f.within, "within", 5*time.Minute, "how long a record may wait for its start, `DURATION`")
	flags.Float64Var(&f.percent, "percent", 95, "how many records of a hundred must start within it, `N`")
	flags.BoolVar(&f.weekly, "weekly", false, "the report for the weekly review")
	flags.BoolVar(&f.drift, "drift", false, "compare arrivals with what the fleet was sized for")
	flags.StringVar(&f.assumed, "assumed", "", "with --drift: the `FILE` that says what that was")
	flags.IntVar(&f.past.maxRecords, "max-records", 0, "read at most about `N` records, the newest; 0 is one million")
	return cmd
}

func (f *promiseFlags) check(flags *pflag.FlagSet) error {
	if f.drift && !flags.Changed("since") {
		f.past.since = driftSpan
	}
	switch {
	case f.drift && f.weekly:
		return usagef("--weekly and --drift are two answers: ask for one")
	case flags.Changed("assumed") && !f.drift:
		return usagef("--assumed belongs to --drift: give both")
	case flags.Changed("assumed") && f.assumed == "":
		return usagef("--assumed is empty: give a name, or leave it out")
	case f.drift && (flags.Changed("within") || flags.Changed("percent") || flags.Changed("max-records")):
		return usagef("--drift compares arrivals: leave out --within, --percent and --max-records")
	case f.within <= 0:
		return usagef("--within %s: use more than zero, such as 5m", f.within)
	case !(f.percent > 0 && f.percent < 100):
		return usagef("--percent %g: use more than 0 and less than 100", f.percent)
	case f.past.maxRecords < 0:
		return usagef("--max-records %d: use a number of records, or 0 for one million", f.past.maxRecords)
	}
	return f.past.check()
}

// promiseAnswer is the answer for programs.
type promiseAnswer struct {
	promise.Report
	// Broken are the customers whose promise was broken.
	Broken  []string         `json:"broken"`
	Covered starter.Coverage `json:"covered"`
}

func (a *app) promise(ctx context.Context, c client, f *promiseFlags) error {
	progress := a.newPastProgress()
	book, covered, err := c.Waits(ctx, f.past.window(a.world.Now()), progress.show)
	progress.end()
	if err != nil {
		return err
	}
	terms := promise.Terms{Within: f.within, Share: f.percent / 100}
	answer := promiseAnswer{Report: book.Report(terms), Covered: covered}
	answer.Broken = append([]string{}, answer.Report.Broken()...)
	if err := a.answer(answer, func() {
		switch {
		case len(answer.Customers) == 0:
			a.remarks().Line("%s", nothingSince(f.past, covered))
		case f.weekly:
			a.showWeek(answer, terms)
		default:
			a.showPromise(answer, terms)
		}
	}); err != nil {
		return err
	}
	if len(answer.Broken) > 0 {
		return verdict(ExitPromiseBroken)
	}
	return nil
}

// nothingSince says that there is nothing to tell of.
func nothingSince(f pastFlags, covered starter.Coverage) string {
	whose := ""
	if f.customer != "" {
		whose = " of " + f.customer
	}
	return fmt.Sprintf("no submission%s since %s", whose, covered.Since.UTC().Format("2006-01-02 15:04 UTC"))
}

// pastFlags are the flags of those commands that look back.
type pastFlags struct {
	since      time.Duration
	customer   string
	maxRecords int
}

const day = 24 * time.Hour

func (f *pastFlags) add(flags *pflag.FlagSet, since time.Duration) {
	f.since = since
	flags.StringVar(&f.customer, "customer", "", "only submissions of the customer with this `NAME`")
	flags.Var((*span)(&f.since), "since", "how far to look back, `SPAN` such as 7d or 36h")
}

func (f *pastFlags) check() error {
	if f.customer == "" {
		return nil
	}
	if err := collection.CheckName("customer", f.customer); err != nil {
		return usageError{err}
	}
	return nil
}

func (f *pastFlags) window(now time.Time) starter.Window {
	return starter.Window{Customer: f.customer, Since: now.Add(-f.since), Until: now, MaxRecords: f.maxRecords}
}
