package screen

import (
	"slices"
	"strings"
)

// gap is what stands between two columns.
const gap = "  "

// sampleRows is how many rows decide how wide columns are. What comes after them is written at once, so that a table of
// any length needs no memory and shows its first rows at once.
const sampleRows = 500

// leastRoom is how much of the last column must be shown for cutting it to make sense. In a narrower window the terminal
// breaks the lines: that is ugly, but nothing is lost.
const leastRoom = 16

// Column is a column of a table.
type Column struct {
	Title string
	// Right aligns numbers.
	Right bool
	// Middle cuts the last column in its middle: of addresses, both ends tell.
	Middle bool
	// Spare columns are left out, the last of them first, on a terminal that is too narrow for all: for what is told
	// elsewhere as well.
	Spare bool
}

// Cell is one value of a row.
type Cell struct {
	Text  string
	Style Style
}

// Text is a plain cell.
func Text(text string) Cell { return Cell{Text: text} }

// Table writes rows in columns. On a terminal its last column is cut to what is left of the width.
type Table struct {
	screen  *Screen
	columns []Column
	widths  []int
	shown   []int
	waiting [][]Cell
	started bool
}

// NewTable begins a table. Nothing is written for one that gets no rows.
func (s *Screen) NewTable(columns ...Column) *Table {
	t := &Table{screen: s, columns: columns, widths: make([]int, len(columns))}
	for i, c := range columns {
		t.widths[i] = Columns(c.Title)
	}
	return t
}

// Row adds a row, with a cell for every column.
func (t *Table) Row(cells ...Cell) {
	for i := range cells {
		cells[i].Text = Clean(cells[i].Text)
	}
	if t.started {
		t.write(cells)
		return
	}
	for i, c := range cells {
		t.widths[i] = max(t.widths[i], Columns(c.Text))
	}
	t.waiting = append(t.waiting, cells)
	if len(t.waiting) == sampleRows {
		t.start()
	}
}

// End writes what is left.
func (t *Table) End() {
	if !t.started && len(t.waiting) > 0 {
		t.start()
	}
}

func (t *Table) start() {
	t.started = true
	t.fit()
	header := make([]Cell, len(t.columns))
	for i, c := range t.columns {
		header[i] = Cell{Text: c.Title, Style: Strong}
	}
	t.write(header)
	for _, cells := range t.waiting {
		t.write(cells)
	}
	t.waiting = nil
}

// fit decides which columns are shown.
func (t *Table) fit() {
	width := -len(gap)
	for i, w := range t.widths {
		t.shown = append(t.shown, i)
		width += w + len(gap)
	}
	limit := t.screen.Width()
	for i := len(t.columns) - 1; i >= 0 && limit > 0 && width > limit; i-- {
		if t.columns[i].Spare {
			t.shown = slices.Delete(t.shown, i, i+1)
			width -= t.widths[i] + len(gap)
		}
	}
}

func (t *Table) write(cells []Cell) {
	var b strings.Builder
	used, limit := 0, t.screen.Width()
	for at, i := range t.shown {
		c := cells[i]
		last := at == len(t.shown)-1
		text := c.Text
		if room := limit - used; last && room >= leastRoom {
			text = t.clip(i, text, room)
		}
		pad := strings.Repeat(" ", max(t.widths[i]-Columns(text), 0))
		painted := t.screen.Paint(c.Style, text)
		switch {
		case t.columns[i].Right:
			b.WriteString(pad + painted)
		case last:
			b.WriteString(painted)
		default:
			b.WriteString(painted + pad)
		}
		if !last {
			b.WriteString(gap)
		}
		used += max(t.widths[i], Columns(text)) + len(gap)
	}
	t.screen.Line("%s", b.String())
}

func (t *Table) clip(column int, text string, room int) string {
	if t.columns[column].Middle {
		return ClipMiddle(text, room)
	}
	return Clip(text, room)
}
