package cli

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/starter"
)

// deadLetters is what the commands on dead letters ask of a client.
type deadLetters interface {
	Dead(ctx context.Context, f starter.DeadFilter) iter.Seq2[starter.DeadLetter, error]
	Replay(ctx context.Context, in collection.ReplayInput) (starter.ReplayStarted, error)
	Unlisted(ctx context.Context, submission string, names []string) ([]string, error)
	Rehearse(ctx context.Context, f starter.DeadFilter, from collection.ReplayFrom) iter.Seq2[starter.Rehearsed, error]
	WaitReplay(ctx context.Context, r starter.ReplayStarted, progress func(collection.ReplayStatus)) (collection.ReplayResult, error)
}

const deadLong = `Count the dead letters: records that have failed for good and wait for a person.
One line for each source, reason and customer.

Without --submission the engine is asked, which remembers for as long as its
namespace's retention; of a settled submission its ledger has the last word.
One that cannot be looked up is told of as the engine remembers it, with a note.
With --submission its ledger is read, however old it is.

With --output json the answer is JSON Lines, one object a group: {"source",
"reason", "customer", "records", "oldest", "submissions", "notes", "owner"};
with --list one object a record: {"submission", "record", "source", "customer",
"reason", "since", "ground", "line", "key", "detail", "raw", "note"}.

The owner of a group is the one that the configuration names for its source.`

const deadExample = `  weir dead
  weir dead --source bookshop --older 24h
  weir dead --submission acme-3f2a9c1b7e10 --list
  weir dead --reason parse_empty --list --output json | jq -r .record`

// deadFlags choose dead letters.
type deadFlags struct {
	reasons, sources []string
	customer         string
}

func (f *deadFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringSliceVar(&f.reasons, "reason", nil, "only dead letters with this `REASON`, for instance parse_empty; may be repeated")
	flags.StringSliceVar(&f.sources, "source", nil, "only those of the source with this `NAME`; may be repeated")
	flags.StringVar(&f.customer, "customer", "", "only those of the customer with this `NAME`")
}

// choose checks the flags.
func (f *deadFlags) choose() (starter.DeadFilter, error) {
	filter := starter.DeadFilter{Customer: f.customer, Select: collection.ReplaySelect{Sources: f.sources}}
	for _, text := range f.reasons {
		r := collection.Reason(text)
		if !failure.Known(r) && r != collection.ReasonCancelled && r != collection.ReasonTerminated {
			return filter, usagef("there is no reason %q; the reasons are %s", text, strings.Join(reasonNames(), ", "))
		}
		filter.Select.Reasons = append(filter.Select.Reasons, r)
	}
	for _, s := range f.sources {
		if err := checkSource(s); err != nil {
			return filter, err
		}
	}
	return filter, known("customer", f.customer, nil)
}

func reasonNames() []string {
	var names []string
	for _, row := range failure.Table() {
		names = append(names, string(row.Reason))
	}
	slices.Sort(names)
	return names
}

func (a *app) deadCommand() *cobra.Command {
	f := &deadFlags{}
	var submission string
	var older time.Duration
	var rows bool
	var limit int
	cmd := &cobra.Command{
		Use: "dead", Short: "Count and list the dead letters", Long: deadLong, Example: deadExample, Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := f.choose()
			if err != nil {
				return err
			}
			if filter.Submission = submission; submission != "" {
				if err := collection.CheckSubmissionID(submission); err != nil {
					return usageError{err}
				}
			}
			if older < 0 || limit < 0 {
				return usagef("--older and --limit take nothing below zero")
			}
			if older > 0 {
				filter.Before = a.world.Now().Add(-older)
			}
			return a.withClient(cmd, func(ctx context.Context, c client, cfg config.Config) error {
				if rows {
					filter.Rows = true
					return a.listDead(c.Dead(ctx, filter), limit, func() error { return a.noDeadLetters(filter, cfg, "") })
				}
				return a.countDead(ctx, c, filter, cfg)
			})
		},
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&submission, "submission", "", "only those of the submission with this `ID`, from its ledger")
	flags.DurationVar(&older, "older", 0, "only those that have waited longer than this `DURATION`, such as 24h")
	flags.BoolVar(&rows, "list", false, "list the records instead of counting them")
	flags.IntVar(&limit, "limit", 0, "with --list: end after `N` records; 0 lists all")
	return cmd
}

// deadGroup is a group of dead letters, and whose they are.
type deadGroup struct {
	starter.DeadGroup
	Owner string `json:"owner,omitempty"`
}

