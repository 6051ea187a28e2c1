package extract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

func TestCompileNamesTheKeyAndTheRemedy(t *testing.T) {
	t.Parallel()
	field := func(f collection.Field) []collection.Field { f.Name = "f"; return []collection.Field{f} }
	inner := func(f collection.Field) []collection.Field {
		f.Name = "i"
		return []collection.Field{{Name: "f", Type: "object", CSS: "div", Fields: []collection.Field{f}}}
	}
	no := false
	for name, c := range map[string]struct {
		kind   string
		fields []collection.Field
		want   string
	}{
		"unknown document type":   {"xml", field(collection.Field{CSS: "a"}), `type is "xml"; it must be "html", "json" or "csv"`},
		"no fields":               {"html", nil, "fields is empty"},
		"no name":                 {"html", []collection.Field{{CSS: "a"}}, "fields[0].name is empty"},
		"one name twice":          {"html", []collection.Field{{Name: "a", CSS: "a"}, {Name: "b", CSS: "b"}, {Name: "a", CSS: "i"}}, `fields[2].name is "a", as is fields[0]`},
		"one name twice inside":   {"csv", []collection.Field{{Name: "r", Type: "object", Fields: []collection.Field{{Name: "x", Column: "x"}, {Name: "x", Column: "y"}}}}, `fields[0].fields[1].name is "x", as is fields[0].fields[0]`},
		"unknown field type":      {"html", field(collection.Field{CSS: "a", Type: "float"}), `fields[0].type is "float"; it must be one of`},
		"no locator":              {"html", field(collection.Field{}), "fields[0] says not where its value stands; set css, json_ld or microdata"},
		"two locators":            {"html", field(collection.Field{CSS: "a", JSONLD: "."}), "fields[0] sets css and json_ld; keep one"},
		"css in json":             {"json", field(collection.Field{CSS: "a"}), `fields[0].css does not fit type "json"; use jq`},
		"json_ld in csv":          {"csv", field(collection.Field{JSONLD: "."}), `fields[0].json_ld does not fit type "csv"; use column`},
		"microdata in json":       {"json", field(collection.Field{Microdata: "."}), `fields[0].microdata does not fit`},
		"jq in html":              {"html", field(collection.Field{JQ: "."}), `fields[0].jq does not fit type "html"; use css, json_ld or microdata`},
		"column in html":          {"html", field(collection.Field{Column: "x"}), `fields[0].column does not fit`},
		"another locator inside":  {"html", inner(collection.Field{JSONLD: "."}), "fields[0].fields[0].json_ld does not fit inside an object that is found by css"},
		"locator on a row":        {"csv", []collection.Field{{Name: "r", Type: "object", Column: "c", Fields: []collection.Field{{Name: "x", Column: "x"}}}}, "fields[0].column is set on an object in a CSV document"},
		"row inside a row":        {"csv", []collection.Field{{Name: "r", Type: "object", Fields: []collection.Field{{Name: "x", Type: "object", Fields: []collection.Field{{Name: "y", Column: "y"}}}}}}, "fields[0].fields[0] is an object inside a row"},
		"bad selector":            {"html", field(collection.Field{CSS: "div["}), "fields[0].css is not a CSS selector"},
		"bad selector inside":     {"html", inner(collection.Field{CSS: "::"}), "fields[0].fields[0].css is not a CSS selector"},
		"scope outside an object": {"html", field(collection.Field{CSS: ":scope"}), `fields[0].css is ":scope" outside an object`},
		"bad jq":                  {"json", field(collection.Field{JQ: ".a["}), "fields[0].jq is not a jq expression"},
		"unknown jq function":     {"json", field(collection.Field{JQ: "nope(1)"}), "fields[0].jq does not compile"},
		"bad json_ld":             {"html", field(collection.Field{JSONLD: "|"}), "fields[0].json_ld is not a jq expression"},
		"bad microdata":           {"html", field(collection.Field{Microdata: "|"}), "fields[0].microdata is not a jq expression"},
		"bad match":               {"html", field(collection.Field{CSS: "a", Match: "("}), "fields[0].match is not a regular expression"},
		"bad zone":                {"html", field(collection.Field{CSS: "a", Type: "date", Zone: "Mars/Olympus"}), `fields[0].zone is "Mars/Olympus", which is no time zone`},
		"the machine's zone":      {"html", field(collection.Field{CSS: "a", Type: "date", Zone: "Local"}), `fields[0].zone is "Local"`},
		"zone of a text":          {"html", field(collection.Field{CSS: "a", Zone: "UTC"}), `fields[0].zone is set, but the type is "string"`},
		"bad layout":              {"html", field(collection.Field{CSS: "a", Type: "date", Layouts: []string{"2006-01-02", "DD/MM/YYYY"}}), "fields[0].layouts[1]"},
		"layout without a year":   {"html", field(collection.Field{CSS: "a", Type: "date", Layouts: []string{"2 January"}}), "fields[0].layouts[0]"},
		"layouts of a number":     {"html", field(collection.Field{CSS: "a", Type: "number", Layouts: []string{"2006-01-02"}}), "fields[0].layouts is set"},
		"bad decimal":             {"html", field(collection.Field{CSS: "a", Type: "number", Decimal: "·"}), `fields[0].decimal is "·"; it must be "." or ","`},
		"decimal of a text":       {"html", field(collection.Field{CSS: "a", Decimal: ","}), `fields[0].decimal is set, but the type is "string"`},
		"attribute of no element": {"json", field(collection.Field{JQ: ".", Attribute: "href"}), "fields[0].attribute is set without css"},
		"object without fields":   {"html", field(collection.Field{CSS: "a", Type: "object"}), "fields[0].fields is empty"},
		"fields on a text":        {"html", field(collection.Field{CSS: "a", Fields: []collection.Field{{Name: "x", CSS: "b"}}}), "fields[0].fields is set, but the type is"},
		"match on an object":      {"json", field(collection.Field{JQ: ".", Type: "object", Match: "x", Fields: []collection.Field{{Name: "x", JQ: "."}}}), "fields[0].match is set, but an object has no text"},
		"trim on an object":       {"json", field(collection.Field{JQ: ".", Type: "object", Trim: &no, Fields: []collection.Field{{Name: "x", JQ: "."}}}), "fields[0].trim is set"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rules, err := Compile(collection.Parse{Type: c.kind, Fields: c.fields}, nil)
			require.Nil(t, rules)
			require.ErrorContains(t, err, c.want)
			require.Len(t, strings.Split(err.Error(), "\n"), 1, "one mistake is one problem")
		})
	}
}

