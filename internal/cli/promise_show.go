package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/promise"
	"github.com/weir-collect/weir/starter"
)

// showPromise writes whether the promise was kept, and what does not count.
func (a *app) showPromise(answer promiseAnswer, terms promise.Terms) {
	out := a.answers()
	out.Line("promised: %g %% of records start within %s; looked at since %s", answer.Percent, screen.Duration(terms.Within),
		screen.Since(answer.Covered.Since, a.world.Now()))
	out.Blank()
	table := out.NewTable(screen.Column{Title: "CUSTOMER"}, screen.Column{Title: "P95 WAIT", Right: true},
		screen.Column{Title: "P50", Right: true}, screen.Column{Title: "P99", Right: true}, screen.Column{Title: "IN TIME", Right: true},
		screen.Column{Title: "RECORDS", Right: true}, screen.Column{Title: "LATE", Right: true},
		screen.Column{Title: "NEVER", Right: true, Spare: true}, screen.Column{Title: "PROMISE"})
	for _, line := range shownLines(answer) {
		table.Row(screen.Text(line.Customer), screen.Text(waitText(line, line.P95)), screen.Text(waitText(line, line.P50)),
			screen.Text(waitText(line, line.P99)), screen.Text(shareText(line.InTime, line.Records)), screen.Text(screen.Count(line.Records)),
			screen.Text(screen.Count(line.Records-line.InTime)), screen.Text(screen.Count(line.NeverStarted)), verdictCell(line))
	}
	table.End()
	a.showLeftOut(out, answer)
}

// showWeek writes the weekly report: the start wait first, and nothing of how busy the fleet was.
func (a *app) showWeek(answer promiseAnswer, terms promise.Terms) {
	out := a.answers()
	out.Line("%s to %s", screen.Time(answer.Covered.Since), screen.Time(answer.Covered.Until))
	out.Blank()
	table := out.NewTable(screen.Column{Title: "CUSTOMER"}, screen.Column{Title: "P95 START WAIT", Right: true},
		screen.Column{Title: "WITHIN " + strings.ToUpper(screen.Duration(terms.Within)), Right: true}, screen.Column{Title: "PROMISE"},
		screen.Column{Title: "SUCCESS", Right: true}, screen.Column{Title: "ENDED", Right: true},
		screen.Column{Title: "DEAD LETTERS", Right: true}, screen.Column{Title: "SUBMISSIONS", Right: true, Spare: true})
	for _, line := range shownLines(answer) {
		good := line.Outcomes.Of(collection.OutcomeDelivered) + line.Outcomes.Of(collection.OutcomeGone)
		table.Row(screen.Text(line.Customer), screen.Text(waitText(line, line.P95)), screen.Text(shareText(line.InTime, line.Records)),
			verdictCell(line), screen.Text(shareText(good, line.Ended)), screen.Text(screen.Count(line.Ended)),
			screen.Text(screen.Count(line.Outcomes.Of(collection.OutcomeDeadLettered))), screen.Text(screen.Count(line.Submissions)))
	}
	table.End()
	a.showReasons(out, answer)
	a.showLeftOut(out, answer)
}

// showReasons lists what was not delivered, by customer and reason.
func (a *app) showReasons(out *screen.Screen, answer promiseAnswer) {
	table := out.NewTable(screen.Column{Title: "CUSTOMER"}, screen.Column{Title: "NOT DELIVERED"}, screen.Column{Title: "REASON"},
		screen.Column{Title: "ROWS", Right: true}, screen.Column{Title: "OF ALL", Right: true})
	begun := false
	for _, line := range answer.Customers {
		for _, count := range line.Outcomes {
			if count.Outcome == collection.OutcomeDelivered {
				continue
			}
			if !begun {
				out.Blank()
				begun = true
			}
			table.Row(screen.Text(line.Customer), screen.Cell{Text: string(count.Outcome), Style: screen.StyleOf(count.Outcome)},
				screen.Text(string(count.Reason)), screen.Text(screen.Count(count.Records)),
				screen.Text(shareText(count.Records, line.Outcomes.Total())))
		}
	}
	table.End()
}

// shownLines are the customers, and all together where there are several.
func shownLines(answer promiseAnswer) []promise.Line {
	if len(answer.Customers) < 2 {
		return answer.Customers
	}
	all := answer.All
	all.Customer, all.Verdict = "all", ""
	return append(answer.Customers[:len(answer.Customers):len(answer.Customers)], all)
}

func waitText(line promise.Line, seconds *float64) string {
	switch {
	case line.Records == 0:
		return "-"
	case seconds == nil:
		return "never"
	}
	return screen.Duration(time.Duration(*seconds * float64(time.Second)))
}

// shareText is a share in per cent with one digit, never rounded up to what it is not.
func shareText(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%d.%d %%", part*100/whole, part*1000/whole%10)
}

func verdictCell(line promise.Line) screen.Cell {
	switch line.Verdict {
	case promise.Broken:
		return screen.Cell{Text: "broken", Style: screen.Bad}
	case promise.Kept:
		return screen.Cell{Text: "kept", Style: screen.Good}
	case promise.Nothing:
		return screen.Cell{Text: "nothing to tell", Style: screen.Faint}
	}
	return screen.Cell{}
}

// showLeftOut says what the figures do not count, and what was not read.
func (a *app) showLeftOut(out *screen.Screen, answer promiseAnswer) {
	var parts []string
	all := answer.All
	for _, p := range []struct {
		n    int
		what string
	}{
		{all.Cancelled, "cancelled, with no first request on record"}, {all.Refused, "refused by policy without a request"},
		{all.Undecided, "waiting still, and not too long yet"}, {all.UnderWay, "under way, which may have started"},
		{all.Unknown, "not known any more: their ledger is no longer kept"},
	} {
		if p.n > 0 {
			parts = append(parts, screen.Count(p.n)+" "+p.what)
		}
	}
	if len(parts) > 0 {
		out.Blank()
		out.Line("%s", out.Paint(screen.Faint, "not counted: "+strings.Join(parts, "; ")))
	}
	if all.WaitingLate > 0 {
		out.Line("%s", out.Paint(screen.Notice, fmt.Sprintf("%s still, longer than promised: counted as late, with the wait so far",
			plural(all.WaitingLate, "record waits", "records wait"))))
	}
	a.tellOmitted(answer.Covered)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return screen.Count(n) + " " + many
}

// tellOmitted says that a bound was reached: a figure over a part must not pass for one over the whole.
func (a *app) tellOmitted(c starter.Coverage) {
	if c.Omitted > 0 {
		a.remarks().Line("only the newest %s were read, with %s, back to %s; %s not looked at",
			screen.Plural(c.Submissions, "submission"), screen.Plural(c.Records, "record"), screen.Time(c.Oldest),
			plural(c.Omitted, "older submission was", "older submissions were"))
	}
}
