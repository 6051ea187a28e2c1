package cli

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/lease"
)

// inForce is what the help of every operator's command says of when it takes effect.
const inForce = `It is in force for the whole fleet with the workers' next renewal, a third of
fleet.lease_ttl away at most, survives restarts of everything, and is kept with
who gave it and why.

With --output json the answer is the source's row as it is then, as weir sources
prints it.`

// operation is an operator's command for one source.
type operation struct {
	update  string
	command collection.SourceCommand
	// said tells what the command has done, from the source's row before and after it; same says that nothing has changed.
	said func(before, after lease.SourceView) (text string, same bool)
	// check looks at the source's row before anything is commanded; nil lets everything through.
	check func(before lease.SourceView) error
	// undo is the command that takes it back, where there is one.
	undo string
}

// operate gives a command to the fleet and shows what has become of the source.
func (a *app) operate(cmd *cobra.Command, op operation) error {
	return a.withClient(cmd, func(ctx context.Context, c client, cfg config.Config) error {
		rows, err := sourceRows(ctx, c)
		if err != nil {
			return err
		}
		before, err := sourceRow(rows, op.command.Source)
		if err != nil {
			return err
		}
		if op.check != nil {
			if err := op.check(before); err != nil {
				return err
			}
		}
		op.command.By = asker()
		after, err := c.Command(ctx, op.update, op.command)
		if err != nil {
			return explainNoTable(err)
		}
		return a.answer(after, func() { a.showOperated(op, before, after, cfg.Fleet.LeaseTTL) })
	})
}

// showOperated says what a command has done, when the workers follow, and how it is taken back.
func (a *app) showOperated(op operation, before, after lease.SourceView, ttl time.Duration) {
	text, same := op.said(before, after)
	out := a.answers()
	out.Line("%s", text)
	out.Blank()
	showSources(out, []lease.SourceView{after}, a.world.Now(), false)
	if same {
		return
	}
	remarks := a.remarks()
	if remarks.IsTerminal() {
		remarks.Blank()
	}
	remarks.Line("%s", whenText(after, ttl))
	if op.undo != "" {
		hint(remarks, "take it back", op.undo)
	}
}

// renewalsPerTTL is how many times a worker renews while a lease lasts.
const renewalsPerTTL = 3

// whenText says when the workers follow.
func whenText(after lease.SourceView, ttl time.Duration) string {
	live := false
	for _, w := range after.Workers {
		live = live || !w.Lost
	}
	if !live {
		return "no worker holds a lease: it takes effect when one does"
	}
	text := "workers follow with their next renewal, within " + screen.Duration(ttl/renewalsPerTTL)
	switch {
	case after.InFlight <= after.InForce:
	case after.InFlight == 1:
		text += "; 1 request is under way and ends by itself"
	default:
		text += fmt.Sprintf("; %s are under way and end by themselves", screen.Plural(after.InFlight, "request"))
	}
	return text
}

// stillClosed says why a source that a command was meant to open takes no requests yet.
func stillClosed(after lease.SourceView) string {
	if after.Open {
		return ""
	}
	return "; it still takes no requests, see below"
}

// longestReason bounds what is kept with every command.
const longestReason = 400

// checkReason tidies a reason, which some commands want.
func checkReason(reason string, wanted bool) (string, error) {
	reason = strings.Join(strings.Fields(reason), " ")
	if n := utf8.RuneCountInString(reason); n > longestReason {
		return "", usagef("--reason has %d characters: use at most %d", n, longestReason)
	}
	if reason == "" && wanted {
		return "", usagef("--reason is missing: say why, for whoever finds the source like this")
	}
	return reason, nil
}

// overrideFlags are the flags of a command that sets what is configured otherwise.
type overrideFlags struct {
	span   time.Duration
	reset  bool
	reason string
}

func (f *overrideFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.DurationVar(&f.span, "for", 0, "go back by itself after this `DURATION`, such as 90m or 2h; for good when not given")
	flags.StringVar(&f.reason, "reason", "", reasonUsage)
	flags.BoolVar(&f.reset, "reset", false, "go back to what is configured, now")
}

const reasonUsage = "`TEXT` that says why, shown with the source and kept"

// command checks the arguments, a source and perhaps a value, and makes the part of a command that does not depend on the
// value.
func (f *overrideFlags) command(cmd *cobra.Command, args []string, now time.Time) (collection.SourceCommand, error) {
	in := collection.SourceCommand{Source: args[0]}
	if err := checkSource(args[0]); err != nil {
		return in, err
	}
	forGiven := cmd.Flags().Changed("for")
	switch {
	case f.reset && len(args) == 2:
		return in, usagef("--reset goes back to what is configured: leave out %s", args[1])
	case f.reset && forGiven:
		return in, usagef("--reset goes back for good: leave out --for")
	case !f.reset && len(args) == 1:
		return in, usagef("%s is missing: %s; see %s --help", strings.Fields(cmd.Use)[2], cmd.UseLine(), cmd.CommandPath())
	case forGiven && f.span < time.Second:
		return in, usagef("--for %s: use 1s or more", f.span)
	}
	var err error
	if in.Reason, err = checkReason(f.reason, false); err != nil {
		return in, err
	}
	if forGiven {
		in.Until = now.Add(f.span).UTC().Truncate(time.Second)
	}
	return in, nil
}
