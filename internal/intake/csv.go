package intake

import (
	"bytes"
	"errors"
	"io"
)

// csvLineEnds are what ends a line of CSV: LF, CR LF, or CR alone as old
// spreadsheets write it.
const csvLineEnds = "\r\n"

// csvRows reads RFC 4180. It is not encoding/csv because that reader has no
// bound on a row, swallows everything behind an unclosed quote, does not know
// CR alone, changes CR LF inside quotes, and counts lines only as it reports
// errors.
type csvRows struct {
	w      *window
	maxRow int
	line   int // physical line at the start of w
	header []string
	parser csvParser
}

func (c *csvRows) position() int     { return c.line }
func (c *csvRows) columns() []string { return append([]string(nil), c.header...) }

func (c *csvRows) next() (Row, error) {
	c.skipBlankLines()
	if _, ok := c.w.at(0); !ok {
		return Row{}, endOf(c.w)
	}
	line := c.line
	size, err := c.rowRecord()
	if err == nil {
		var fields map[string]any
		if fields, err = c.fields(); err == nil {
			return Row{Line: line, Fields: fields, Size: size}, nil
		}
	}
	var bad badRow
	if errors.As(err, &bad) {
		err = &RowError{Line: line, Reason: string(bad)}
	}
	return Row{}, err
}

func endOf(w *window) error {
	if err := w.failure(); err != nil {
		return err
	}
	return io.EOF
}

func (c *csvRows) skipBlankLines() {
	for {
		b, ok := c.w.at(0)
		if !ok || b != '\r' && b != '\n' {
			return
		}
		c.w.drop(c.w.lineEnd(0))
		c.line++
	}
}

// rowRecord is record for a row: only there is a byte order mark a sign that a
// second file, with a header of its own, begins.
func (c *csvRows) rowRecord() (size int, err error) {
	c.w.at(len(byteOrderMark))
	if bytes.HasPrefix(c.w.held(), []byte(byteOrderMark)) {
		c.passLine()
		return 0, badRow("the row starts with a byte order mark: files were joined, remove the mark and the second header")
	}
	return c.record()
}

// passLine moves behind the first physical line of a malformed row.
func (c *csvRows) passLine() {
	c.w.skipLine(csvLineEnds)
	c.line++
}

// record parses one record into c.parser and moves behind it. After a badRow
// only the first physical line has been passed.
func (c *csvRows) record() (size int, err error) {
	size, err = c.parser.parse(c.w, c.maxRow)
	var bad badRow
	if errors.As(err, &bad) {
		c.passLine()
		return 0, err
	}
	if err != nil {
		return 0, err
	}
	next := size
	if _, ok := c.w.at(size); ok {
		next += c.w.lineEnd(size)
	}
	c.line += countLineEnds(c.w.held()[:next])
	c.w.drop(next)
	return size, nil
}

// countLineEnds counts LF, CR LF and CR alone.
func countLineEnds(text []byte) int {
	n := bytes.Count(text, []byte{'\n'})
	for {
		i := bytes.IndexByte(text, '\r')
		if i < 0 {
			return n
		}
		text = text[i+1:]
		if len(text) == 0 || text[0] != '\n' {
			n++
		}
	}
}

// fields gives the values of the parsed record their names.
func (c *csvRows) fields() (map[string]any, error) {
	if err := c.parser.checkText(); err != nil {
		return nil, err
	}
	if c.parser.count != len(c.header) {
		return nil, badRowf("the row has %d values and the header has %d columns", c.parser.count, len(c.header))
	}
	fields := make(map[string]any, len(c.header))
	for i, value := range c.parser.values() {
		if name := c.header[i]; name != "" {
			fields[name] = value
		} else if value != "" {
			return nil, badRowf("column %d has a value and no name in the header", i+1)
		}
	}
	return fields, nil
}