func ownedGroups(letters iter.Seq2[starter.DeadLetter, error], cfg config.Config) ([]deadGroup, error) {
	found, err := starter.GroupDead(letters)
	if err != nil {
		return nil, err
	}
	groups := make([]deadGroup, len(found))
	for i, g := range found {
		src, _ := cfg.Source(g.Source)
		groups[i] = deadGroup{g, src.Owner}
	}
	return groups, nil
}

func (a *app) countDead(ctx context.Context, c client, filter starter.DeadFilter, cfg config.Config) error {
	groups, err := ownedGroups(c.Dead(ctx, filter), cfg)
	if err != nil {
		return err
	}
	if len(groups) == 0 {
		return a.noDeadLetters(filter, cfg, "")
	}
	if a.wantsJSON() {
		for _, g := range groups {
			if err := a.writeJSON(g); err != nil {
				return err
			}
		}
		return nil
	}
	out := a.answers()
	showDeadGroups(out, groups, a.world.Now())
	var notes []string
	for _, g := range groups {
		notes = append(notes, g.Notes...)
	}
	tellNotes(out, notes)
	remarks := a.remarks()
	hint(remarks, "which", "weir dead --list")
	hint(remarks, "run them again", "weir replay --help")
	return nil
}

func showDeadGroups(s *screen.Screen, groups []deadGroup, now time.Time) {
	columns := []screen.Column{{Title: "SOURCE"}, {Title: "REASON"}, {Title: "CUSTOMER", Spare: true, Rank: 2}, {Title: "RECORDS", Right: true},
		{Title: "OLDEST", Right: true}}
	owned := slices.ContainsFunc(groups, func(g deadGroup) bool { return g.Owner != "" })
	if owned {
		columns = append(columns, screen.Column{Title: "OWNER", Spare: true, Rank: 1})
	}
	table := s.NewTable(append(columns, screen.Column{Title: "SUBMISSIONS", Middle: true, Spare: true})...)
	for _, g := range groups {
		row := []screen.Cell{screen.Text(g.Source), {Text: string(g.Reason), Style: screen.Bad}, screen.Text(g.Customer),
			screen.Text(screen.Count(g.Records)), screen.Text(ageText(g.Oldest, now))}
		if owned {
			row = append(row, screen.Text(orElse(g.Owner, "nobody")))
		}
		table.Row(append(row, screen.Text(someOf(g.Submissions)))...)
	}
	table.End()
}

// tellNotes tells what belongs to an answer, each once.
func tellNotes(s *screen.Screen, notes []string) {
	if len(notes) == 0 {
		return
	}
	slices.Sort(notes)
	s.Blank()
	facts := s.NewFacts()
	for _, note := range slices.Compact(notes) {
		facts.AddCell("note", screen.Cell{Text: note, Style: screen.Notice})
	}
	facts.End()
}

func ageText(since *time.Time, now time.Time) string {
	if since == nil {
		return "unknown"
	}
	return screen.Duration(max(now.Sub(*since), 0).Round(time.Second))
}

// someOf names the first few of a list.
func someOf(names []string) string {
	const shown = 2
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s more", strings.Join(names[:shown], ", "), screen.Count(len(names)-shown))
}

func (a *app) listDead(letters iter.Seq2[starter.DeadLetter, error], limit int, none func() error) error {
	out := a.answers()
	table := out.NewTable(screen.Column{Title: "SUBMISSION", Cut: true}, screen.Column{Title: "SOURCE", Spare: true, Rank: 1},
		screen.Column{Title: "RECORD", Spare: true}, screen.Column{Title: "REASON"}, screen.Column{Title: "AGE", Right: true, Spare: true, Rank: 2},
		screen.Column{Title: "KEY", Middle: true})
	shown, notes := 0, []string(nil)
	for l, err := range letters {
		if err != nil {
			table.End()
			return err
		}
		if l.Note != "" && !slices.Contains(notes, l.Note) {
			notes = append(notes, l.Note)
		}
		if err := a.answer(l, func() {
			table.Row(screen.Text(l.Submission), screen.Text(l.Source), screen.Text(l.Record),
				screen.Cell{Text: string(l.Reason), Style: screen.Bad}, screen.Text(ageText(l.Since, a.world.Now())), keyCell(l))
		}); err != nil {
			return err
		}
		if shown++; shown == limit {
			break
		}
	}
	table.End()
	if shown == 0 {
		return none()
	}
	if !a.wantsJSON() {
		tellNotes(out, notes)
	}
	return nil
}

// keyCell is the key of a dead letter, or where it is to be found: the plan may be deleted already.
func keyCell(l starter.DeadLetter) screen.Cell {
	if l.Key != "" {
		return screen.Text(l.Key)
	}
	return screen.Cell{Text: "see weir status " + l.Submission + " " + l.Record, Style: screen.Faint}
}
