package screen

import "strings"

// Facts are names and what is said of them, one a line; long sentences are wrapped beneath their beginning.
type Facts struct {
	screen *Screen
	rows   []fact
}

type fact struct {
	name  string
	value Cell
}

// NewFacts begins a list.
func (s *Screen) NewFacts() *Facts { return &Facts{screen: s} }

// Add adds a fact; one without a value is left out.
func (f *Facts) Add(name, value string) { f.AddCell(name, Text(value)) }

// AddCell adds a fact whose value has a style.
func (f *Facts) AddCell(name string, value Cell) {
	value.Text = Clean(value.Text)
	if value.Text != "" {
		f.rows = append(f.rows, fact{name, value})
	}
}

// End writes the list.
func (f *Facts) End() {
	widest := 0
	for _, r := range f.rows {
		widest = max(widest, Columns(r.name))
	}
	room := 0
	if limit := f.screen.Width(); limit > 0 {
		room = max(limit-widest-len(gap), minWrap)
	}
	for _, r := range f.rows {
		name := r.name
		for _, line := range Wrap(r.value.Text, room) {
			pad := strings.Repeat(" ", widest-Columns(name))
			f.screen.Line("%s%s%s%s", f.screen.Paint(Faint, name), pad, gap, f.screen.Paint(r.value.Style, line))
			name = ""
		}
	}
}

// minWrap is the least room for a value: in a narrower window the terminal may break lines itself.
const minWrap = 30

// Wrap breaks a text at its spaces into lines of at most so many columns. A word that is longer stays whole, so that an
// address can be copied. Zero means one line.
func Wrap(text string, columns int) []string {
	if columns <= 0 || Columns(text) <= columns {
		return []string{text}
	}
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && Columns(line)+1+Columns(word) > columns {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
