package extract

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

func TestJSONValuesByType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, value, want string }{
		{"string", `"a  b "`, `"a b"`},
		{"string", `12345678901234567890`, `"12345678901234567890"`},
		{"string", `1.50`, `"1.50"`},
		{"string", `true`, `"true"`},
		{"integer", `5`, `5`},
		{"integer", `5.0`, `5`},
		{"integer", `"1,299"`, `1299`},
		{"integer", `12345678901234567890123`, `12345678901234567890123`},
		{"number", `1.10`, `1.10`},
		{"number", `"£1.10"`, `1.10`},
		{"number", `1E5`, `1E5`},
		{"boolean", `false`, `false`},
		{"boolean", `"Yes"`, `true`},
		{"boolean", `0`, `false`},
		{"date", `"2024-02-29"`, `"2024-02-29"`},
		{"url", `"../x"`, `"https://shop.example/x"`},
		{"any", `{"a":[1,2.50,null,"x"]}`, `{"a":[1,2.50,null,"x"]}`},
		{"any", `false`, `false`},
	} {
		got, err := apply(t, "json", `{"v":`+c.value+`}`, collection.Field{Name: "v", Type: c.kind, JQ: ".v"})
		require.NoError(t, err, c)
		requireFields(t, `{"v":`+c.want+`}`, got.Fields)
	}
}

func TestJSONValuesRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, value, why string }{
		{"string", `["a"]`, "set list: true"},
		{"string", `{"a":1}`, "type: object or any"},
		{"integer", `5.5`, "not a whole number"},
		{"integer", `true`, "no digits"},
		{"number", `"5 or 6"`, "more than one number"},
		{"boolean", `"maybe"`, "not a boolean"},
		{"boolean", `2`, "not a boolean"},
		{"date", `1700000000`, "todate"},
		{"date", `"yesterday"`, "layouts"},
		{"url", `"http://[x"`, "not a URL"},
	} {
		_, err := apply(t, "json", `{"v":`+c.value+`}`, collection.Field{Name: "v", Type: c.kind, JQ: ".v"})
		failure := requireFailure(t, err, collection.ReasonParseInvalid)
		require.Equal(t, []string{"v"}, failure.Fields)
		require.Contains(t, failure.Detail, c.why)
	}
}

func TestNothingIsMissing(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"string", "integer", "number", "boolean", "date", "datetime", "url", "any"} {
		for _, value := range []string{`null`, `""`, `" \u00a0"`} {
			if kind == "any" && value != `null` {
				continue // any takes a value as it comes
			}
			_, err := apply(t, "json", `{"v":`+value+`}`, collection.Field{Name: "v", Type: kind, JQ: ".v"})
			requireFailure(t, err, collection.ReasonParseEmpty)
		}
	}
}

func TestMatchOnJSONValues(t *testing.T) {
	t.Parallel()
	got, err := apply(t, "json", `{"id": 1234, "size": "12 by 34"}`,
		collection.Field{Name: "first", JQ: ".id", Match: "^.", Type: "integer"},
		collection.Field{Name: "height", JQ: ".size", Match: "by (.*)", Type: "number"},
		collection.Field{Name: "none", JQ: ".size", Match: "x(.*)"})
	require.NoError(t, err)
	requireFields(t, `{"first":1,"height":34}`, got.Fields)
}

func TestErrorsQuoteBriefly(t *testing.T) {
	t.Parallel()
	long := nest("ü", 5000)
	_, err := apply(t, "json", `{"v":"`+long+`"}`, collection.Field{Name: "v", Type: "number", JQ: ".v"})
	require.Less(t, len(err.Error()), 400)

	fields := make([]collection.Field, 300)
	for i := range fields {
		fields[i] = collection.Field{Name: nest("f", i+1), Type: "number", JQ: `"x"`}
	}
	_, err = apply(t, "json", `{}`, fields...)
	failure := requireFailure(t, err, collection.ReasonParseInvalid)
	require.Len(t, failure.Fields, maxNamedFields)
	require.Contains(t, failure.Detail, "and 290 more")
}
