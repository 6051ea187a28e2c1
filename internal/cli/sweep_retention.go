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
	"github.com/weir-collect/weir/starter"
)

const retentionLong = `Show how long weir's objects are kept, and what the janitor did last.

Once a day the janitor deletes what is older than the section retention of the
configuration says, and never anything of a submission that is open.

  weir retention plan   what the janitor would delete now
  weir retention run    let it delete that now
  weir retention apply  put the ages into force as lifecycle rules of the bucket

With --output json: {"ages": [{"class", "retention"}], "last": {"started_at",
"ended_at", "classes": [{"class", "retention", "looked", "deleted", "bytes",
"held", "strange", "failed", "problem"}]}}. plan and run print what stands
under "last".`

func (a *app) retentionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "retention", Short: "Show how long objects are kept, and delete what is older", Long: retentionLong,
		Example: "  weir retention\n  weir retention plan\n  weir retention apply", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.withClient(cmd, a.retention) },
	}
	tidy := func(use, short, long string, dryRun bool) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Args: noArguments, Example: "  weir retention " + use,
			Long: long + "\n\nIt needs a worker with the role fleet, whose configuration says the ages.\n\nWith --output json: {\"started_at\", \"ended_at\", \"dry_run\", \"classes\"}.",
			RunE: func(cmd *cobra.Command, _ []string) error {
				return a.withClient(cmd, func(ctx context.Context, c client, _ config.Config) error { return a.tidy(ctx, c, dryRun) })
			},
		}
	}
	cmd.AddCommand(
		tidy("plan", "Show what the janitor would delete now", "Count what the janitor would delete now, and delete nothing.", true),
		tidy("run", "Delete now what is kept no longer", "Let the janitor delete now what is kept no longer, instead of waiting for the\nnight.", false),
		a.applyCommand(),
	)
	return cmd
}

// agesAnswer is the answer of weir retention for programs.
type agesAnswer struct {
	Ages []ageOf                   `json:"ages"`
	Last *collection.JanitorResult `json:"last,omitempty"`
}

type ageOf struct {
	Class     collection.ObjectClass `json:"class"`
	Retention collection.Duration    `json:"retention"`
}

func (a *app) retention(ctx context.Context, c client, cfg config.Config) error {
	var answer agesAnswer
	for _, class := range collection.ObjectClasses() {
		answer.Ages = append(answer.Ages, ageOf{class, collection.Duration(cfg.Retention.Ages()[class])})
	}
	last, err := c.LastTidy(ctx)
	switch {
	case err == nil:
		answer.Last = &last
	case !errors.Is(err, starter.ErrNotFound):
		return err
	}
	return a.answer(answer, func() {
		if answer.Last != nil {
			a.showTidied(*answer.Last)
		} else {
			a.showAges(answer.Ages)
		}
	})
}

func (a *app) showAges(ages []ageOf) {
	table := a.answers().NewTable(screen.Column{Title: "CLASS"}, screen.Column{Title: "KEPT FOR", Right: true})
	for _, age := range ages {
		table.Row(screen.Text(string(age.Class)), screen.Text(keptFor(age.Retention)))
	}
	table.End()
	a.remarks().Line("no janitor has run yet; weir retention plan shows what it would delete")
}

func keptFor(d collection.Duration) string {
	if d == 0 {
		return "ever"
	}
	return screen.Duration(d.Std())
}

