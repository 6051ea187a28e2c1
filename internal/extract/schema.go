package extract

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/weir-collect/weir/collection"
)

// schemaAddress is the base of a schema's own references. Nothing is ever loaded from it.
const schemaAddress = "weir:///schema.json"

// noLoader refuses every reference that leads out of the schema. The standard's own metaschemas are built in.
type noLoader struct{}

// Load always fails.
func (noLoader) Load(address string) (any, error) {
	return nil, fmt.Errorf("%s is outside the schema file, and references are not fetched; move it under $defs", address)
}

// compileSchema reads a JSON Schema; draft 2020-12 where it names none. Formats are checked.
func compileSchema(text []byte) (*jsonschema.Schema, error) {
	document, err := parseJSON(string(text), refuseDuplicates)
	if err != nil {
		return nil, fmt.Errorf("is not JSON: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.AssertFormat()
	if err := c.AddResource(schemaAddress, document); err != nil {
		return nil, fmt.Errorf("is not a JSON Schema: %w", err)
	}
	schema, err := c.Compile(schemaAddress)
	if err != nil {
		return nil, fmt.Errorf("is not a JSON Schema: %w", err)
	}
	return schema, nil
}

// checkSchema says where a document breaks its schema.
func checkSchema(schema *jsonschema.Schema, fields map[string]any) error {
	if schema == nil {
		return nil
	}
	err := schema.Validate(fields)
	var violation *jsonschema.ValidationError
	if err == nil {
		return nil
	}
	if !errors.As(err, &violation) {
		return fault(collection.ReasonSchemaViolation, []problem{{path: "document", text: err.Error()}})
	}
	problems := leaves(violation, message.NewPrinter(language.English))
	slices.SortFunc(problems, func(a, b problem) int {
		return strings.Compare(a.path+"\x00"+a.text, b.path+"\x00"+b.text)
	})
	return fault(collection.ReasonSchemaViolation, slices.Compact(problems))
}

// leaves are the innermost causes: what the outer ones say is only that an inner one failed.
func leaves(e *jsonschema.ValidationError, p *message.Printer) []problem {
	if len(e.Causes) == 0 {
		path := strings.Join(e.InstanceLocation, ".")
		if path == "" {
			path = "document"
		}
		return []problem{{path: path, text: clip(e.ErrorKind.LocalizedString(p))}}
	}
	var out []problem
	for _, cause := range e.Causes {
		out = append(out, leaves(cause, p)...)
	}
	return out
}

const maxLeafText = 200 // runes of one violation's text, which may hold the value itself

func clip(text string) string {
	if runes := []rune(text); len(runes) > maxLeafText {
		return string(runes[:maxLeafText]) + "…"
	}
	return text
}
