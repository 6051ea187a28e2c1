package extract

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

func blocks(texts ...string) string {
	page := "<!DOCTYPE html><title>x</title>"
	for _, text := range texts {
		page += `<script type="application/ld+json">` + text + `</script>`
	}
	return page
}

func TestJSONLDItems(t *testing.T) {
	t.Parallel()
	page := blocks(`[{"@type":"A"},[{"@type":"B"}],null,"text"]`,
		`{"@context":"https://schema.org","@graph":[{"@type":"C"},{"@graph":[{"@type":"D"}]}]}`,
		`{"@type":"E","@graph":{"@type":"F"}}`, `null`, `   `) +
		`<script type="Application/LD+JSON; charset=utf-8">{"@type":"G"}</script><script>{"@type":"no"}</script>`
	got, err := apply(t, "html", page, collection.Field{Name: "types", JSONLD: `.[]["@type"]`, List: true})
	require.NoError(t, err)
	requireFields(t, `{"types":["A","B","C","D","E","F","G"]}`, got.Fields)
	require.Equal(t, map[string]string{"types": `json_ld .[]["@type"]`}, got.Provenance)
	require.Empty(t, got.Warnings)
}

func TestJSONLDFields(t *testing.T) {
	t.Parallel()
	page := blocks(`{"@type":"Product","name":"Anvil","sku":12345678901234567890,"offers":[{"price":"1299.00","url":"/buy"},{"price":5.10}]}`)
	got, err := apply(t, "html", page,
		collection.Field{Name: "name", JSONLD: `.[] | select(.["@type"] == "Product") | .name`, Required: true},
		collection.Field{Name: "sku", JSONLD: ".[0].sku", Type: "integer"},
		collection.Field{Name: "offers", JSONLD: ".[0].offers", Type: "object", List: true, Fields: []collection.Field{
			{Name: "price", JSONLD: ".price", Type: "number"}, {Name: "link", JSONLD: ".url", Type: "url"},
		}})
	require.NoError(t, err)
	requireFields(t, `{"name":"Anvil","sku":12345678901234567890,
		"offers":[{"price":1299.00,"link":"https://shop.example/buy"},{"price":5.10}]}`, got.Fields)
}

func TestRepair(t *testing.T) {
	t.Parallel()
	for name, c := range map[string][2]string{
		"html comment around":      {"<!--\n{\"a\":1}\n-->", `{"a":1}`},
		"html comment before":      {"<!-- a title -->{\"a\":\"<!-- kept -->\"}", `{"a":"<!-- kept -->"}`},
		"cdata":                    {"<![CDATA[{\"a\":[[1]]}]]>", `{"a":[[1]]}`},
		"cdata behind comments":    {"//<![CDATA[\n{\"a\":1}\n//]]>", `{"a":1}`},
		"cdata on one line":        {"// <![CDATA[ {\"a\":[[1]]} //]]>", `{"a":[[1]]}`},
		"cdata in block comments":  {"/*<![CDATA[*/{\"a\":1}/*]]>*/", `{"a":1}`},
		"semicolon":                {`{"a":"x;y"};`, `{"a":"x;y"}`},
		"trailing commas":          {`{"a":[1,2,],"b":{"c":",}",},}`, `{"a":[1,2],"b":{"c":",}"}}`},
		"line comment":             {"{\"a\":\"http://x\", // why\n\"b\":2}", `{"a":"http://x","b":2}`},
		"comma behind a comment":   {"{\"a\":1, // gone\n//\"b\":2\n}", `{"a":1}`},
		"block comment":            {`{/* one */"a":"/* two */"}`, `{"a":"/* two */"}`},
		"newline and tab in text":  {"{\"a\":\"x\n\ty\x01\"}", `{"a":"x\n\ty\u0001"}`},
		"unknown escape":           {`{"a":"it\'s \x \\ \" \u00e9"}`, `{"a":"it's x \\ \" é"}`},
		"escaped line end":         {"{\"a\":\"x\\\ny\"}", `{"a":"x\ny"}`},
		"entities":                 {`{&quot;a&quot;:&quot;x &amp;amp; y&quot;}`, `{"a":"x &amp; y"}`},
		"byte order mark":          {"\ufeff{\"a\":1}", `{"a":1}`},
		"duplicate key, last wins": {`{"a":1,"a":2}`, `{"a":2}`},
		"nothing but a comment":    {`<!-- later -->`, `null`},
	} {
		got, err := parseLoose(c[0], &reader{})
		require.NoError(t, err, name)
		requireFields(t, c[1], got)
	}
}

func TestBrokenJSONLDLeavesTheOthers(t *testing.T) {
	t.Parallel()
	name := collection.Field{Name: "name", JSONLD: ".[].name"}
	got, err := apply(t, "html", blocks(`{"name": "un"quoted"}`, `{"name":"good"}`, `{`), name)
	require.NoError(t, err)
	requireFields(t, `{"name":"good"}`, got.Fields)
	require.Len(t, got.Warnings, 2)
	require.Contains(t, got.Warnings[0], "JSON-LD block 1 is not JSON and was left out")
	require.Contains(t, got.Warnings[1], "JSON-LD block 3")

	_, err = apply(t, "html", blocks(`{"name": "un"quoted"}`), name)
	failure := requireFailure(t, err, collection.ReasonParseEmpty)
	require.Contains(t, failure.Detail, "JSON-LD block 1 is not JSON", "the person who keeps the rules learns why")
}

func TestWarningsAreBounded(t *testing.T) {
	t.Parallel()
	page := strings.Repeat(blocks(`{broken`), 500) + blocks(`{"name":"good"}`)
	got, err := apply(t, "html", page, collection.Field{Name: "name", JSONLD: ".[].name"})
	require.NoError(t, err)
	require.Len(t, got.Warnings, maxWarnings+1)
	require.Equal(t, "further warnings were left out", got.Warnings[maxWarnings])

	_, err = apply(t, "html", page, collection.Field{Name: "name", JSONLD: ".[].none"})
	require.Less(t, len(err.Error()), 2000)
}

// What is JSON already is never changed by the repair.
func TestRepairKeepsGoodJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"a":"//x","b":"/*y*/","c":"<!--z-->","d":"]]>","e":";,}","f":"\\","g":"\"","h":[[1,[2]],{}],"i":"\u2028"}`,
		`[]`, `"text"`, `-1.5e3`, `{"a" : [ ] , "b" : { } }`,
	} {
		require.True(t, json.Valid([]byte(text)))
		requireFields(t, text, json.RawMessage(repair(text)))
	}
}
