package screen

import (
	"slices"

	"github.com/weir-collect/weir/collection"
)

// StyleOf is the style of an outcome.
func StyleOf(o collection.Outcome) Style {
	switch o {
	case collection.OutcomeDelivered:
		return Good
	case collection.OutcomeGone, collection.OutcomeDuplicate:
		return Plain
	case collection.OutcomeDeadLettered:
		return Bad
	}
	return Notice
}

// StyleOfState is the style of a submission's state.
func StyleOfState(s collection.State) Style {
	switch s {
	case collection.StateComplete:
		return Good
	case collection.StatePartiallyFailed, collection.StateCancelled:
		return Notice
	case collection.StateFailed:
		return Bad
	}
	return Plain
}

// failures are the outcomes of rows that were meant to be delivered and will not be without a person: a target that is gone and a
// row that stands twice are facts.
var failures = []collection.Outcome{collection.OutcomeDeadLettered, collection.OutcomeRefused, collection.OutcomeInvalid}

// Failures counts the rows that were meant to be delivered and will not be without a person.
func Failures(t collection.Tally) int {
	n := 0
	for _, o := range failures {
		n += t.Of(o)
	}
	return n
}

// FailedOutcomes are the outcomes of those rows that there are.
func FailedOutcomes(t collection.Tally) []collection.Outcome {
	var there []collection.Outcome
	for _, o := range failures {
		if t.Of(o) > 0 {
			there = append(there, o)
		}
	}
	return there
}

// Outcomes writes a tally as a table, with a sum. An empty tally writes nothing.
func (s *Screen) Outcomes(t collection.Tally) {
	if t.Total() == 0 {
		return
	}
	table := s.NewTable(Column{Title: "OUTCOME"}, Column{Title: "REASON"}, Column{Title: "ROWS", Right: true})
	for _, o := range collection.Outcomes() {
		for _, c := range t {
			if c.Outcome == o {
				table.Row(Cell{Text: string(c.Outcome), Style: StyleOf(c.Outcome)}, Text(string(c.Reason)), Text(Count(c.Records)))
			}
		}
	}
	table.Row(Cell{Text: "all", Style: Faint}, Text(""), Text(Count(t.Total())))
	table.End()
}

// Sources writes how far every source is, as a table. states are those of the sources themselves, by name, where they are known: a
// source that is closed is why nothing moves.
func (s *Screen) Sources(sources []collection.SourceProgress, states map[string]Cell) {
	right := func(title string) Column { return Column{Title: title, Right: true} }
	columns := []Column{{Title: "SOURCE", Cut: true}, right("RECORDS"), {Title: "RELEASED", Right: true, Spare: true}, right("ENDED"), right("DELIVERED"),
		right("FAILED"), right("DONE")}
	if len(states) > 0 {
		columns = slices.Insert(columns, 1, Column{Title: "STATE"})
	}
	table := s.NewTable(columns...)
	for _, p := range sources {
		ended, failed := p.Outcomes.Total(), Failures(p.Outcomes)
		style := Plain
		if failed > 0 {
			style = Bad
		}
		cells := []Cell{Text(p.Source), Text(Count(p.Records)), Text(Count(p.Released)), Text(Count(ended)),
			Text(Count(p.Outcomes.Of(collection.OutcomeDelivered))), {Text: Count(failed), Style: style}, Text(Percent(ended, p.Records))}
		if len(states) > 0 {
			cells = slices.Insert(cells, 1, states[p.Source])
		}
		table.Row(cells...)
	}
	table.End()
}
