package extract

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/itchyny/gojq"
)

// worldly are jq functions that reach beyond the document: to the environment, to other inputs, to the clock and the
// zone of the machine, or out of the program. A document must follow from its response alone.
var worldly = map[string]bool{
	"env": true, "$ENV": true, "input": true, "inputs": true, "input_filename": true, "input_line_number": true,
	"now": true, "localtime": true, "strflocaltime": true, "halt": true, "halt_error": true, "debug": true,
	"stderr": true, "modulemeta": true, "get_search_list": true,
}

// compileJQ compiles an expression.
func compileJQ(source string) (*gojq.Code, error) {
	query, err := gojq.Parse(source)
	if err != nil {
		return nil, fmt.Errorf("is not a jq expression: %w", err)
	}
	if name := worldlyCall(reflect.ValueOf(query)); name != "" {
		return nil, fmt.Errorf("must not use %s: a document follows from its response alone", name)
	}
	if len(query.Imports) > 0 {
		return nil, errors.New("must not import modules")
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, fmt.Errorf("does not compile: %w", err)
	}
	return code, nil
}

// worldlyCall walks a syntax tree, whatever its node types, and gives the first forbidden name.
func worldlyCall(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if f, ok := v.Interface().(*gojq.Func); ok && f != nil && worldly[f.Name] {
			return f.Name
		}
		if !v.IsNil() {
			return worldlyCall(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if name := worldlyCall(v.Field(i)); name != "" {
				return name
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if name := worldlyCall(v.Index(i)); name != "" {
				return name
			}
		}
	}
	return ""
}
