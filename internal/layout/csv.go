package layout

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
)

// CSV writes one part as RFC 4180 has it: a header, lines that end with CR LF, quotes where they are needed, in UTF-8.
// Cells that a spreadsheet would take for a formula are made harmless; see Harmless. A null and a missing field are an empty
// cell, an object or a list is JSON, and a number stands as it stands in the document.
func (t *Table) CSV(w io.Writer, documents []Document) error {
	out := bufio.NewWriter(w)
	titles := make([]string, len(t.columns))
	for i, c := range t.columns {
		titles[i] = Harmless(c.title)
	}
	writeLine(out, titles)
	cells := make([]string, len(t.columns))
	for _, d := range documents {
		for i, c := range t.columns {
			cells[i] = c.cell(d)
		}
		writeLine(out, cells)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write a part as CSV: %w", err)
	}
	return nil
}

// cell is a document's value of the column, harmless.
func (c column) cell(d Document) string {
	if c.field == "" {
		return Harmless(d.own(c.title))
	}
	value := d.values[c.field]
	if kindOf(value) == kindString {
		return Harmless(text(value))
	}
	// Numbers, true, false and JSON begin no formula; a minus is a number's own.
	return text(value)
}

// own is a value that every document has, as text.
func (d Document) own(name string) string {
	switch name {
	case columnRecord:
		return d.Record
	case columnKey:
		return d.Key
	case columnSource:
		return d.Source
	case columnURL:
		return d.URL
	}
	return d.FetchedAt.Format(time.RFC3339Nano)
}

// formula is what a spreadsheet takes for one: a text with one of these characters at its front, in whatever width. Quotes
// before it count too, so that what Harmless does can be undone.
var formula = regexp.MustCompile(`^'*[=+\-@\t\r\n＝＋－＠]`)

// plainNumber is a text that is a signed number and nothing else.
var plainNumber = regexp.MustCompile(`^[+-](?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$`)

// Harmless puts a quote ' before a text that a spreadsheet would take for a formula. A signed number stays as it is.
// Whoever reads the cells by program takes one quote away from every text that, behind its leading quotes, begins with
// = + - @, their full-width forms, a tab or a line break: that is the text as it was.
func Harmless(text string) string {
	if !formula.MatchString(text) || plainNumber.MatchString(text) {
		return text
	}
	return "'" + text
}

// writeLine writes cells; the writer keeps its first error for the end. The standard library's writer can end lines with
// CR LF only by changing those within cells.
func writeLine(out *bufio.Writer, cells []string) {
	for i, cell := range cells {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		// A single empty cell would be an empty line, which readers skip.
		if strings.ContainsAny(cell, "\",\r\n") || strings.TrimSpace(cell) != cell || len(cells) == 1 && cell == "" {
			cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
		}
		_, _ = out.WriteString(cell)
	}
	_, _ = out.WriteString("\r\n")
}