func TestCompileReportsEveryProblemAtOnce(t *testing.T) {
	t.Parallel()
	_, err := Compile(collection.Parse{Type: "html", Fields: []collection.Field{
		{Name: "a", CSS: "["},
		{Name: "b", JSONLD: "now", Match: "("},
		{Name: "c", CSS: "p", Type: "object", List: true, Fields: []collection.Field{{Name: "d", CSS: "["}, {Name: "d"}}},
	}}, []byte(`{"type": 7}`))
	require.Error(t, err)
	for _, want := range []string{
		"fields[0].css", "fields[1].json_ld", "fields[1].match", "fields[2].fields[0].css", "fields[2].fields[1].name",
		"fields[2].fields[1] says not where", "schema is not a JSON Schema",
	} {
		require.ErrorContains(t, err, want)
	}
}

func TestCompileForbidsTheWorldInJQ(t *testing.T) {
	t.Parallel()
	for _, source := range []string{
		"$ENV", "$ENV.HOME", "env", "env.HOME", "input", "[inputs]", "[.[] | {a: (.b // now)}]", `def f: localtime; f`, "halt",
		`"at \(now)"`, "if . then env else 1 end", "reduce .[] as $x (0; . + now)", "try input catch 1", `halt_error("x")`,
		"debug", `.a | stderr`, "input_filename", `strflocaltime("%Z")`, `"m" | modulemeta`, "[limit(3; inputs)]",
		`.a[now]`, `. as {a: $x} | env`, `{(now|tostring): 1}`, "label $f | env", ".a = now", "get_search_list",
	} {
		_, err := compileJQ(source)
		require.ErrorContains(t, err, "must not use", source)
	}
	_, err := compileJQ(`import "m" as m; m::f`)
	require.Error(t, err)
	for _, source := range []string{".env", `.["input"]`, `"now"`, "{now: .now}", ".a | todate", "{env}", ".inputs[]"} {
		_, err := compileJQ(source)
		require.NoError(t, err, source)
	}
}
