package demo

import (
	"fmt"
	"strconv"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/cli/screen"
)

// group is rows that stand for the same thing.
type group struct {
	row
	rows, right, requests int
}

// groups puts the rows together by what they stand for, in the order of the file.
func groups(rows []row, ended map[int]collection.LedgerRow) []*group {
	var all []*group
	found := map[string]*group{}
	for _, r := range rows {
		g := found[r.what]
		if g == nil {
			g = &group{row: r}
			found[r.what] = g
			all = append(all, g)
		}
		got := ended[r.line]
		g.rows++
		g.requests += got.Attempts
		if r.matches(got) {
			g.right++
		}
	}
	return all
}

// showRows shows what became of the rows beside what must have become of them.
func (c *checks) showRows() {
	s := c.Screen
	s.Line("The submission is %s: some of its rows cannot be delivered, on purpose.",
		s.Paint(screen.StyleOfState(c.status.State), string(c.status.State)))
	s.Blank()
	table := s.NewTable(screen.Column{Title: "ENDED SO", Right: true}, screen.Column{Title: "REQUESTS", Right: true},
		screen.Column{Title: "MUST END"}, screen.Column{Title: "BECAUSE THE ROW MEETS"})
	for _, g := range groups(c.rows, c.ended) {
		right := screen.Cell{Text: fmt.Sprintf("%d of %d", g.right, g.rows), Style: screen.Good}
		if g.right != g.rows {
			right.Style = screen.Bad
		}
		table.Row(right, screen.Text(screen.Count(g.requests)),
			screen.Cell{Text: ending(g.outcome, g.reason), Style: screen.StyleOf(g.outcome)}, screen.Text(g.what))
	}
	table.End()
}

// showFailures lists the rows that were not delivered, and why.
func (c *checks) showFailures() {
	s := c.Screen
	s.Blank()
	table := s.NewTable(screen.Column{Title: "LINE", Right: true}, screen.Column{Title: "NOT DELIVERED"}, screen.Column{Title: "REASON"},
		screen.Column{Title: "DETAIL"})
	for _, r := range c.rows {
		got, ok := c.ended[r.line]
		if !ok || got.Outcome == collection.OutcomeDelivered {
			continue
		}
		detail := got.Detail
		if detail == "" {
			detail = got.Key
		}
		table.Row(screen.Text(strconv.Itoa(r.line)), screen.Cell{Text: string(got.Outcome), Style: screen.StyleOf(got.Outcome)},
			screen.Text(string(got.Reason)), screen.Text(detail))
	}
	table.End()
}
