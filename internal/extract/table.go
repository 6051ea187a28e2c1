package extract

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
)

// table is a CSV document: a header and rows of as many cells.
type table struct {
	header []string
	// at is where a column stands.
	at map[string]int
	// rows are no more than a list needs to see that there are too many.
	rows [][]string
}

// maxColumns bounds a header.
const maxColumns = 10_000

// delimiters are what parts the cells of a CSV document, the usual one first.
var delimiters = []rune{',', ';', '\t'}

// openTable reads a CSV document. Where the rules do not find their columns under a header parted by commas, semicolons
// or tabs are tried, for that is what spreadsheets write in countries with a decimal comma.
func openTable(in Input, columns []string, rd *reader) (*table, error) {
	text, err := decodeData(in)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(text, "\n") {
		text = strings.ReplaceAll(text, "\r", "\n")
	}
	t := &table{}
	r := csv.NewReader(strings.NewReader(text))
	r.Comma = delimiterOf(text, columns)
	for {
		row, err := r.Read()
		if halt := rd.strive(1 + len(row)); halt != nil {
			return nil, halt
		}
		switch {
		case errors.Is(err, io.EOF):
			return t, nil
		case errors.Is(err, csv.ErrFieldCount):
			line, _ := r.FieldPos(0)
			return nil, decodeError("line %d of the CSV document has %d cells, its header has %d", line, len(row), len(t.header))
		case err != nil:
			return nil, decodeError("the body is not CSV: %v", err)
		case t.header == nil:
			if err = t.head(row, columns); err != nil {
				return nil, err
			}
		case len(t.rows) <= maxList:
			t.rows = append(t.rows, row)
		default:
			r.ReuseRecord = true // what follows is only checked
		}
	}
}

// head takes in a header, cleaned, and refuses it if a column that the rules ask for stands in it twice.
func (t *table) head(row, columns []string) error {
	if len(row) > maxColumns {
		return decodeError("the header of the CSV document has %d columns; at most %d are read", len(row), maxColumns)
	}
	t.header, t.at = make([]string, len(row)), make(map[string]int, len(row))
	for i, cell := range row {
		name := clean(cell)
		t.header[i] = name
		if _, twice := t.at[name]; !twice {
			t.at[name] = i
		} else if slices.Contains(columns, name) {
			return decodeError("the column %s stands twice in the header", quote(name))
		}
	}
	return nil
}

// delimiterOf is the delimiter under which the header has the most of the columns that the rules ask for.
func delimiterOf(text string, columns []string) rune {
	best, most := delimiters[0], 0
	for _, d := range delimiters {
		r := csv.NewReader(strings.NewReader(text))
		r.Comma = d
		row, err := r.Read()
		if err != nil {
			continue
		}
		found := 0
		for _, cell := range row {
			if slices.Contains(columns, clean(cell)) {
				found++
			}
		}
		if found > most {
			best, most = d, found
		}
	}
	return best
}

// columnLocator finds the cells of a column.
type columnLocator struct{ name string }

// String is the column.
func (l columnLocator) String() string { return "column " + l.name }

func (l columnLocator) find(in spot, limit int, rd *reader) ([]hit, error) {
	at, ok := in.table.at[l.name]
	if !ok {
		return nil, nil
	}
	var hits []hit
	for _, row := range in.rows[:min(limit, len(in.rows))] {
		hits = append(hits, hit{text: row[at], plain: true})
	}
	return hits, rd.spend(len(hits), 0)
}

// rowLocator finds rows, for an object whose fields are columns.
type rowLocator struct{}

// String says that the object is a row.
func (rowLocator) String() string { return "row" }

func (rowLocator) find(in spot, limit int, rd *reader) ([]hit, error) {
	var hits []hit
	for i := range in.rows[:min(limit, len(in.rows))] {
		hits = append(hits, hit{inner: spot{table: in.table, rows: in.rows[i : i+1]}})
	}
	return hits, rd.spend(len(hits), 0)
}
