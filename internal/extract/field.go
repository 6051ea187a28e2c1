package extract

import (
	"fmt"
	"regexp"
	"time"

	"golang.org/x/net/html"
)

// fieldType is what a value must be.
type fieldType string

const (
	typeString   fieldType = "string"
	typeInteger  fieldType = "integer"
	typeNumber   fieldType = "number"
	typeBoolean  fieldType = "boolean"
	typeDate     fieldType = "date"
	typeDatetime fieldType = "datetime"
	typeURL      fieldType = "url"
	typeObject   fieldType = "object"
	typeAny      fieldType = "any"
)

var fieldTypes = []fieldType{
	typeString, typeInteger, typeNumber, typeBoolean, typeDate, typeDatetime, typeURL, typeObject, typeAny,
}

// field is one compiled rule.
type field struct {
	name     string
	kind     fieldType
	list     bool
	required bool
	where    locator
	match    *regexp.Regexp
	trim     bool
	decimal  byte
	// decimalSet says that the rule names the decimal separator, so that it is not only the usual one.
	decimalSet bool
	layouts    []string
	zone       *time.Location
	fields     []field
}

// isNumeric says that the field is a number.
func (f *field) isNumeric() bool { return f.kind == typeNumber || f.kind == typeInteger }

// notation is what the rule says of how its numbers are written.
func (f *field) notation() notation { return notation{decimal: f.decimal, set: f.decimalSet} }

// locator finds the places of a field's values.
type locator interface {
	// find gives the matches inside a spot in the order of the document, at most limit of them.
	find(in spot, limit int, rd *reader) ([]hit, error)
	// String names the rule, for provenance and errors.
	fmt.Stringer
}

// spot is a place to look in: an element of a page, a JSON value, or rows of a table. A page's own spot has the
// document node; a spot inside JSON-LD or microdata has only a value.
type spot struct {
	page  *page
	node  *html.Node
	value any
	table *table
	rows  [][]string
}

// hit is one match: a text, or a JSON value, and the spot in which the fields of an object are looked up.
type hit struct {
	text  string
	value any
	// plain says that the match is text; otherwise it is value, where nil stands for nothing.
	plain bool
	// from is the element whose text it is; nil for any other text.
	from  *html.Node
	inner spot
}
