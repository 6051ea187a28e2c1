package extract

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

func TestJSONDocument(t *testing.T) {
	t.Parallel()
	body := `{"id": 12345678901234567890123, "price": 19.90, "tags": ["a", "b"], "none": [],
		"items": [{"name": "x", "size": {"w": 1.0}}, {"name": "y"}, {"other": 1}], "extra": {"n": 1e2}}`
	for _, c := range []struct {
		field collection.Field
		want  string
	}{
		{collection.Field{Type: "integer", JQ: ".id"}, `12345678901234567890123`},
		{collection.Field{Type: "number", JQ: ".price"}, `19.90`},
		{collection.Field{JQ: ".tags", List: true}, `["a","b"]`},
		{collection.Field{JQ: ".tags[]", List: true}, `["a","b"]`},
		{collection.Field{JQ: ".tags[]"}, `"a"`},
		{collection.Field{JQ: ".none", List: true}, `[]`},
		{collection.Field{Type: "any", JQ: ".extra"}, `{"n":1e2}`},
		{collection.Field{Type: "any", JQ: "[.tags, .tags]", List: true}, `[["a","b"],["a","b"]]`},
		{collection.Field{Type: "number", JQ: ".price * 2"}, `39.8`},
		{collection.Field{Type: "integer", JQ: ".id + 1"}, `12345678901234567890124`},
		{collection.Field{Type: "object", List: true, JQ: ".items[]", Fields: []collection.Field{
			{Name: "name", JQ: ".name"}, {Name: "width", JQ: ".size.w", Type: "number"},
		}}, `[{"name":"x","width":1.0},{"name":"y"}]`},
		{collection.Field{Type: "object", JQ: ".extra", Fields: []collection.Field{{Name: "n", JQ: ".n", Type: "integer"}}}, `{"n":100}`},
	} {
		c.field.Name = "f"
		got, err := apply(t, "json", body, c.field, collection.Field{Name: "id", JQ: ".id"})
		require.NoError(t, err, c.want)
		delete(got.Fields, "id")
		requireFields(t, `{"f":`+c.want+`}`, got.Fields)
	}
}

func TestJSONRefused(t *testing.T) {
	t.Parallel()
	for body, why := range map[string]string{
		``:                                    "not JSON",
		`<html>`:                              "not JSON",
		`{"a":1,}`:                            "not JSON",
		`{"a":1} {"a":2}`:                     "not JSON",
		`{"a":1,"b":{"a":1,"a":2}}`:           `the key "a" stands twice`,
		`{"a":1,"\u0061":2}`:                  `the key "a" stands twice`,
		`[1e1001]`:                            "exponent",
		nest("[", 1002) + nest("]", 1002):     "nests deeper",
		nest("[", 100000):                     "not JSON",
		"[" + strings.Repeat("9", 1001) + "]": "1001 characters",
	} {
		_, err := apply(t, "json", body, collection.Field{Name: "a", JQ: "."})
		failure := requireFailure(t, err, collection.ReasonDecodeError)
		require.Contains(t, failure.Detail, why)
	}
}

func TestJQFailures(t *testing.T) {
	t.Parallel()
	for source, why := range map[string]string{
		".a.b":                                 "expected an object",
		"error(\"x\")":                         "x",
		"nan":                                  "that JSON does not have",
		"infinite":                             "that JSON does not have",
		"[range(20001)]":                       "more than 10000 values",
		"range(10001)":                         "more than 10000 outputs",
		"last(repeat(1))":                      "more than 10000000 steps",
		"def f: f; f":                          "more than 10000000 steps",
		"[limit(10000; repeat([range(200)]))]": "exceed 64 MiB",
	} {
		_, err := apply(t, "json", `{"a":"text"}`, collection.Field{Name: "f", Type: "any", List: true, JQ: source})
		failure := requireFailure(t, err, collection.ReasonParseInvalid)
		require.Contains(t, failure.Detail, why, source)
		require.Equal(t, []string{"f"}, failure.Fields)
	}
}

func TestFirstOutputOfAnEndlessExpression(t *testing.T) {
	t.Parallel()
	got, err := apply(t, "json", `{}`, collection.Field{Name: "f", Type: "integer", JQ: "repeat(1)"})
	require.NoError(t, err)
	requireFields(t, `{"f":1}`, got.Fields)
}

// suiteDifferences are valid texts of JSONTestSuite that are refused here, on purpose.
var suiteDifferences = map[string]string{
	"y_object_duplicated_key.json":           "duplicate keys",
	"y_object_duplicated_key_and_value.json": "duplicate keys",
}

func TestCorpusJSONTestSuite(t *testing.T) {
	t.Parallel()
	rules := rulesFor(t, "json", collection.Field{Name: "v", Type: "any", JQ: "[.]"})
	for _, name := range glob(t, "json/JSONTestSuite/test_parsing/*.json") {
		body := corpus(t, name)
		got, err := rules.Apply(Input{Body: body})
		file := path.Base(name)
		switch _, differs := suiteDifferences[file]; {
		case differs, strings.HasPrefix(file, "n_"):
			requireFailure(t, err, collection.ReasonDecodeError)
		case strings.HasPrefix(file, "y_"):
			require.NoError(t, err, file)
			var want any
			require.NoError(t, json.Unmarshal(body, &want))
			encoded, err := json.Marshal([]any{want})
			require.NoError(t, err)
			actual, err := json.Marshal(got.Fields["v"])
			require.NoError(t, err)
			require.JSONEq(t, string(encoded), string(actual), file)
		case err != nil:
			requireFailure(t, err, collection.ReasonDecodeError)
		}
	}
}
