package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/failure"
	"github.com/weir-collect/weir/starter"
)

const recordsLong = `List how the rows of a submission ended: first the rows that never became
records, then every source's records in the order of the file.

A batch writes how its records ended when the last of them has. Until then those
that have failed for good are told as dead_lettered, and all others as pending,
though some have ended: how many is told, and weir status ID RECORD says how one
of them stands.

Long lists can be read a piece at a time: --limit ends one, and says where to go
on with --from. A place is found without reading what stands before it.

With --output json the list is JSON Lines, one object a row: {"line", "key",
"source", "record", "outcome", "reason", "detail", "attempts",
"first_request_at", "raw", "delivered", "lost", "trail", "missing", "as_of"}.
A key, a source and a record that a row does not have are ""; what else is not
known is left out.`

const recordsExample = `  weir records acme-3f2a9c1b7e10
  weir records acme-3f2a9c1b7e10 --outcome dead_lettered --source bookshop
  weir records acme-3f2a9c1b7e10 --reason parse_empty --output json | jq -r .key`

// recordsFlags are the flags of records.
type recordsFlags struct {
	outcome        choice
	reason, source string
	from           string
	limit          int
}

func (a *app) recordsCommand() *cobra.Command {
	f := &recordsFlags{outcome: choice{allowed: outcomeNames(), name: "OUTCOME"}}
	cmd := &cobra.Command{
		Use: "records ID", Short: "List how the rows of a submission ended", Long: recordsLong, Example: recordsExample,
		Args: exactly(1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			filter, err := f.filter(args[0])
			if err != nil {
				return err
			}
			from, err := starter.ParseCursor(f.from)
			if err != nil {
				return usagef("--from: %w", err)
			}
			return a.withClient(cmd, func(ctx context.Context, c client, cfg config.Config) error {
				return a.records(ctx, c, args[0], filter, from, f.limit)
			})
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Var(&f.outcome, "outcome", "only rows that ended so: "+strings.Join(outcomeNames(), ", "))
	flags.StringVar(&f.reason, "reason", "", "only rows with this `REASON`, for instance parse_empty")
	flags.StringVar(&f.source, "source", "", "only rows of the source with this `NAME`")
	flags.StringVar(&f.from, "from", "", "begin at this `PLACE`, as --limit told it, such as bookshop/7/120")
	flags.IntVar(&f.limit, "limit", 0, "end after `N` rows; 0 lists all")
	return cmd
}

func outcomeNames() []string {
	var names []string
	for _, o := range collection.Outcomes() {
		names = append(names, string(o))
	}
	return append(names, string(starter.OutcomePending), string(starter.OutcomeUnknown))
}

func (f *recordsFlags) filter(id string) (starter.Filter, error) {
	filter := starter.Filter{
		Outcome: collection.Outcome(f.outcome.value), Reason: collection.Reason(f.reason), Source: f.source,
	}
	if err := collection.CheckSubmissionID(id); err != nil {
		return filter, usageError{err}
	}
	if f.reason != "" && !failure.Known(filter.Reason) {
		var reasons []string
		for _, row := range failure.Table() {
			reasons = append(reasons, string(row.Reason))
		}
		slices.Sort(reasons)
		return filter, usagef("there is no reason %q; the reasons are %s", f.reason, strings.Join(reasons, ", "))
	}
	if f.limit < 0 {
		return filter, usagef("--limit %d: use a number of rows, or 0 for all", f.limit)
	}
	return filter, nil
}

func (a *app) records(ctx context.Context, c client, id string, filter starter.Filter, from starter.Cursor, limit int) error {
	list := a.newRowList()
	for page, err := range c.Pages(ctx, id, filter, from) {
		if err != nil {
			list.end(id)
			return explainMissing(ctx, c, id, err)
		}
		list.unbooked.add(page.Pending, page.Ended)
		for i, row := range page.Rows {
			// The row after the last one is where the list goes on, if there is one.
			if list.shown == limit && limit > 0 {
				list.end(id)
				hint(a.remarks(), "go on", moreRows(id, filter, page.At[i], limit))
				return nil
			}
			if err := list.add(row); err != nil {
				return err
			}
		}
		if list.shown == limit && limit > 0 && page.Next != (starter.Cursor{}) {
			// Whether the next page has such a row is not looked up.
			list.end(id)
			hint(a.remarks(), "go on", moreRows(id, filter, page.Next, limit))
			return nil
		}
	}
	if list.shown == 0 {
		a.remarks().Line("no rows%s", described(filter))
	}
	list.end(id)
	return nil
}

// rowList writes rows, as a table or as JSON Lines.
type rowList struct {
	app   *app
	table *screen.Table
	shown int
	// unknown says why nothing is known of some rows.
	unknown string
	// unbooked are the rows of batches that still run.
	unbooked unbooked
}

// unbooked counts the rows that are told as pending because their batch still runs, and those of them that have ended all the same.
type unbooked struct{ pending, ended int }

func (u *unbooked) add(pending, ended int) {
	u.pending += pending
	u.ended += ended
}

// remark says so: whatever was asked for, some of it may not be known yet.
func (u unbooked) remark(s *screen.Screen, id string) {
	if u.pending == 0 {
		return
	}
	are, although := "are", ""
	if u.pending == 1 {
		are = "is"
	}
	switch {
	case u.ended == 1:
		although = ", though one of them has ended"
	case u.ended > 1:
		although = fmt.Sprintf(", though %s of them have ended", screen.Count(u.ended))
	}
	s.Line("%s of batches that still run %s told as pending%s", screen.Plural(u.pending, "row"), are, although)
	hint(s, "how one stands", "weir status "+id+" RECORD")
}

func (a *app) newRowList() *rowList {
	return &rowList{app: a, table: a.answers().NewTable(screen.Column{Title: "LINE", Right: true, Spare: true}, screen.Column{Title: "SOURCE", Spare: true, Rank: 1},
		screen.Column{Title: "RECORD", Spare: true, Rank: 2}, screen.Column{Title: "OUTCOME"}, screen.Column{Title: "REASON"}, screen.Column{Title: "KEY OR DETAIL", Middle: true},
		screen.Column{Title: "DETAIL", Spare: true, Rank: 2, Filled: true})}
}

// end ends the list, and says of rows of which nobody knows how they ended why, and of those that nobody has written down yet that
// there are some.
func (l *rowList) end(id string) {
	l.table.End()
	if l.unknown != "" {
		l.app.remarks().Line("unknown: %s", l.unknown)
	}
	l.unbooked.remark(l.app.remarks(), id)
}

func (l *rowList) add(row collection.LedgerRow) error {
	l.shown++
	if row.Outcome == starter.OutcomeUnknown {
		l.unknown = row.Detail
	}
	return l.app.answer(row, func() { l.table.Row(recordCells(row)...) })
}

// moreRows is the command that goes on.
func moreRows(id string, f starter.Filter, at starter.Cursor, limit int) string {
	command := fmt.Sprintf("weir records %s --from %s --limit %d", id, at, limit)
	for _, p := range []struct{ name, value string }{
		{"outcome", string(f.Outcome)}, {"reason", string(f.Reason)}, {"source", f.Source},
	} {
		if p.value != "" {
			command += fmt.Sprintf(" --%s %s", p.name, p.value)
		}
	}
	return command
}

func recordCells(row collection.LedgerRow) []screen.Cell {
	style := screen.StyleOf(row.Outcome)
	if row.Outcome == starter.OutcomePending || row.Outcome == starter.OutcomeUnknown {
		style = screen.Faint
	}
	key, detail := screen.Text(row.Key), row.Detail
	if row.Key == "" {
		key, detail = screen.Cell{Text: row.Detail, End: true}, ""
	}
	return []screen.Cell{
		screen.Text(strconv.Itoa(row.Line)), screen.Text(row.Source), screen.Text(row.Record),
		{Text: string(row.Outcome), Style: style}, screen.Text(string(row.Reason)), key, screen.Text(detail),
	}
}

func described(f starter.Filter) string {
	var parts []string
	for _, p := range []struct{ name, value string }{
		{"outcome", string(f.Outcome)}, {"reason", string(f.Reason)}, {"source", f.Source},
	} {
		if p.value != "" {
			parts = append(parts, fmt.Sprintf("%s %s", p.name, p.value))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " with " + strings.Join(parts, " and ")
}
