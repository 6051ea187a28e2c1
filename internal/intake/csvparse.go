package intake

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// csvParser parses one record at the start of a window into values. Its memory
// is used again for the next record.
type csvParser struct {
	delimiter byte
	keep      int // how many values to keep; more are only counted
	text      []byte
	ends      []int // where each kept value ends in text
	count     int
}

// parse returns the record's length without its line end. Its error is a badRow
// when the record is malformed or larger than maxRow, or the window's failure.
func (p *csvParser) parse(w *window, maxRow int) (size int, err error) {
	p.text, p.ends, p.count = p.text[:0], p.ends[:0], 0
	i := 0
	for {
		if b, _ := w.at(i); b == '"' {
			i, err = p.quoted(w, i+1, maxRow)
		} else {
			i, err = p.plain(w, i, maxRow)
		}
		if err != nil {
			return 0, err
		}
		if i > maxRow {
			return 0, tooLong(maxRow)
		}
		p.count++
		if len(p.ends) < p.keep {
			p.ends = append(p.ends, len(p.text))
		}
		b, ok := w.at(i)
		if !ok {
			return i, w.failure()
		}
		if b != p.delimiter {
			return i, nil
		}
		i++
	}
}

// plain reads a value without quotes up to what ends it.
func (p *csvParser) plain(w *window, i, maxRow int) (int, error) {
	for i <= maxRow {
		held := within(w, maxRow)
		j := i
		for j < len(held) && !p.endsPlain(held[j]) {
			j++
		}
		p.text = append(p.text, held[i:j]...)
		i = j
		switch {
		case j < len(held) && held[j] == '"':
			return 0, badRowf("value %d has a quote inside: put the whole value in quotes and double the quotes in it", p.count+1)
		case j < len(held):
			return i, nil
		case i <= maxRow && !w.more():
			return i, w.failure()
		}
	}
	return 0, tooLong(maxRow)
}

func (p *csvParser) endsPlain(b byte) bool {
	return b == p.delimiter || b == '\n' || b == '\r' || b == '"'
}

// quoted reads a value behind its opening quote up to what follows the closing
// one.
func (p *csvParser) quoted(w *window, i, maxRow int) (int, error) {
	for i <= maxRow {
		held := within(w, maxRow)
		j := bytes.IndexByte(held[i:], '"')
		if j < 0 {
			p.text = append(p.text, held[i:]...)
			i = len(held)
			if i <= maxRow && !w.more() {
				if err := w.failure(); err != nil {
					return 0, err
				}
				return 0, badRowf("the quote that opens value %d is never closed", p.count+1)
			}
			continue
		}
		p.text = append(p.text, held[i:i+j]...)
		i += j + 1
		b, ok := w.at(i)
		switch {
		case ok && b == '"':
			p.text = append(p.text, '"')
			i++
		case !ok:
			return i, w.failure()
		case p.endsPlain(b):
			return i, nil
		default:
			return 0, badRowf("value %d goes on after its closing quote: double the quotes inside a value", p.count+1)
		}
	}
	return 0, badRowf("the row is larger than %d bytes: the quote that opens value %d is not closed before", maxRow, p.count+1)
}

// within is what is held of a row and of the one byte that makes it too long.
// What lies behind may or may not have been read, and must not matter: the same
// file gives the same reasons every time.
func within(w *window, maxRow int) []byte {
	held := w.held()
	return held[:min(len(held), maxRow+1)]
}

// values are the kept values, as parts of one string.
func (p *csvParser) values() []string {
	text := string(p.text)
	values := make([]string, len(p.ends))
	start := 0
	for i, end := range p.ends {
		values[i] = text[start:end]
		start = end
	}
	return values
}

// checkText refuses what is not text, naming the first column at fault.
func (p *csvParser) checkText() error {
	nul := bytes.IndexByte(p.text, 0) >= 0
	if !nul && utf8.Valid(p.text) {
		return nil
	}
	for i, value := range p.values() {
		if strings.IndexByte(value, 0) >= 0 {
			return badRowf("column %d has a NUL byte: the file is binary or damaged", i+1)
		}
		if !utf8.ValidString(value) {
			return badRowf("column %d is not UTF-8: save the file as UTF-8", i+1)
		}
	}
	return badRow("the row is not UTF-8 or has a NUL byte: save the file as UTF-8")
}
