package intake

import (
	"errors"
	"fmt"
)

// ErrTooLarge is wrapped by the *FileError of a file that decodes to more than
// Options.MaxDecoded bytes.
var ErrTooLarge = errors.New("the file is too large once decompressed")

// RowError is one malformed row. The rows after it can be read.
type RowError struct {
	// Line is the physical line on which the row starts, from 1.
	Line int
	// Reason is one sentence for the person who made the file.
	Reason string
}

// Error implements error.
func (e *RowError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// HeaderError is a CSV header that leaves the meaning of every row open: no row
// of the file can be read.
type HeaderError struct {
	// Name is the file's name, or empty.
	Name string
	// Line is the physical line of the header, from 1.
	Line int
	// Reason is one sentence for the person who made the file.
	Reason string
}

// Error implements error.
func (e *HeaderError) Error() string {
	return fmt.Sprintf("%s: line %d: %s", nameOf(e.Name), e.Line, e.Reason)
}

// FileError ends a file: nothing after it can be read.
type FileError struct {
	// Name is the file's name, or empty.
	Name string
	// Line is the physical line that could not be read, from 1.
	Line int
	// Bytes is how much of the file, as stored, had been read.
	Bytes int64
	// ReadFailed says that the bytes could not be fetched, so that reading
	// again may help. Otherwise the file itself is at fault.
	ReadFailed bool
	// Err is the cause.
	Err error
}

// Error implements error.
func (e *FileError) Error() string {
	what := "the file cannot be used"
	if e.ReadFailed {
		what = "reading failed"
	}
	return fmt.Sprintf("%s: %s from line %d on (%d bytes read): %v", nameOf(e.Name), what, e.Line, e.Bytes, e.Err)
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

func nameOf(name string) string {
	if name == "" {
		return "the file"
	}
	return name
}

// badRow is why a row is malformed, before its line is known.
type badRow string

// Error implements error.
func (b badRow) Error() string { return string(b) }

func badRowf(format string, args ...any) error { return badRow(fmt.Sprintf(format, args...)) }

func tooLong(limit int) error {
	return badRowf("the row is larger than %d bytes", limit)
}

// excerptMax keeps a reason readable when a name is a whole page.
const excerptMax = 60

func excerpt(s string) string {
	if len(s) <= excerptMax {
		return s
	}
	return s[:excerptMax] + "..."
}
