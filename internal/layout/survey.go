package layout

import "slices"

// Survey is the first pass over a delivery: which fields there are, and what their values are.
type Survey struct {
	declared []string
	types    map[string]string
	names    []string
	seen     map[string]*field
}

// field is what was seen of one field's values.
type field struct{ kinds [kindNested + 1]bool }

// empty says that there were no values but null.
func (f *field) empty() bool { return f.only() }

// only says whether every value was null or of one of some kinds.
func (f *field) only(kinds ...kind) bool {
	for k, seen := range f.kinds {
		if seen && kind(k) != kindNull && !slices.Contains(kinds, kind(k)) {
			return false
		}
	}
	return true
}

// NewSurvey begins one. columns are the declared ones; without any, the table has every field that is seen, in the order in
// which it is. types are the types that parse rules declare for fields.
func NewSurvey(columns []string, types map[string]string) *Survey {
	return &Survey{declared: columns, types: types, seen: map[string]*field{}}
}

// See takes a document into account.
func (s *Survey) See(d Document) {
	for _, name := range d.names {
		f := s.seen[name]
		if f == nil {
			f = &field{}
			s.seen[name] = f
			s.names = append(s.names, name)
		}
		f.kinds[kindOf(d.values[name])] = true
	}
}

// column is one of a table.
type column struct {
	// title is its name in the table.
	title string
	// field is the name of the document's field; empty for what every document has.
	field string
	typ   columnType
}

// Table is what a survey has found: the columns of every part.
type Table struct{ columns []column }

// Table ends the survey.
func (s *Survey) Table() *Table {
	if len(s.declared) > 0 {
		return s.declaredTable()
	}
	t := &Table{}
	taken := map[string]bool{}
	for _, name := range own {
		t.columns = append(t.columns, ownColumn(name))
		taken[name] = true
	}
	for _, name := range s.names {
		if !slices.Contains(own, name) {
			taken[name] = true
		}
	}
	for _, name := range s.names {
		title := name
		// A field that is called as one of the document's own columns steps aside.
		for slices.Contains(own, name) && taken[title] {
			title = "field_" + title
		}
		taken[title] = true
		t.columns = append(t.columns, column{title: title, field: name, typ: s.typeOf(name)})
	}
	return t
}

func (s *Survey) declaredTable() *Table {
	t := &Table{}
	for _, name := range s.declared {
		if slices.Contains(own, name) {
			t.columns = append(t.columns, ownColumn(name))
		} else {
			t.columns = append(t.columns, column{title: name, field: name, typ: s.typeOf(name)})
		}
	}
	return t
}

func ownColumn(name string) column {
	c := column{title: name, typ: typeText}
	if name == columnFetchedAt {
		c.typ = typeTime
	}
	return c
}

// columnType is what a column of a Parquet file holds.
type columnType int

const (
	typeText columnType = iota
	typeBool
	typeInteger
	typeNumber
	typeTime
)

// typeOf is a type that holds every value of a field unchanged. The parse rules decide where the values allow it, so that
// the type of a column does not change from one delivery to the next with what was seen.
func (s *Survey) typeOf(name string) columnType {
	f := s.seen[name]
	if f == nil || f.empty() {
		return declaredTypes[s.types[name]]
	}
	switch {
	case s.types[name] == "integer" && f.only(kindInteger, kindWide):
		return typeInteger
	case f.only(kindInteger, kindNumber):
		return typeNumber
	case f.only(kindBool):
		return typeBool
	}
	return typeText
}

// declaredTypes are the types of parse rules that are not text.
var declaredTypes = map[string]columnType{"integer": typeInteger, "number": typeNumber, "boolean": typeBool}
