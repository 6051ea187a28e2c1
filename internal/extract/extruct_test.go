package extract

import (
	"encoding/json"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// The pages of the extruct corpus, and the items that a Python library of wide use reads from them.

func items(t *testing.T, name, kind, address string) []any {
	t.Helper()
	field := collection.Field{Name: "items", Type: "any", List: true, JSONLD: "."}
	if kind == "microdata" {
		field.JSONLD, field.Microdata = "", "."
	}
	got, err := rulesFor(t, "html", field).Apply(Input{Body: corpus(t, name), URL: address})
	require.NoError(t, err, name)
	require.Empty(t, got.Warnings, name)
	return got.Fields["items"].([]any)
}

func TestCorpusJSONLD(t *testing.T) {
	t.Parallel()
	for _, name := range glob(t, "html/extruct/*/*.jsonld") {
		page := strings.TrimSuffix(name, ".jsonld") + ".html"
		requireFields(t, string(corpus(t, name)), items(t, page, "json_ld", ""))
	}
}

// microdataBase is the page's address where the expected file has absolute ones.
var microdataBase = map[string]string{
	"microdata.7.1.json":      "http://blog.example.com/progress-report",
	"microdata.object.json":   "http://www.example.com/microdata/",
	"product_custom_url.json": "http://some-example.com",
}

// microdataDifferences says why items differ from the expected ones. Each is a difference on purpose.
var microdataDifferences = map[string]string{
	// The standard gives the properties of an item in tree order, so "1" of the referenced element, which stands
	// first, comes first.
	"microdata.5.3.json": "itemref in tree order",
	// A referenced element that is an item itself, and no property, gives the referring item nothing by the standard;
	// the expected file takes that item's properties over.
	"product-ref.json": "itemref to an item that is no property",
	// An item without properties has none; the expected file gives its text as "value", which the standard's JSON does
	// not have.
	"CreativeWork.001.json": "text of an item without properties",
	// The expected file reads <input> by schema.org's rules for actions; the standard gives its text, which is empty.
	"SearchAction.001.json": "input of a schema.org action",
}

// microdataForms are expected files in another form than items: numbered, flattened, or with the text of items.
var microdataForms = []string{"_flat", ".flat.", "withtext", "node_id"}

func TestCorpusMicrodata(t *testing.T) {
	t.Parallel()
	compared, differing := 0, map[string]string{}
	for _, name := range append(glob(t, "html/extruct/w3c/*.json"), glob(t, "html/extruct/schema.org/*.json")...) {
		file := path.Base(name)
		if containsAny(file, microdataForms) {
			continue
		}
		page := strings.TrimSuffix(strings.TrimSuffix(name, ".json"), "_custom_url") + ".html"
		got := any(items(t, page, "microdata", microdataBase[file]))
		if strings.Contains(name, "/schema.org/") {
			got = unwrapped(got) // these files write a list of one value as the value
		}
		var want any
		require.NoError(t, json.Unmarshal(corpus(t, name), &want), name)
		compared++
		if why, ok := microdataDifferences[file]; ok {
			require.NotEqual(t, want, got, "%s no longer differs: %s", file, why)
			differing[file] = why
			continue
		}
		require.Equal(t, want, got, name)
	}
	require.Greater(t, compared, 18)
	require.Equal(t, microdataDifferences, differing)
}

func TestMicrodataDifferencesAreTheOnesNamed(t *testing.T) {
	t.Parallel()
	fourth := items(t, "html/extruct/w3c/microdata.5.3.html", "microdata", "")[3]
	requireFields(t, `{"properties":{"a":["1","2"],"b":["test"]}}`, fourth)

	product := items(t, "html/extruct/schema.org/product-ref.html", "microdata", "")[0].(map[string]any)["properties"].(map[string]any)
	require.Equal(t, []any{"anvil_executive.jpg"}, product["image"])
	require.NotContains(t, product, "prop3")
	require.Len(t, product["related_products"], 2)

	person := items(t, "html/extruct/schema.org/CreativeWork.001.html", "microdata", "")[1]
	requireFields(t, `{"id":"http://viaf.org/viaf/17823","type":["http://schema.org/Person"],"properties":{}}`, person)

	action := unwrapped(items(t, "html/extruct/schema.org/SearchAction.001.html", "microdata", ""))
	requireFields(t, `{"type":"https://schema.org/WebSite","properties":{"url":"https://www.example.com/",
		"potentialAction":{"type":"https://schema.org/SearchAction","properties":{"query-input":"",
			"target":"https://query.example.com/search?q={search_term_string}"}}}}`, action.([]any)[0])
}

// unwrapped writes lists of one value inside items as the value.
func unwrapped(v any) any {
	var inside func(any) any
	inside = func(v any) any {
		switch v := v.(type) {
		case []any:
			if len(v) == 1 {
				return inside(v[0])
			}
			out := make([]any, len(v))
			for i := range v {
				out[i] = inside(v[i])
			}
			return out
		case map[string]any:
			out := map[string]any{}
			for key, e := range v {
				out[key] = inside(e)
			}
			return out
		}
		return v
	}
	out := make([]any, len(v.([]any)))
	for i, item := range v.([]any) {
		out[i] = inside(item)
	}
	return out
}

func containsAny(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

func TestCorpusOpenGraph(t *testing.T) {
	t.Parallel()
	var want []struct{ Properties [][2]string }
	corpusJSON(t, "html/extruct/misc/opengraph_test.json", &want)
	require.NotEmpty(t, want[0].Properties)
	for _, property := range want[0].Properties {
		got, err := rulesFor(t, "html", collection.Field{
			Name: "f", CSS: `meta[property="` + property[0] + `"]`, Attribute: "content", Required: true,
		}).Apply(Input{Body: corpus(t, "html/extruct/misc/opengraph_test.html")})
		require.NoError(t, err)
		require.Equal(t, property[1], got.Fields["f"], property[0])
	}
}
