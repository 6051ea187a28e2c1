package intake

import (
	"bytes"
	"errors"
)

// jsonRows reads JSON Lines. A line ends with LF; a CR before it is white space
// of JSON, and so is any other CR.
type jsonRows struct {
	w      *window
	maxRow int
	line   int // physical line at the start of w
	seen   bool
}

func (j *jsonRows) position() int     { return j.line }
func (j *jsonRows) columns() []string { return nil }

func (j *jsonRows) next() (Row, error) {
	for {
		line := j.line
		text, next, err := j.readLine()
		var bad badRow
		if errors.As(err, &bad) {
			if !j.seen && startsArray(j.w.held()) {
				bad = wholeArray
			}
			j.w.skipLine("\n")
			j.line++
			j.seen = true
			return Row{}, &RowError{Line: line, Reason: string(bad)}
		}
		if err != nil {
			return Row{}, err
		}
		j.line++
		if isBlank(text) {
			j.w.drop(next)
			continue
		}
		first := !j.seen
		j.seen = true
		fields, err := parseRow(text, first)
		size := len(text)
		j.w.drop(next)
		if errors.As(err, &bad) {
			return Row{}, &RowError{Line: line, Reason: string(bad)}
		}
		return Row{Line: line, Fields: fields, Size: size}, err
	}
}

// readLine finds the line at the start of the window: its text without the line
// end, and its length with it.
func (j *jsonRows) readLine() (text []byte, next int, err error) {
	searched := 0
	for {
		held := j.w.held()
		if i := bytes.IndexByte(held[searched:], '\n'); i >= 0 {
			text, next = held[:searched+i], searched+i+1
			break
		}
		searched = len(held)
		if searched > j.maxRow+1 { // one more for the CR of a CR LF
			return nil, 0, tooLong(j.maxRow)
		}
		if !j.w.more() {
			if searched == 0 || j.w.failure() != nil {
				return nil, 0, endOf(j.w)
			}
			text, next = held, searched
			break
		}
	}
	if n := len(text); n > 0 && text[n-1] == '\r' {
		text = text[:n-1]
	}
	if len(text) > j.maxRow {
		return nil, 0, tooLong(j.maxRow)
	}
	return text, next, nil
}

// isBlank holds for nothing but the white space of JSON (RFC 8259 section 2).
func isBlank(text []byte) bool { return len(trimJSON(text)) == 0 }

func trimJSON(text []byte) []byte { return bytes.Trim(text, " \t\r\n") }

// startsArray says whether a text begins like a JSON array.
func startsArray(text []byte) bool {
	text = trimJSON(text)
	return len(text) > 0 && text[0] == '['
}
