package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/starter"
)

const sweepLong = `Show what the last sweep found, or run one now.

Every five minutes a sweep looks at the fleet from outside, for what no workflow
says of itself: queues that nobody polls, submissions in which nothing happens,
workflows whose code does not fit their history, leases that were not returned,
schedules that are off, submissions that failed as a whole, and what waits in
the dead-letter queue. It mends what is safe to mend. Finding nothing is the
normal result.

  SEV1  a promise is broken, or data may be wrong: look at once
  SEV2  a promise is at risk, and holds
  SEV3  internal

The last result needs no worker; --now needs one with the role fleet. The exit
code is 3 when a finding of SEV1 or SEV2 stands.

With --output json: {"started_at", "ended_at", "checks": [{"check", "looked",
"unchecked", "mended", "at_least", "omitted"}], "findings": [{"kind",
"severity", "subject", "source", "records", "since", "detail", "do",
"mended"}], "dead_letters": [{"source", "reason", "records", "oldest"}],
"workflow", "run", "schedule": {"id", "paused", "note", "next", "missing"}}.`

const sweepExample = `  weir sweep
  weir sweep --now
  weir sweep --output json | jq '.findings[] | select(.severity == "SEV1")'`

func (a *app) sweepCommand() *cobra.Command {
	var now bool
	var quiet time.Duration
	cmd := &cobra.Command{
		Use: "sweep", Short: "Show what the last sweep found", Long: sweepLong, Example: sweepExample, Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if quiet < 0 || cmd.Flags().Changed("quiet-after") && !now {
				return usagef("--quiet-after goes with --now, and is a time above zero")
			}
			return a.withClient(cmd, func(ctx context.Context, c client, _ config.Config) error {
				return a.sweep(ctx, c, now, quiet)
			})
		},
	}
	cmd.Flags().BoolVar(&now, "now", false, "run a sweep, and show what it finds")
	cmd.Flags().DurationVar(&quiet, "quiet-after", 0, "with --now: for what `DURATION` nothing may happen in a running submission; 30m when not given")
	return cmd
}

// sweepPatience is how long a person waits for a sweep: it takes seconds.
const sweepPatience = 5 * time.Minute

func (a *app) sweep(ctx context.Context, c client, now bool, quiet time.Duration) error {
	ask := c.Sweep
	if now {
		ask = func(ctx context.Context) (starter.SweepAnswer, error) {
			return a.sweepNow(ctx, c, collection.SweepInput{QuietAfter: collection.Duration(quiet)})
		}
	}
	answer, err := ask(ctx)
	if err != nil {
		return err
	}
	if err := a.answer(answer, func() { a.showSweep(answer) }); err != nil {
		return err
	}
	return verdictOfSweep(answer.Findings)
}

// sweepNow runs a sweep, and says what becomes of it where the waiting for it is broken off.
func (a *app) sweepNow(ctx context.Context, c client, in collection.SweepInput) (answer starter.SweepAnswer, err error) {
	patient, cancel := context.WithTimeout(ctx, sweepPatience)
	defer cancel()
	err = attended(patient, c, work{collection.SweepNowID, []collection.Role{collection.RoleFleet}}, a.remark, func(ctx context.Context) error {
		answer, err = c.SweepNow(ctx, in)
		return err
	})
	if err != nil && ctx.Err() != nil {
		return answer, goesOn(collection.SweepNowID)
	}
	return answer, err
}

// verdictOfSweep is how the fleet stands, as an exit code.
func verdictOfSweep(findings []collection.Finding) error {
	for _, f := range findings {
		if !f.Mended && f.Severity != collection.SEV3 {
			return verdict(ExitNotComplete)
		}
	}
	return nil
}

// staleSweep is how old the last sweep may be before a person is told: two were missed.
const staleSweep = 12 * time.Minute

