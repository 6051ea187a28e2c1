package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/starter"
)

const replayLong = `Run dead letters again, each under its own id and only if it has failed. What
was delivered meanwhile is skipped: replaying twice delivers once.

With --from raw the kept bytes are parsed again and the source is not asked:
for when the rules were at fault. With --from collect the source is asked once
more, within its ceiling and pace. Without --from each record starts where it
failed.

With an ID its submission is replayed; without one, every settled submission
that has such dead letters, as far back as the engine remembers. There is one
replay of a submission at a time: another one joins it. A submission that runs
must end first.

Afterwards the submission is settled again: ledger and manifest get their next
generation, and the old ones are kept.

With --output json the answer is JSON Lines, one object a submission:
{"submission", "id", "run_id", "joined", "problem"}, and with --wait also
"result": {"number", "dead", "selected", "without_raw", "lost_parts",
"outcomes", "settled"}. With --dry-run it is one object a group, as weir dead
prints them, of which "records" are what would be run again, with "without_raw"
and "not_settled", which count what would be left.`

const replayExample = `  weir replay --reason parse_empty --from raw --dry-run
  weir replay --reason parse_empty --from raw --wait
  weir replay acme-3f2a9c1b7e10 --source bookshop
  weir replay acme-3f2a9c1b7e10 --record https://www.bookshop.example/books/17
  weir replay acme-3f2a9c1b7e10 --list records.txt --from collect`

// replayFlags are the flags of replay.
type replayFlags struct {
	deadFlags
	from              choice
	records           []string
	list              string
	wait, dryRun, all bool
}

func (a *app) replayCommand() *cobra.Command {
	f := &replayFlags{from: choice{name: "STAGE", allowed: []string{
		string(collection.ReplayFromRaw), string(collection.ReplayFromParse), string(collection.ReplayFromCollect),
	}}}
	cmd := &cobra.Command{
		Use: "replay [ID]", Short: "Run dead letters again", Long: replayLong, Example: replayExample, Args: between(0, 1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			filter, err := f.filter(a.world, args)
			if err != nil {
				return err
			}
			return a.withClient(cmd, func(ctx context.Context, c client, cfg config.Config) error {
				if err := a.tellUnlisted(ctx, c, filter); err != nil {
					return err
				}
				if f.dryRun {
					return a.rehearse(ctx, c, filter, collection.ReplayFrom(f.from.value), cfg)
				}
				return a.replay(ctx, c, filter, f, cfg)
			})
		},
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.Var(&f.from, "from", "raw parses the kept bytes again (so does parse), collect asks the source again")
	flags.StringArrayVar(&f.records, "record", nil, "only this `RECORD`, by id, key or URL; may be repeated")
	flags.StringVar(&f.list, "list", "", "only the records in `FILE`, one id, key or URL a line; - reads stdin")
	flags.BoolVar(&f.all, "all", false, "without ID: replay whatever is dead, of every submission")
	flags.BoolVar(&f.dryRun, "dry-run", false, "count what would be replayed, and start nothing")
	flags.BoolVar(&f.wait, "wait", false, "stay until the replays have ended, and show their progress")
	return cmd
}

// filter checks the flags and reads the list.
func (f *replayFlags) filter(w World, args []string) (starter.DeadFilter, error) {
	filter, err := f.choose()
	if err != nil {
		return filter, err
	}
	filter.Select.Records = f.records
	if f.list != "" {
		listed, err := readNames(w, f.list)
		if err != nil {
			return filter, err
		}
		filter.Select.Records = append(filter.Select.Records, listed...)
	}
	named := len(filter.Select.Records) > 0
	switch {
	case len(args) == 1 && f.all:
		return filter, usagef("--all means every submission: leave out %s", args[0])
	case len(args) == 1 && f.customer != "":
		return filter, usagef("a submission has one customer: leave out --customer")
	case len(args) == 1:
		filter.Submission = args[0]
		if err := collection.CheckSubmissionID(args[0]); err != nil {
			return filter, usageError{err}
		}
	case named:
		return filter, usagef("records are named within a submission: give its ID")
	case !f.all && len(f.reasons)+len(f.sources) == 0 && f.customer == "":
		return filter, usagef("which dead letters? Give a submission's ID, or --reason, --source or --customer, or --all")
	}
	return filter, nil
}

// readNames reads a list, one name a line; empty lines do not count.
func readNames(w World, file string) ([]string, error) {
	in := w.Stdin
	if file != "-" {
		opened, err := os.Open(w.path(file))
		if err != nil {
			return nil, usageError{err}
		}
		defer opened.Close()
		in = opened
	}
	var names []string
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		name := strings.TrimSpace(lines.Text())
		if name == "" {
			continue
		}
		if len(names) == collection.MaxReplayRecords {
			return nil, usagef("%s lists more than %d records: choose them by --reason or --source, or cut the list", file, len(names))
		}
		names = append(names, name)
	}
	if err := lines.Err(); err != nil && !errors.Is(err, io.EOF) {
		return nil, usagef("read %s: %w", file, err)
	}
	if len(names) == 0 {
		return nil, usagef("%s lists no records", file)
	}
	return names, nil
}

