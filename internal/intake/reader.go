package intake

import (
	"bufio"
	"errors"
	"io"
)

// Row is one well-formed row.
type Row struct {
	// Line is the physical line on which the row starts, from 1.
	Line int
	// Fields are the row's values by column name or key. In CSV every value is
	// a string. In JSON they are what encoding/json makes of them, with numbers
	// as json.Number.
	Fields map[string]any
	// Size is the row's length in bytes once decoded, without its line end.
	Size int
}

// Position is how far a Reader has come.
type Position struct {
	// Rows is the number of rows returned by Next, malformed ones included.
	Rows int64
	// Line is the physical line that is read next, from 1.
	Line int
	// Bytes is how much of the file, as stored, has been read. It runs ahead of
	// the rows by the buffers in between, at most a few hundred kilobytes.
	Bytes int64
}

// rowSource is one format.
type rowSource interface {
	// next returns a row, a *RowError, io.EOF, or the error that ends the file.
	next() (Row, error)
	// position is the physical line that next looks at.
	position() int
	// columns are the names in the header, or nil.
	columns() []string
}

// Reader reads the rows of one file. It must not be used by two goroutines at
// the same time.
type Reader struct {
	name   string
	source *source
	rows   rowSource
	count  int64
	err    error
}

// Open detects compression, charset and format and reads the header, if there
// is one. Its errors are *HeaderError, *FileError, or an error in opts. The
// Reader does not close r.
func Open(r io.Reader, opts Options) (*Reader, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	reader := &Reader{name: opts.Name, source: &source{r: r}}
	w, err := decode(reader.source, opts)
	if err != nil {
		return nil, reader.fileError(1, err)
	}
	if opts.Format == "" {
		opts.Format = formatByText(w)
	}
	if opts.Format == FormatJSONL {
		reader.rows = &jsonRows{w: w, maxRow: int(opts.MaxRow), line: 1}
		return reader, nil
	}
	rows, err := openCSV(w, int(opts.MaxRow))
	var header *HeaderError
	if errors.As(err, &header) {
		header.Name = opts.Name
		return nil, header
	}
	if err != nil {
		return nil, reader.fileError(rows.line, err)
	}
	reader.rows = rows
	return reader, nil
}

// decode puts the layers between the stored bytes and the text of the rows.
func decode(s *source, opts Options) (*window, error) {
	plain, err := decompress(bufio.NewReaderSize(s, readAhead))
	if err != nil {
		return nil, err
	}
	text, err := toUTF8(bufio.NewReaderSize(limit(plain, opts.MaxDecoded), readAhead))
	if err != nil {
		return nil, err
	}
	return newWindow(text), nil
}

// Next returns the next row. A *RowError is a malformed row: call Next again.
// io.EOF is the end of the file. Any other error is a *FileError and final.
func (r *Reader) Next() (Row, error) {
	if r.err != nil {
		return Row{}, r.err
	}
	row, err := r.rows.next()
	var bad *RowError
	switch {
	case err == nil || errors.As(err, &bad):
		r.count++
	case err == io.EOF:
		r.err = err
	default:
		r.err = r.fileError(r.rows.position(), err)
		err = r.err
	}
	return row, err
}

// Header returns the column names of a CSV file in their order, trimmed, with
// an empty text for a column without a name; nil for JSON Lines.
func (r *Reader) Header() []string { return r.rows.columns() }

// Position tells how far the Reader has come, for heartbeats and progress.
func (r *Reader) Position() Position {
	return Position{Rows: r.count, Line: r.rows.position(), Bytes: r.source.bytes}
}

func (r *Reader) fileError(line int, err error) *FileError {
	failed := &FileError{Name: r.name, Line: line, Bytes: r.source.bytes, Err: err}
	if cause := r.source.failure(); cause != nil {
		failed.ReadFailed, failed.Err = true, cause
	}
	return failed
}
