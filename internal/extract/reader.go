package extract

import (
	"fmt"
	"net/url"
)

const (
	maxList    = 10_000
	maxContent = 64 << 20
	// nodeCost is what a value weighs besides its text: about what it takes in memory.
	nodeCost = 64
	// maxWarnings bounds what a page full of faults can say.
	maxWarnings = 100
)

// reader applies rules to one document and keeps what they met.
type reader struct {
	base       *url.URL
	provenance map[string]string
	warnings   []string
	problems   []problem
	found      bool
	content    int
	// joined are runs of digits in texts of microdata that go over seams, by their digits.
	joined map[string]joinedRun

	// still says why the caller gave up waiting; nil while it waits. effort is the work so far, lookAt how much of it calls
	// for the next look, and nodes are those of a JSON document.
	still                 func() error
	effort, lookAt, nodes int
	// halt is why no more is read, and gaveUp the same if it was the caller's wish.
	halt, gaveUp error
}

// errContent stops a document whose values, repeated by overlapping rules or references, outgrow what a record may be.
var errContent = fmt.Errorf("the document's values exceed %d MiB; narrow the rules", maxContent>>20)

// spend counts a value and its text against what one document may hold.
func (r *reader) spend(values, text int) error {
	r.content += values*nodeCost + text
	if r.content > maxContent {
		return errContent
	}
	return nil
}

func (r *reader) warn(format string, args ...any) {
	switch {
	case len(r.warnings) < maxWarnings:
		r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
	case len(r.warnings) == maxWarnings:
		r.warnings = append(r.warnings, "further warnings were left out")
	}
}

// object reads fields inside a spot. path is the object's place in this document, with indexes; rule is the same
// without them. It says whether any field had a value.
func (r *reader) object(fields []field, in spot, path, rule string) (map[string]any, bool) {
	out := make(map[string]any, len(fields))
	some := false
	for i := range fields {
		f := &fields[i]
		value, found := r.field(f, in, path+f.name, rule+f.name)
		if found {
			r.provenance[rule+f.name] = f.where.String()
			some = true
		}
		if value != nil {
			out[f.name] = value
		}
	}
	return out, some
}

// field reads one field. The value is nil when the field is absent.
func (r *reader) field(f *field, in spot, path, rule string) (any, bool) {
	limit := 1
	if f.list {
		limit = maxList + 1
	}
	before := len(r.problems)
	hits, err := f.where.find(in, limit, r)
	if err == nil {
		err = r.strive(len(hits))
	}
	if err != nil {
		r.problems = append(r.problems, problem{path: path, text: fmt.Sprintf("%s: %v", f.where, err)})
		return nil, false
	}
	var value any
	var found bool
	if f.list {
		value, found = r.list(f, hits, path, rule)
	} else if len(hits) > 0 {
		value, found = r.one(f, hits[0], path, rule)
	}
	if f.required && !found && len(r.problems) == before {
		r.problems = append(r.problems, problem{
			path: path, absent: true, text: fmt.Sprintf("it is required, and %s finds nothing", f.where),
		})
	}
	return value, found
}

// list reads every match. Matches without a value are left out.
func (r *reader) list(f *field, hits []hit, path, rule string) (any, bool) {
	out := []any{}
	if len(hits) > maxList {
		text := fmt.Sprintf("%s finds more than %d values; narrow it", f.where, maxList)
		r.problems = append(r.problems, problem{path: path, text: text})
		return out, false
	}
	before := len(r.problems)
	for i, h := range hits {
		if value, ok := r.one(f, h, fmt.Sprintf("%s[%d]", path, i), rule); ok {
			out = append(out, value)
		}
	}
	if dropped := len(hits) - len(out); dropped > 0 && f.kind == typeObject && len(r.problems) == before {
		r.warn("%s: %d of %d matches of %s held nothing and were left out", path, dropped, len(hits), f.where)
	}
	return out, len(out) > 0
}

// one reads one match.
func (r *reader) one(f *field, h hit, path, rule string) (any, bool) {
	if f.kind == typeObject {
		value, found := r.object(f.fields, h.inner, path+".", rule+".")
		if !found {
			return nil, false
		}
		return value, true
	}
	value, err := r.convert(f, h)
	if err != nil {
		r.problems = append(r.problems, problem{path: path, text: err.Error()})
		return nil, false
	}
	if value != nil && !hollow(value) {
		r.found = true
	}
	return value, value != nil
}

// hollow says that a value is there and holds nothing: such a value alone does not make a page one that has content.
func hollow(value any) bool {
	switch v := value.(type) {
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