func (a *app) showSweep(s starter.SweepAnswer) {
	out, now := a.answers(), a.world.Now()
	facts := out.NewFacts()
	style := screen.Plain
	if now.Sub(s.EndedAt) > staleSweep {
		style = screen.Notice
	}
	facts.AddCell("last sweep", screen.Cell{Text: screen.Since(s.EndedAt, now), Style: style})
	facts.Add("looked at", lookedText(s.Checks))
	facts.AddCell("schedule", scheduleCell(s.Schedule, now))
	found := screen.Cell{Text: "nothing", Style: screen.Good}
	if n := len(s.Findings); n > 0 {
		found = screen.Cell{Text: screen.Plural(n, "finding"), Style: screen.Notice}
	}
	facts.AddCell("found", found)
	facts.End()
	if len(s.Findings) > 0 {
		out.Blank()
		showFindings(out, s.Findings)
	}
	if len(s.DeadLetters) > 0 {
		out.Blank()
		showDeadLetters(out, s.DeadLetters, uncounted(s.Checks), now)
	}
}

func lookedText(checks []collection.CheckResult) string {
	looked, unchecked := 0, 0
	for _, c := range checks {
		looked += c.Looked
		unchecked += c.Unchecked
	}
	text := fmt.Sprintf("%s by %s", screen.Plural(looked, "thing"), screen.Plural(len(checks), "check"))
	if unchecked > 0 {
		text += fmt.Sprintf(", and %s that could not be", screen.Plural(unchecked, "thing"))
	}
	return text
}

func scheduleCell(s starter.ScheduleState, now time.Time) screen.Cell {
	switch {
	case s.Missing:
		return screen.Cell{Text: "there is none: start a worker with the role fleet", Style: screen.Bad}
	case s.Paused && s.Note != "":
		return screen.Cell{Text: "paused: " + s.Note, Style: screen.Notice}
	case s.Paused:
		return screen.Cell{Text: "paused", Style: screen.Notice}
	case s.Next.IsZero():
		return screen.Cell{Text: "it has no next time", Style: screen.Notice}
	}
	return screen.Text("next " + screen.Since(s.Next, now))
}

// showFindings writes each finding as a block: what to do must not be cut to the width of a terminal.
func showFindings(out *screen.Screen, findings []collection.Finding) {
	facts := out.NewFacts()
	for _, f := range findings {
		style := screen.Plain
		switch {
		case f.Mended:
			style = screen.Good
		case f.Severity == collection.SEV1:
			style = screen.Bad
		case f.Severity == collection.SEV2:
			style = screen.Notice
		}
		title := string(f.Kind) + " " + f.Subject
		if f.Mended {
			title += " (mended)"
		}
		facts.AddCell(string(f.Severity), screen.Cell{Text: title, Style: style})
		facts.Add("", f.Detail)
		facts.Add("", f.Do)
	}
	facts.End()
}

// uncounted says that there are more dead letters than the sweep has counted.
func uncounted(checks []collection.CheckResult) bool {
	return slices.ContainsFunc(checks, func(c collection.CheckResult) bool { return c.Check == collection.CheckDeadLetters && c.AtLeast })
}

func showDeadLetters(out *screen.Screen, dead []collection.DeadLetterCount, more bool, now time.Time) {
	count := screen.Count
	if more {
		count = func(n int) string { return "at least " + screen.Count(n) }
	}
	table := out.NewTable(screen.Column{Title: "DEAD LETTERS", Right: true}, screen.Column{Title: "SOURCE"}, screen.Column{Title: "REASON"},
		screen.Column{Title: "OLDEST", Right: true})
	for _, d := range dead {
		table.Row(screen.Text(count(d.Records)), screen.Text(d.Source), screen.Text(string(d.Reason)), screen.Text(ageText(&d.Oldest, now)))
	}
	table.End()
}

// sweeps are what the commands of the sweep and the janitor ask.
type sweeps interface {
	Sweep(ctx context.Context) (starter.SweepAnswer, error)
	SweepNow(ctx context.Context, in collection.SweepInput) (starter.SweepAnswer, error)
	Tidy(ctx context.Context, dryRun bool) (collection.JanitorResult, error)
	LastTidy(ctx context.Context) (collection.JanitorResult, error)
	Lifecycle() (starter.LifecycleStore, error)
	OldestOpen(ctx context.Context) (time.Time, error)
}
