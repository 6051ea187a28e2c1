package extract

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"
	_ "time/tzdata" // so that a zone is known, and the same, on a host without a zone database

	"github.com/weir-collect/weir/collection"
)

// Compile checks a source's parse rules and makes them ready. schema is the content of the file that rule.Schema names,
// or nil. The error joins every problem; each names its key, such as fields[2].css, and says what to do.
func Compile(rule collection.Parse, schema []byte) (*Rules, error) {
	c := &compiler{kind: documentKind(rule.Type)}
	if !slices.Contains([]documentKind{kindHTML, kindJSON, kindCSV}, c.kind) {
		c.report("type", `is %q; it must be "html", "json" or "csv"`, rule.Type)
	}
	if len(rule.Fields) == 0 {
		c.report("fields", "is empty; name at least one field")
	}
	r := &Rules{kind: c.kind, fields: c.fields("", rule.Fields, "")}
	r.columns = c.columns
	if rule.Schema != "" && schema == nil {
		c.report("schema", "names %q, but the file's content was not given", rule.Schema)
	}
	if schema != nil {
		compiled, err := compileSchema(schema)
		if err != nil {
			c.report("schema", "%v", err)
		}
		r.schema = compiled
	}
	if len(c.problems) > 0 {
		return nil, errors.Join(c.problems...)
	}
	return r, nil
}

// compiler gathers problems while it goes through the rules.
type compiler struct {
	kind     documentKind
	columns  []string
	problems []error
}

func (c *compiler) report(path, format string, args ...any) {
	c.problems = append(c.problems, fmt.Errorf(path+" "+format, args...))
}

// fields compiles fields that stand side by side. parent is the locator's key of the object that holds them, "" at the
// top.
func (c *compiler) fields(prefix string, in []collection.Field, parent string) []field {
	names := map[string]int{}
	out := make([]field, len(in))
	for i, f := range in {
		path := fmt.Sprintf("%sfields[%d]", prefix, i)
		switch first, twice := names[f.Name]; {
		case f.Name == "":
			c.report(path+".name", "is empty; give the field a name")
		case twice:
			c.report(path+".name", "is %q, as is %sfields[%d]; rename one", f.Name, prefix, first)
		default:
			names[f.Name] = i
		}
		out[i] = c.field(path, f, parent)
	}
	return out
}

func (c *compiler) field(path string, f collection.Field, parent string) field {
	out := field{
		name: f.Name, kind: fieldType(f.Type), list: f.List, required: f.Required,
		trim: f.Trim == nil || *f.Trim, decimal: '.', layouts: f.Layouts, zone: time.UTC,
	}
	if out.kind == "" {
		out.kind = typeString
	}
	if !slices.Contains(fieldTypes, out.kind) {
		c.report(path+".type", "is %q; it must be one of %v", f.Type, fieldTypes)
	}
	var key string
	out.where, key = c.locator(path, f, parent)
	c.text(path, f, &out)
	c.moments(path, f, &out)
	c.nested(path, f, &out, key)
	return out
}

// text compiles what shapes a value's text.
func (c *compiler) text(path string, f collection.Field, out *field) {
	if f.Match != "" {
		match, err := regexp.Compile(f.Match)
		if err != nil {
			c.report(path+".match", "is not a regular expression: %v", err)
		}
		out.match = match
	}
	switch {
	case f.Decimal != "" && f.Decimal != "." && f.Decimal != ",":
		c.report(path+".decimal", `is %q; it must be "." or ","`, f.Decimal)
	case f.Decimal != "" && !out.isNumeric():
		c.report(path+".decimal", "is set, but the type is %q; leave it out, or make the type number", out.kind)
	case f.Decimal != "":
		out.decimal, out.decimalSet = f.Decimal[0], true
	}
}

// moments compiles what reads dates.
func (c *compiler) moments(path string, f collection.Field, out *field) {
	isMoment := out.kind == typeDate || out.kind == typeDatetime
	for i, layout := range f.Layouts {
		if err := checkLayout(layout, out.kind); err != nil {
			c.report(fmt.Sprintf("%s.layouts[%d]", path, i), "%v", err)
		}
	}
	if len(f.Layouts) > 0 && !isMoment {
		c.report(path+".layouts", "is set, but the type is %q; leave it out, or make the type date or datetime", out.kind)
	}
	if f.Zone == "" {
		return
	}
	if !isMoment {
		c.report(path+".zone", "is set, but the type is %q; leave it out, or make the type date or datetime", out.kind)
	}
	zone, err := time.LoadLocation(f.Zone)
	if err != nil || f.Zone == "Local" { // "Local" would make a document depend on the machine
		c.report(path+".zone", `is %q, which is no time zone; write a name such as "Europe/London"`, f.Zone)
		return
	}
	out.zone = zone
}

// nested compiles the fields of an object.
func (c *compiler) nested(path string, f collection.Field, out *field, key string) {
	if out.kind != typeObject {
		if len(f.Fields) > 0 {
			c.report(path+".fields", "is set, but the type is %q; make the type object, or leave them out", out.kind)
		}
		return
	}
	if len(f.Fields) == 0 {
		c.report(path+".fields", "is empty; an object needs at least one field")
	}
	for _, text := range []struct {
		key string
		set bool
	}{{"attribute", f.Attribute != ""}, {"match", f.Match != ""}, {"trim", f.Trim != nil}} {
		if text.set {
			c.report(path+"."+text.key, "is set, but an object has no text; set it on the object's fields")
		}
	}
	out.fields = c.fields(path+".", f.Fields, key)
}
