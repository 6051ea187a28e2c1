package screen

import (
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

// Failures counts the rows that were meant to be delivered and will not be without a person: a target that is gone and a
// row that stands twice are facts.
func Failures(t collection.Tally) int {
	return t.Of(collection.OutcomeDeadLettered) + t.Of(collection.OutcomeRefused) + t.Of(collection.OutcomeInvalid)
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
				table.Row(Cell{string(c.Outcome), StyleOf(c.Outcome)}, Text(string(c.Reason)), Text(Count(c.Records)))
			}
		}
	}
	table.Row(Cell{"all", Faint}, Text(""), Text(Count(t.Total())))
	table.End()
}

// Sources writes how far every source is, as a table.
func (s *Screen) Sources(sources []collection.SourceProgress) {
	right := func(title string) Column { return Column{Title: title, Right: true} }
	table := s.NewTable(Column{Title: "SOURCE", Cut: true}, right("RECORDS"), Column{Title: "RELEASED", Right: true, Spare: true}, right("ENDED"), right("DELIVERED"),
		right("FAILED"), right("DONE"))
	for _, p := range sources {
		ended, failed := p.Outcomes.Total(), Failures(p.Outcomes)
		style := Plain
		if failed > 0 {
			style = Bad
		}
		table.Row(Text(p.Source), Text(Count(p.Records)), Text(Count(p.Released)), Text(Count(ended)),
			Text(Count(p.Outcomes.Of(collection.OutcomeDelivered))), Cell{Count(failed), style}, Text(Percent(ended, p.Records)))
	}
	table.End()
}