// shownNames is how many names of records a sentence holds.
const shownNames = 5

// tellUnlisted says which of the names are no record of the submission; where none is one, there is nothing to replay.
func (a *app) tellUnlisted(ctx context.Context, c client, filter starter.DeadFilter) error {
	names := filter.Select.Records
	if len(names) == 0 {
		return nil
	}
	unlisted, err := c.Unlisted(ctx, filter.Submission, names)
	if err != nil || len(unlisted) == 0 {
		return err
	}
	told := make([]string, 0, shownNames+1)
	for _, name := range unlisted[:min(len(unlisted), shownNames)] {
		told = append(told, screen.Clean(name))
	}
	if more := len(unlisted) - len(told); more > 0 {
		told = append(told, fmt.Sprintf("and %s more", screen.Count(more)))
	}
	if len(unlisted) == len(names) {
		return fmt.Errorf("no record %s in %s: %w", strings.Join(told, ", "), filter.Submission, starter.ErrNotFound)
	}
	are := "are no records"
	if len(unlisted) == 1 {
		are = "is no record"
	}
	a.remark(fmt.Sprintf("%s of %s names %s of %s: %s", screen.Count(len(unlisted)), screen.Count(len(names)), are, filter.Submission, strings.Join(told, ", ")))
	return nil
}

// submissionsOf are those that have such dead letters, with how many there are.
func submissionsOf(ctx context.Context, c client, filter starter.DeadFilter) ([]string, error) {
	if filter.Submission != "" {
		return []string{filter.Submission}, nil
	}
	var ids []string
	for l, err := range c.Dead(ctx, filter) {
		if err != nil {
			return nil, err
		}
		if len(ids) == 0 || ids[len(ids)-1] != l.Submission {
			ids = append(ids, l.Submission)
		}
	}
	return ids, nil
}

// replay starts one replay for each submission, and then waits for them, if that is wanted. One that cannot be started does
// not keep the others.
func (a *app) replay(ctx context.Context, c client, filter starter.DeadFilter, f *replayFlags, cfg config.Config) error {
	ids, err := submissionsOf(ctx, c, filter)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return a.noDeadLetters(filter, cfg, ": nothing was started")
	}
	var answers []*replayAnswer
	var problems []error
	for _, id := range ids {
		started, err := c.Replay(ctx, collection.ReplayInput{
			Submission: id, Select: filter.Select, From: collection.ReplayFrom(f.from.value), By: asker(),
		})
		if err != nil {
			started.Submission = id
			problems = append(problems, err)
			if len(ids) == 1 {
				return err
			}
		}
		answer := &replayAnswer{ReplayStarted: started, err: err}
		answers = append(answers, answer)
		a.tellReplay(answer, f.wait)
	}
	if f.wait {
		return a.waitReplays(ctx, c, answers)
	}
	if a.wantsJSON() {
		for _, answer := range answers {
			if err := a.writeJSON(answer.told()); err != nil {
				return err
			}
		}
	} else if len(ids) == 1 {
		hint(a.remarks(), "follow it while it runs", a.sameCommand("--wait"))
	}
	if len(problems) > 0 {
		return fmt.Errorf("%d of %d replays could not be started", len(problems), len(ids))
	}
	return nil
}

func (a *app) tellReplay(r *replayAnswer, waits bool) {
	if a.wantsJSON() {
		return
	}
	// The answer of who waits is how it ends.
	out := a.answers()
	if waits {
		out = a.remarks()
	}
	switch {
	case r.err != nil:
		a.remarks().Line("%s: %s", r.Submission, r.err)
	case r.Joined:
		out.Line("%s is being replayed already: joined; what it does not take is left for another replay", r.Submission)
	default:
		out.Line("%s is being replayed", r.Submission)
	}
}
