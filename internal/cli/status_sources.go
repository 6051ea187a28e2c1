package cli

import (
	"context"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/lease"
)

// statesTimeout bounds the question for the states of sources: they are an addition to an answer that is already there.
const statesTimeout = 3 * time.Second

// sourceState is how a source of a submission stands, in the words of weir sources.
type sourceState struct {
	Source string `json:"source"`
	State  string `json:"state"`
	// Until is when a source that is closed opens by itself; zero where nobody knows.
	Until   time.Time `json:"until,omitzero"`
	Remarks []string  `json:"remarks,omitempty"`

	closed  bool
	cell    screen.Cell
	remarks []screen.Cell
}

// sourceStates are those of the sources of a submission, in its order.
type sourceStates []sourceState

// statesOf asks the owner of the ceilings why the sources of a submission may stand still, while it is collected. Where nobody
// answers, nothing is said of them: what is told of the submission does not depend on it.
func (a *app) statesOf(ctx context.Context, c client, s collection.SubmissionStatus) sourceStates {
	if s.Stage != "collect" || len(s.Sources) == 0 {
		return nil
	}
	names := make([]string, len(s.Sources))
	for i, share := range s.Sources {
		names[i] = share.Source
	}
	return a.standing(ctx, c, names...)
}

// standing is how those sources of a list stand that the owner of the ceilings knows.
func (a *app) standing(ctx context.Context, c client, names ...string) sourceStates {
	ctx, cancel := context.WithTimeout(ctx, statesTimeout)
	defer cancel()
	rows, err := c.Sources(ctx)
	if err != nil {
		return nil
	}
	now := a.world.Now()
	var states sourceStates
	for _, name := range names {
		row, known := lease.ViewOf(rows, name)
		if !known {
			continue
		}
		state := sourceState{Source: name, closed: !row.Open, cell: stateCell(row), remarks: remarksOn(row, now, false)}
		state.State = state.cell.Text
		if state.closed {
			state.Until = row.OpensAt
		}
		for _, remark := range state.remarks {
			state.Remarks = append(state.Remarks, remark.Text)
		}
		states = append(states, state)
	}
	return states
}

// cells are the states for a table.
func (s sourceStates) cells() map[string]screen.Cell {
	cells := make(map[string]screen.Cell, len(s))
	for _, state := range s {
		cells[state.Source] = state.cell
	}
	return cells
}

// show writes, beneath the table of the sources, what keeps those back that are not as configured: a reason must not be cut to the
// width of a terminal.
func (s sourceStates) show(out *screen.Screen) {
	facts, remarks := out.NewFacts(), 0
	for _, state := range s {
		name := state.Source
		for _, remark := range state.remarks {
			facts.AddCell(name, remark)
			name = ""
			remarks++
		}
	}
	if remarks > 0 {
		out.Blank()
		facts.End()
	}
}
