package cli

import (
	"fmt"
	"time"

	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/lease"
)

// stateCell is a source's state in a word.
func stateCell(r lease.SourceView) screen.Cell {
	if r.Open {
		return screen.Cell{Text: "open", Style: screen.Good}
	}
	text, ok := map[lease.Why]string{
		lease.WhyPaused: "paused", lease.WhyCeiling: "ceiling 0", lease.WhyBreakerHeld: "held", lease.WhyBreakerOpen: "failing",
		lease.WhyThrottled: "throttled", lease.WhyHours: "off hours", lease.WhyRemoved: "removed",
	}[r.Why]
	if !ok {
		text = string(r.Why)
	}
	style := screen.Notice
	switch r.Why {
	case lease.WhyBreakerOpen:
		style = screen.Bad
	case lease.WhyHours, lease.WhyRemoved:
		style = screen.Faint
	}
	return screen.Cell{Text: text, Style: style}
}

func breakerCell(r lease.SourceView) screen.Cell {
	switch {
	case r.BreakerHeld != nil:
		return screen.Cell{Text: "held", Style: screen.Notice}
	case r.Breaker == lease.BreakerOpen:
		return screen.Cell{Text: "open", Style: screen.Bad}
	case r.Breaker == lease.BreakerHalfOpen:
		return screen.Cell{Text: "half-open", Style: screen.Notice}
	case r.BreakerLevel > 0:
		return screen.Cell{Text: "closing", Style: screen.Notice}
	}
	return screen.Text(string(r.Breaker))
}

// remarksOn are the sentences about a source that is not as configured: what closes it first.
func remarksOn(r lease.SourceView, now time.Time, verbose bool) []screen.Cell {
	var cells []screen.Cell
	say := func(style screen.Style, format string, args ...any) {
		cells = append(cells, screen.Cell{Style: style, Text: fmt.Sprintf(format, args...)})
	}
	if r.Why == lease.WhyRemoved {
		say(screen.Notice, "is no longer in the configuration; what operators have set, and a breaker that is open, are kept in case it comes back")
	}
	if r.Paused != nil {
		say(screen.Notice, "paused%s", noteText(*r.Paused, now))
	}
	if r.BreakerHeld != nil {
		say(screen.Notice, "breaker held open%s", noteText(*r.BreakerHeld, now))
	}
	if text, style := breakerRemark(r, now); text != "" {
		say(style, "%s", text)
	}
	if r.Why == lease.WhyHours {
		say(screen.Plain, "outside its hours%s", untilText(r.OpensAt, now))
	}
	if o := r.CeilingOverride; o != nil {
		say(screen.Notice, "ceiling set to %s%s%s", screen.Count(o.Ceiling), untilText(o.Until, now), noteText(o.Note, now))
	} else if r.Why == lease.WhyCeiling {
		say(screen.Notice, "its configured ceiling is 0")
	}
	if o := r.PaceOverride; o != nil {
		say(screen.Notice, "pace set to %s%s%s", paceText(o.Rate), untilText(o.Until, now), noteText(o.Note, now))
		if r.Pace != o.Rate {
			say(screen.Notice, "the pace in force is %s: the crawl delay that its robots.txt asks for holds", paceText(r.Pace))
		}
	}
	if o := r.MethodOverride; o != nil {
		say(screen.Notice, "fetched by %s, set%s", o.Method, noteText(o.Note, now))
	}
	if text := methodRemark(r, verbose); text != "" {
		style := screen.Plain
		if !r.MethodUntil.IsZero() {
			style, text = screen.Notice, text+" "+screen.Since(r.MethodUntil, now)
		}
		say(style, "%s", text)
	}
	if text := lingerText(r.Workers); text != "" {
		say(screen.Notice, "%s", text)
	}
	if verbose && !r.ClosesAt.IsZero() && r.Why != lease.WhyHours {
		say(screen.Plain, "its hours end %s", screen.Since(r.ClosesAt, now))
	}
	if verbose && r.Requests > 0 {
		say(screen.Plain, "%s within the breaker's window, %s by the source's fault", screen.Plural(r.Requests, "request"), failedText(r.Faults))
	}
	return cells
}

// lingerText says what lost workers still take of the ceiling.
func lingerText(workers []lease.WorkerView) string {
	lost, requests := 0, 0
	for _, w := range workers {
		if w.Lost && w.Exposed > 0 {
			lost++
			requests += w.Exposed
		}
	}
	if lost == 0 {
		return ""
	}
	return fmt.Sprintf("%s lost: up to %s may linger at the source, and count against the ceiling", screen.Plural(lost, "worker"),
		screen.Plural(requests, "request"))
}

func failedText(n int) string {
	if n == 0 {
		return "none failed"
	}
	return screen.Count(n) + " failed"
}

// breakerRemark says what a breaker that nobody holds does to its source, if it does anything.
func breakerRemark(r lease.SourceView, now time.Time) (string, screen.Style) {
	again := ""
	if r.BreakerTrips > 1 {
		again = fmt.Sprintf("; it has opened %s times in a row", screen.Count(r.BreakerTrips))
	}
	switch {
	case r.BreakerHeld != nil:
		return "", screen.Plain
	case r.Why == lease.WhyThrottled && !r.OpensAt.IsZero() && !r.OpensAt.After(now):
		return "throttled; the wait that the source has asked for has just ended", screen.Notice
	case r.Why == lease.WhyThrottled:
		return "throttled" + untilText(r.OpensAt, now) + ": the source has asked for a wait", screen.Notice
	case r.Why == lease.WhyBreakerOpen:
		return "breaker open" + untilText(r.OpensAt, now) + ": the source fails too often" + again, screen.Bad
	case r.Breaker == lease.BreakerOpen:
		return "its breaker is open as well", screen.Bad
	case r.Breaker == lease.BreakerHalfOpen:
		return "breaker half-open: one request tries the source" + again, screen.Notice
	case r.BreakerLevel > 0:
		return fmt.Sprintf("breaker closing: at most %s in flight for now, and more as long as fewer fail than would open it", screen.Count(r.BreakerLevel)), screen.Notice
	}
	return "", screen.Plain
}

// noteText is who gave a command, when and why.
func noteText(n lease.Note, now time.Time) string {
	text := ""
	if n.By != "" {
		text += " by " + n.By
	}
	if !n.At.IsZero() {
		text += ", " + agoText(n.At, now)
	}
	if n.Reason != "" {
		text += ": " + n.Reason
	}
	return text
}

// untilText is empty for what has no end.
func untilText(until, now time.Time) string {
	if until.IsZero() {
		return ""
	}
	return " until " + screen.Since(until, now)
}

func agoText(at, now time.Time) string {
	if now.Sub(at) < time.Second {
		return "just now"
	}
	return sinceText(at, now) + " ago"
}

// sinceText is how long ago a moment is; the clock of another machine may be a little ahead.
func sinceText(at, now time.Time) string {
	return screen.Duration(max(now.Sub(at), 0).Round(time.Second))
}
