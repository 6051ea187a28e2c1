package extract

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

func schemaRules(t testing.TB, schema string) *Rules {
	t.Helper()
	rules, err := Compile(collection.Parse{Type: "json", Schema: "item.json", Fields: []collection.Field{
		{Name: "price", JQ: ".price", Type: "any"},
		{Name: "sizes", JQ: ".sizes", Type: "any"},
		{Name: "day", JQ: ".day", Type: "any"},
	}}, []byte(schema))
	require.NoError(t, err)
	return rules
}

const itemSchema = `{"type": "object", "required": ["price"], "properties": {
	"price": {"type": "number", "minimum": 0, "multipleOf": 0.01},
	"sizes": {"type": "array", "items": {"$ref": "#/$defs/size"}},
	"day": {"type": "string", "format": "date"}}, "$defs": {"size": {"type": "integer"}}}`

func TestSchemaHolds(t *testing.T) {
	t.Parallel()
	got, err := schemaRules(t, itemSchema).Apply(Input{Body: []byte(`{"price": 0.07, "sizes": [1, 12345678901234567890], "day": "2024-02-29"}`)})
	require.NoError(t, err)
	requireFields(t, `{"price":0.07,"sizes":[1,12345678901234567890],"day":"2024-02-29"}`, got.Fields)
}

func TestSchemaViolations(t *testing.T) {
	t.Parallel()
	for body, fields := range map[string][]string{
		`{"price": -1}`:                         {"price"},
		`{"price": 0.075}`:                      {"price"},
		`{"sizes": [1]}`:                        {"document"},
		`{"price": 1, "sizes": [1, "x", 2.5]}`:  {"sizes.1", "sizes.2"},
		`{"price": 1, "day": "2024-02-30"}`:     {"day"},
		`{"price": "a", "sizes": {}, "day": 5}`: {"day", "price", "sizes"},
		`{"price": 1e1000, "sizes": [1e-1000]}`: {"sizes.0"},
	} {
		rules := schemaRules(t, itemSchema)
		_, err := rules.Apply(Input{Body: []byte(body)})
		failure := requireFailure(t, err, collection.ReasonSchemaViolation)
		require.Equal(t, fields, failure.Fields, body)
		for range 20 {
			_, again := rules.Apply(Input{Body: []byte(body)})
			require.Equal(t, err, again, "a violation reads the same every time")
		}
	}
}

func TestBadSchemas(t *testing.T) {
	t.Parallel()
	for schema, why := range map[string]string{
		``:                                       "schema is not JSON",
		`{`:                                      "schema is not JSON",
		`{"type": "strin"}`:                      "schema is not a JSON Schema",
		`{"pattern": "("}`:                       "schema is not a JSON Schema",
		`{"$ref": "https://example.com/s.json"}`: "references are not fetched",
		`{"$ref": "other.json"}`:                 "references are not fetched",
		`{"$ref": "file:///etc/hostname"}`:       "references are not fetched",
		`{"$ref": "#/$defs/none"}`:               "schema is not a JSON Schema",
		`{"$schema": "https://example.com/my"}`:  "references are not fetched",
	} {
		_, err := Compile(collection.Parse{Type: "json", Fields: []collection.Field{{Name: "a", JQ: "."}}}, []byte(schema))
		require.ErrorContains(t, err, why, schema)
	}
	_, err := Compile(collection.Parse{Type: "json", Schema: "s.json", Fields: []collection.Field{{Name: "a", JQ: "."}}}, nil)
	require.ErrorContains(t, err, `schema names "s.json"`)
}

func TestSchemaOfEveryDraft(t *testing.T) {
	t.Parallel()
	for _, draft := range []string{
		"http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#",
		"http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema",
		"https://json-schema.org/draft/2020-12/schema",
	} {
		rules := schemaRules(t, `{"$schema": "`+draft+`", "properties": {"day": {"format": "date"}}}`)
		_, err := rules.Apply(Input{Body: []byte(`{"day": "soon"}`)})
		requireFailure(t, err, collection.ReasonSchemaViolation)
	}
}

func TestViolationsAreBrief(t *testing.T) {
	t.Parallel()
	rules := schemaRules(t, `{"properties": {"price": {"enum": ["a"]}, "day": {"pattern": "^x"}, "sizes": {"items": {"type": "integer"}}}}`)
	_, err := rules.Apply(Input{Body: []byte(`{"price": "` + nest("b", 9000) + `", "day": "` + nest("y", 9000) + `", "sizes": ["` + nest(`x","`, 500) + `"]}`)})
	failure := requireFailure(t, err, collection.ReasonSchemaViolation)
	require.Less(t, len(failure.Detail), 3000)
	require.Len(t, failure.Fields, maxNamedFields)
}
