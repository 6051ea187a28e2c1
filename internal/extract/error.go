package extract

import (
	"fmt"
	"strings"

	"github.com/weir-collect/weir/collection"
)

// Error says why a body did not become a document.
type Error struct {
	// Reason is parse_empty, parse_invalid, schema_violation or decode_error.
	Reason collection.Reason
	// Detail says what was found and where, in words for the person who keeps the rules.
	Detail string
	// Fields are the paths of the fields at fault, such as "price" or "quotes[3].text", in the order of the rules.
	// They are empty for a decode_error.
	Fields []string
}

// Error is the reason and the detail.
func (e *Error) Error() string { return string(e.Reason) + ": " + e.Detail }

func decodeError(format string, args ...any) *Error {
	return &Error{Reason: collection.ReasonDecodeError, Detail: fmt.Sprintf(format, args...)}
}

// problem is what is wrong with one field of one document.
type problem struct {
	path string
	text string
	// absent says that the field was not there at all, as opposed to there and wrong.
	absent bool
}

const (
	maxNamedFields   = 100 // fields that an Error names
	maxToldProblems  = 10  // problems that a Detail spells out
	maxQuotedInError = 80  // runes of a response's text that a Detail quotes
)

// fault joins the problems of a document into one error.
func fault(reason collection.Reason, problems []problem) *Error {
	e := &Error{Reason: reason}
	told := make([]string, 0, maxToldProblems)
	seen := map[string]bool{}
	for i, p := range problems {
		if i < maxToldProblems {
			told = append(told, p.path+": "+p.text)
		}
		if !seen[p.path] && len(e.Fields) < maxNamedFields {
			seen[p.path] = true
			e.Fields = append(e.Fields, p.path)
		}
	}
	e.Detail = strings.Join(told, "; ")
	if more := len(problems) - len(told); more > 0 {
		e.Detail += fmt.Sprintf("; and %d more", more)
	}
	return e
}

// quote shows a response's text in an error, cut to a length that logs can bear.
func quote(text string) string {
	runes := []rune(text)
	if len(runes) > maxQuotedInError {
		return fmt.Sprintf("%q", string(runes[:maxQuotedInError])+"…")
	}
	return fmt.Sprintf("%q", text)
}
