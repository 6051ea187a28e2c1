package intake

import (
	"errors"
	"strings"
	"unicode"
)

// maxColumns is that of a spreadsheet; it bounds what every row allocates.
const maxColumns = 16384

// delimiters are tried in this order: on a tie the first one wins.
const delimiters = ",;\t|"

// openCSV reads the header. The csvRows is returned with an error too, for its
// position.
func openCSV(w *window, maxRow int) (*csvRows, error) {
	c := &csvRows{w: w, maxRow: maxRow, line: 1}
	c.skipBlankLines()
	delimiter, declared := declaredDelimiter(w)
	if declared {
		c.passLine()
		c.skipBlankLines()
	} else {
		delimiter = detectDelimiter(w, maxRow)
	}
	c.parser = csvParser{delimiter: delimiter, keep: maxColumns}
	line := c.line
	names, err := c.readHeader()
	var bad badRow
	if errors.As(err, &bad) {
		return c, &HeaderError{Line: line, Reason: string(bad)}
	}
	c.header, c.parser.keep = names, len(names)
	return c, err
}

func (c *csvRows) readHeader() ([]string, error) {
	start, ok := c.w.at(0)
	switch {
	case !ok && c.w.failure() != nil:
		return nil, c.w.failure()
	case !ok:
		return nil, badRow("the file is empty: CSV starts with a line of column names")
	case start == '{' || start == '[':
		return nil, badRow("the first line looks like JSON: name the file .jsonl or set the format")
	}
	if _, err := c.record(); err != nil {
		return nil, err
	}
	if err := c.parser.checkText(); err != nil {
		return nil, err
	}
	return columnNames(c.parser.values(), c.parser.count)
}

// declaredDelimiter reads the line "sep=;" that Excel writes and understands.
func declaredDelimiter(w *window) (delimiter byte, ok bool) {
	const length = len("sep=;")
	w.at(length) // so that the line end, if any, is held
	held := w.held()
	if len(held) < length || !strings.EqualFold(string(held[:length-1]), "sep=") {
		return 0, false
	}
	if len(held) > length && !strings.ContainsRune(csvLineEnds, rune(held[length])) {
		return 0, false
	}
	delimiter = held[length-1]
	return delimiter, strings.IndexByte(delimiters, delimiter) >= 0
}

// detectDelimiter takes the candidate that stands most often in the header,
// outside quotes.
func detectDelimiter(w *window, maxRow int) byte {
	var counts [len(delimiters)]int
	quoted := false
	for i := range maxRow {
		b, ok := w.at(i)
		if !ok || !quoted && (b == '\n' || b == '\r') {
			break
		}
		if b == '"' {
			quoted = !quoted
		} else if k := strings.IndexByte(delimiters, b); k >= 0 && !quoted {
			counts[k]++
		}
	}
	best := 0
	for k, n := range counts {
		if n > counts[best] {
			best = k
		}
	}
	return delimiters[best]
}

// columnNames trims the names and refuses a header that is ambiguous or is no
// header.
func columnNames(names []string, count int) ([]string, error) {
	if count > maxColumns {
		return nil, badRowf("the header has %d columns and may have %d", count, maxColumns)
	}
	seen := map[string]int{}
	for i, name := range names {
		name = strings.TrimFunc(name, isInvisible)
		names[i] = name
		if name == "" {
			continue
		}
		if strings.Contains(name, "://") {
			return nil, badRow("the header holds a URL where a column name belongs: write the column names, such as url, in the first line")
		}
		if first, ok := seen[name]; ok {
			return nil, badRowf("columns %d and %d are both named %q: name each column once", first, i+1, excerpt(name))
		}
		seen[name] = i + 1
	}
	if len(seen) == 0 {
		return nil, badRow("no column of the header has a name")
	}
	return names, nil
}

// isInvisible holds for white space and the characters of no width that
// spreadsheets and web pages leave around names.
func isInvisible(r rune) bool {
	return unicode.IsSpace(r) || r == '\ufeff' || '\u200b' <= r && r <= '\u200f' || r == '\u2060'
}