func (a *app) tidy(ctx context.Context, c client, dryRun bool) error {
	var result collection.JanitorResult
	err := attended(ctx, c, work{starter.JanitorNowID(dryRun), []collection.Role{collection.RoleFleet}}, a.remark, func(ctx context.Context) (err error) {
		result, err = c.Tidy(ctx, dryRun)
		return err
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return goesOn(starter.JanitorNowID(dryRun))
	case err != nil:
		return err
	}
	if err := a.answer(result, func() { a.showTidied(result) }); err != nil {
		return err
	}
	for _, class := range result.Classes {
		if class.Failed > 0 || class.Problem != "" {
			return verdict(ExitNotComplete)
		}
	}
	return nil
}

func (a *app) showTidied(r collection.JanitorResult) {
	out := a.answers()
	facts := out.NewFacts()
	deleted := "DELETED"
	if r.DryRun {
		deleted = "WOULD GO"
		facts.Add("dry run", "nothing is deleted")
	}
	facts.Add("ended", screen.Since(r.EndedAt, a.world.Now()))
	facts.End()
	out.Blank()
	right := func(title string) screen.Column { return screen.Column{Title: title, Right: true} }
	table := out.NewTable(screen.Column{Title: "CLASS"}, right("KEPT FOR"), screen.Column{Title: "LOOKED AT", Right: true, Spare: true},
		right(deleted), right("SIZE"), screen.Column{Title: "HELD", Right: true, Spare: true, Rank: 1}, right("FAILED"))
	problems := out.NewFacts()
	n := 0
	for _, c := range r.Classes {
		failed := screen.Text(screen.Count(c.Failed))
		if c.Failed > 0 {
			failed.Style = screen.Bad
		}
		table.Row(screen.Text(string(c.Class)), screen.Text(keptFor(c.Retention)), screen.Text(screen.Count(c.Looked)),
			screen.Text(screen.Count(c.Deleted)), screen.Text(screen.Size(c.Bytes)), screen.Text(screen.Count(c.Held)), failed)
		if c.Problem != "" {
			problems.AddCell(string(c.Class), screen.Cell{Text: c.Problem, Style: screen.Notice})
			n++
		}
		if c.Strange > 0 {
			problems.Add(string(c.Class), fmt.Sprintf("%s with a key that is none of weir's: left alone", screen.Plural(c.Strange, "object")))
			n++
		}
	}
	table.End()
	if n > 0 {
		out.Blank()
		problems.End()
	}
}

const applyLong = `Put the ages of the configuration into force as lifecycle rules of the bucket,
so that the store itself deletes by age. Rules of others stay as they are.

A store knows no submissions: it deletes by age alone, also what an open
submission needs. So every age must be longer than a submission can be open, or
the rules are refused. Most fleets do better with the janitor, which asks first
and needs no rules. --remove takes weir's rules away again.

With --output json: [{"name", "prefix", "days"}].`

func (a *app) applyCommand() *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use: "apply", Short: "Make the ages lifecycle rules of the bucket", Long: applyLong,
		Example: "  weir retention apply\n  weir retention apply --remove", Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withClient(cmd, func(ctx context.Context, c client, cfg config.Config) error {
				return a.apply(ctx, c, cfg, remove)
			})
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "take weir's rules away")
	return cmd
}

func (a *app) apply(ctx context.Context, c client, cfg config.Config, remove bool) error {
	store, err := c.Lifecycle()
	if err != nil {
		return err
	}
	want := []expiry{}
	if !remove {
		if err := a.checkRules(ctx, c, cfg); err != nil {
			return err
		}
		for _, r := range cfg.Retention.Ages().Rules() {
			want = append(want, expiry{Name: "retention-" + string(r.Class), Prefix: r.Prefix, Days: r.Days})
		}
	}
	if err := setExpiries(ctx, store, want); err != nil {
		if errors.Is(err, starter.ErrNoLifecycle) {
			return fmt.Errorf("the store knows no lifecycle rules: the janitor deletes without them, every day (%w)", err)
		}
		return err
	}
	return a.answer(want, func() { showRules(a.answers(), want, remove) })
}

func showRules(out *screen.Screen, want []expiry, removed bool) {
	if removed {
		out.Line("the bucket has no lifecycle rule of weir's any more")
		return
	}
	table := out.NewTable(screen.Column{Title: "PREFIX"}, screen.Column{Title: "DAYS", Right: true})
	for _, e := range want {
		table.Row(screen.Text(e.Prefix), screen.Text(screen.Count(e.Days)))
	}
	table.End()
}

// expiry is a lifecycle rule as the program prints it.
type expiry struct {
	Name   string `json:"name"`
	Prefix string `json:"prefix"`
	Days   int    `json:"days"`
}

func setExpiries(ctx context.Context, store starter.LifecycleStore, want []expiry) error {
	rules := make([]starter.Expiry, len(want))
	for i, e := range want {
		rules[i] = starter.Expiry(e)
	}
	return store.SetExpiries(ctx, rules)
}

// checkRules refuses ages by which a store could take what an open submission needs.
func (a *app) checkRules(ctx context.Context, c client, cfg config.Config) error {
	oldest, err := c.OldestOpen(ctx)
	if err != nil {
		return err
	}
	var open time.Duration
	if !oldest.IsZero() {
		open = a.world.Now().Sub(oldest)
	}
	var problems []error
	for _, text := range cfg.Retention.Ages().Unsafe(cfg.LongestGiveUp(), open) {
		problems = append(problems, errors.New(text))
	}
	if len(problems) > 0 {
		return usageError{errors.Join(problems...)}
	}
	return nil
}
