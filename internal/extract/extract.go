package extract

import (
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/weir-collect/weir/collection"
)

// Input is one captured response.
type Input struct {
	// Body is the response's body after content decoding. Its size is for the caller to bound.
	Body []byte
	// ContentType is the Content-Type header, as it was received.
	ContentType string
	// URL is the address that answered, after redirects: the base of relative addresses.
	URL string
	// Still is asked now and then whether the caller still waits: its error, which says why not, ends the reading and comes
	// back from Apply, wrapped. Nil waits for ever.
	Still func() error
}

// Result is a document.
type Result struct {
	// Fields are ready for encoding/json: string, bool, json.Number, nil, []any and map[string]any.
	Fields map[string]any
	// Provenance says of each field that has a value which rule found it: "price" → "css p.price". A field of an
	// object stands under the object's name: "quotes.text".
	Provenance map[string]string
	// Missing are the fields of the document itself that have no value, in the order of the rules.
	Missing []string
	// Warnings are faults of the response that did not cost a value, in the order in which they were met.
	Warnings []string
}

// Rules are a source's parse rules, checked and ready. They may be used by several goroutines at once.
type Rules struct {
	kind    documentKind
	fields  []field
	columns []string
	schema  *jsonschema.Schema
}

// documentKind is what a response is read as.
type documentKind string

const (
	kindHTML documentKind = "html"
	kindJSON documentKind = "json"
	kindCSV  documentKind = "csv"
)

// Apply reads the fields out of a body. A failure is an *Error, unless it is that of in.Still.
func (r *Rules) Apply(in Input) (Result, error) {
	base, _ := url.Parse(in.URL)
	rd := &reader{base: base, provenance: map[string]string{}, still: in.Still}
	root, err := r.open(in, rd)
	switch {
	case rd.gaveUp != nil:
		return Result{}, rd.gaveUp
	case rd.halt != nil:
		return Result{}, &Error{Reason: collection.ReasonParseInvalid, Detail: rd.halt.Error()}
	case err != nil:
		return Result{}, err
	}
	fields, _ := rd.object(r.fields, root, "", "")
	if rd.look() != nil && rd.gaveUp != nil {
		return Result{}, rd.gaveUp
	}
	if err := rd.verdict(r.fields); err != nil {
		return Result{}, err
	}
	if err := checkSchema(r.schema, fields); err != nil {
		return Result{}, err
	}
	return Result{Fields: fields, Provenance: rd.provenance, Missing: r.missing(rd.provenance), Warnings: rd.warnings}, nil
}

// missing are the fields that no rule has found.
func (r *Rules) missing(found map[string]string) []string {
	var names []string
	for _, f := range r.fields {
		if _, ok := found[f.name]; !ok {
			names = append(names, f.name)
		}
	}
	return names
}

// open decodes the body into the place where the top fields are looked up.
func (r *Rules) open(in Input, rd *reader) (spot, error) {
	var err error
	if in.Body, err = unpack(in.Body, rd); err != nil {
		return spot{}, err
	}
	switch r.kind {
	case kindHTML:
		page, err := openPage(in, rd)
		if err != nil {
			return spot{}, err
		}
		return spot{page: page, node: page.root}, nil
	case kindJSON:
		value, err := openJSON(in, rd)
		return spot{value: value}, err
	default:
		table, err := openTable(in, r.columns, rd)
		if err != nil {
			return spot{}, err
		}
		return spot{table: table, rows: table.rows}, nil
	}
}

// verdict turns what the reader met into the document's failure, if it is one.
func (r *reader) verdict(fields []field) error {
	invalid := false
	for _, p := range r.problems {
		invalid = invalid || !p.absent
	}
	var failure *Error
	switch {
	case !r.found && !invalid:
		failure = &Error{Reason: collection.ReasonParseEmpty, Detail: "no rule found anything in the response"}
		for _, f := range fields {
			failure.Fields = append(failure.Fields, f.name)
		}
	case len(r.problems) > 0:
		failure = fault(collection.ReasonParseInvalid, r.problems)
	default:
		return nil
	}
	if len(r.warnings) > 0 {
		failure.Detail += " (" + strings.Join(r.warnings[:min(len(r.warnings), maxToldProblems)], "; ") + ")"
	}
	return failure
}
