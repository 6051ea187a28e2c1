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

// leastCut is how much is left of a column that may be cut.
const leastCut = 12

// Column is a column of a table.
type Column struct {
	Title string
	// Right aligns numbers.
	Right bool
	// Middle cuts the last column in its middle: of addresses, both ends tell.
	Middle bool
	// Spare columns are left out on a terminal that is too narrow for all, those with the lowest Rank first, and among
	// equals the last: for what is told elsewhere as well.
	Spare bool
	Rank  int
	// Filled columns are left out on a terminal where the first rows have nothing in them.
	Filled bool
	// Cut columns are cut in their middle where leaving out others is not enough: for names, of which both ends tell.
	Cut bool
}

// Cell is one value of a row.
type Cell struct {
	Text  string
	Style Style
	// End has it cut at its end where its column is cut in the middle: for a sentence among addresses.
	End bool
}

// Text is a plain cell.
func Text(text string) Cell { return Cell{Text: text} }

// Table writes rows in columns. On a terminal its last column is cut to what is left of the width.
type Table struct {
	screen  *Screen
	columns []Column
	widths  []int
	shown   []int
	// cut are the columns that are narrower than what stands in them.
	cut     map[int]bool
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

// fit decides which columns are shown, and how wide those are that may be cut.
func (t *Table) fit() {
	limit := t.screen.Width()
	for i, c := range t.columns {
		if limit <= 0 || !c.Filled || slices.ContainsFunc(t.waiting, func(row []Cell) bool { return row[i].Text != "" }) {
			t.shown = append(t.shown, i)
		}
	}
	if limit <= 0 {
		return
	}
	var left []int
	for t.need(t.shown) > limit {
		i := t.leastWanted()
		if i < 0 {
			t.shorten(t.need(t.shown) - limit)
			return
		}
		t.shown = slices.DeleteFunc(t.shown, func(j int) bool { return j == i })
		left = append(left, i)
	}
	// A wide column may have gone after a narrow one for which there is room again.
	for _, i := range slices.Backward(left) {
		again := append(slices.Clone(t.shown), i)
		slices.Sort(again)
		if t.need(again) <= limit {
			t.shown = again
		}
	}
}

// need is how many columns of the terminal some columns of the table take; the last one may be cut.
func (t *Table) need(columns []int) int {
	need := -len(gap)
	for at, i := range columns {
		w := t.widths[i]
		if at == len(columns)-1 && !t.columns[i].Right {
			w = min(w, leastRoom)
		}
		need += w + len(gap)
	}
	return need
}

// leastWanted is the column that is left out next; none where that is below zero.
func (t *Table) leastWanted() int {
	least := -1
	for _, i := range t.shown {
		if c := t.columns[i]; c.Spare && (least < 0 || c.Rank <= t.columns[least].Rank) {
			least = i
		}
	}
	return least
}

// shorten takes so many columns of the terminal from what may be cut, from the widest first.
func (t *Table) shorten(excess int) {
	t.cut = map[int]bool{}
	for ; excess > 0; excess-- {
		widest := -1
		for _, i := range t.shown {
			if t.columns[i].Cut && t.widths[i] > leastCut && (widest < 0 || t.widths[i] > t.widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		t.widths[widest]--
		t.cut[widest] = true
	}
}

func (t *Table) write(cells []Cell) {
	var b strings.Builder
	used, limit := 0, t.screen.Width()
	for at, i := range t.shown {
		c := cells[i]
		last := at == len(t.shown)-1
		text := c.Text
		if t.cut[i] {
			text = ClipMiddle(text, t.widths[i])
		}
		if room := limit - used; last && room >= leastRoom {
			text = t.clip(i, c, text, room)
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

func (t *Table) clip(column int, c Cell, text string, room int) string {
	if t.columns[column].Middle && !c.End {
		return ClipMiddle(text, room)
	}
	return Clip(text, room)
}
