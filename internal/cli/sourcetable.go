package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/lease"
)

// How many of a source's last commands are shown, among all sources and for one.
const (
	commandsOfAll = 5
	commandsOfOne = 20
)

// showSources writes the table of sources, and beneath it what is to be said of those that are not as configured: a reason
// must not be cut to the width of a terminal. What spare columns say is there as well, or in the table of the workers.
func showSources(s *screen.Screen, rows []lease.SourceView, now time.Time, verbose bool) {
	right := func(title string) screen.Column { return screen.Column{Title: title, Right: true} }
	columns := []screen.Column{
		{Title: "SOURCE", Cut: true}, {Title: "STATE"}, right("CEILING"), {Title: "IN FORCE", Right: true, Spare: true, Rank: 2},
		{Title: "GRANTED", Right: true, Spare: true}, right("IN FLIGHT"), right("WAITING"), {Title: "OLDEST", Right: true, Spare: true, Rank: 1},
		right("PACE"), {Title: "BREAKER", Spare: true},
	}
	if slices.ContainsFunc(rows, func(r lease.SourceView) bool { return r.Method != "" }) {
		columns = append(columns, screen.Column{Title: "METHOD", Spare: true})
	}
	table := s.NewTable(columns...)
	facts := s.NewFacts()
	remarks := 0
	for _, r := range rows {
		table.Row(sourceCells(r)[:len(columns)]...)
		name := r.Source
		for _, remark := range remarksOn(r, now, verbose) {
			facts.AddCell(name, remark)
			name = ""
			remarks++
		}
	}
	table.End()
	if remarks > 0 {
		s.Blank()
		facts.End()
	}
}

// sourceCells are the cells of a row, with that of the method, which may have no column, at the end.
func sourceCells(r lease.SourceView) []screen.Cell {
	notable := func(text string, notable bool) screen.Cell {
		if notable {
			return screen.Cell{Text: text, Style: screen.Notice}
		}
		return screen.Text(text)
	}
	return []screen.Cell{
		screen.Text(r.Source),
		stateCell(r),
		notable(screen.Count(r.Ceiling), r.CeilingOverride != nil),
		notable(screen.Count(r.InForce), r.InForce < r.Ceiling),
		screen.Text(screen.Count(r.Granted)),
		notable(screen.Count(r.InFlight), r.InFlight > r.InForce),
		screen.Text(screen.Count(r.Waiting)),
		screen.Text(oldestText(r.OldestWaiting)),
		notable(paceText(r.Pace), r.PaceOverride != nil),
		breakerCell(r),
		notable(r.Method, r.MethodOverride != nil || !r.MethodUntil.IsZero()),
	}
}

// oldestText is how long something has waited, in one unit; nothing where nothing waits.
func oldestText(waited lease.Millis) string {
	if waited <= 0 {
		return ""
	}
	unit := 24 * time.Hour
	d := max(waited.Std(), time.Second)
	switch {
	case d < time.Minute:
		unit = time.Second
	case d < time.Hour:
		unit = time.Minute
	case d < unit:
		unit = time.Hour
	}
	return screen.Duration(d.Truncate(unit))
}

// showHoldings writes what every worker holds. Workers have long names, of which both ends tell.
func showHoldings(s *screen.Screen, rows []lease.SourceView, now time.Time) {
	right := func(title string) screen.Column { return screen.Column{Title: title, Right: true} }
	table := s.NewTable(screen.Column{Title: "SOURCE", Cut: true}, screen.Column{Title: "GRANTED", Right: true, Spare: true, Rank: 2}, right("IN FLIGHT"),
		screen.Column{Title: "WAITING", Right: true, Spare: true, Rank: 3}, screen.Column{Title: "OLDEST", Right: true, Spare: true},
		screen.Column{Title: "PACE", Right: true, Spare: true, Rank: 1}, screen.Column{Title: "LEASE"}, screen.Column{Title: "WORKER", Middle: true})
	begun := false
	for _, r := range rows {
		for _, w := range r.Workers {
			if !begun {
				s.Blank()
				begun = true
			}
			table.Row(screen.Text(r.Source), screen.Text(screen.Count(w.Granted)), screen.Text(screen.Count(w.InFlight)),
				screen.Text(screen.Count(w.Waiting)), screen.Text(oldestText(w.OldestWaiting)), screen.Text(paceText(w.Pace)), leaseCell(w, now), screen.Text(w.Worker))
		}
	}
	table.End()
}

// leaseCell says how long a worker's lease lasts, or what is left of one that has ended.
func leaseCell(w lease.WorkerView, now time.Time) screen.Cell {
	left := w.LeaseEnds.Sub(now)
	switch {
	case w.Lost:
		return screen.Cell{Style: screen.Bad, Text: fmt.Sprintf("lost %s ago", sinceText(w.LeaseEnds, now))}
	case left <= 0:
		return screen.Cell{Style: screen.Notice, Text: fmt.Sprintf("ended %s ago", sinceText(w.LeaseEnds, now))}
	case w.Full:
		return screen.Cell{Style: screen.Notice, Text: screen.Duration(left) + " left, full"}
	}
	return screen.Text(screen.Duration(left) + " left")
}

// showCommands writes the last commands for every source, the latest of each at the end.
func showCommands(s *screen.Screen, rows []lease.SourceView, most int) {
	facts := s.NewFacts()
	begun := false
	for _, r := range rows {
		name := r.Source
		for _, command := range r.Log[max(0, len(r.Log)-most):] {
			if !begun {
				s.Blank()
				s.Line("%s", s.Paint(screen.Strong, "LAST COMMANDS"))
				begun = true
			}
			facts.Add(name, commandText(command))
			name = ""
		}
	}
	facts.End()
}

func commandText(c lease.OperatorCommand) string {
	text := screen.Time(c.At) + " " + c.Command
	if c.Detail != "" {
		text += " " + c.Detail
	}
	if c.By != "" {
		text += " by " + c.By
	}
	if c.Reason != "" {
		text += ": " + c.Reason
	}
	return text
}
