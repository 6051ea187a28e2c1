package extract

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// allRules reads with every kind of locator and every type, for fuzzing and for the properties of Apply.
func allRules(t testing.TB, kind string) *Rules {
	t.Helper()
	var fields []collection.Field
	add := func(base collection.Field) {
		for _, typ := range fieldTypes {
			if typ == typeObject {
				continue
			}
			f := base
			f.Type, f.Name = string(typ), fmt.Sprintf("%s%d", typ, len(fields))
			f.List = len(fields)%2 == 0
			fields = append(fields, f)
		}
	}
	object := func(outer, inner collection.Field) {
		outer.Name, outer.Type, outer.List = fmt.Sprintf("o%d", len(fields)), "object", true
		inner.Name = "in"
		outer.Fields = []collection.Field{inner}
		fields = append(fields, outer)
	}
	switch kind {
	case "html":
		add(collection.Field{CSS: "p"})
		add(collection.Field{CSS: "a", Attribute: "href"})
		add(collection.Field{JSONLD: ".[]"})
		add(collection.Field{Microdata: ".[].properties | .. | strings"})
		object(collection.Field{CSS: "div"}, collection.Field{CSS: ":scope"})
		object(collection.Field{JSONLD: ".[]"}, collection.Field{JSONLD: ".name"})
		fields = append(fields, collection.Field{Name: "items", Type: "any", Microdata: "."})
	case "json":
		add(collection.Field{JQ: "."})
		add(collection.Field{JQ: ".a?, .[0]?"})
		object(collection.Field{JQ: ".[]?"}, collection.Field{JQ: ".name?"})
	default:
		add(collection.Field{Column: "a"})
		add(collection.Field{Column: "b"})
		object(collection.Field{}, collection.Field{Column: "b"})
	}
	rules, err := Compile(collection.Parse{Type: kind, Fields: fields}, []byte(`{"type":"object","additionalProperties":{"maxItems":50,"minimum":-1e9}}`))
	require.NoError(t, err)
	return rules
}

// outcome is all that Apply says, as bytes.
func outcome(t testing.TB, rules *Rules, in Input) string {
	t.Helper()
	got, err := rules.Apply(in)
	if err != nil {
		failure, ok := err.(*Error)
		require.True(t, ok, "%T", err)
		require.NotEmpty(t, failure.Detail)
		return fmt.Sprint(failure.Reason, failure.Detail, failure.Fields)
	}
	encoded, err := json.Marshal(got)
	require.NoError(t, err)
	var back Result
	require.NoError(t, json.Unmarshal(encoded, &back), "what is written can be read")
	return string(encoded)
}

func TestSameBodySameBytesInParallel(t *testing.T) {
	t.Parallel()
	rules := allRules(t, "html")
	in := Input{Body: []byte(shelf + blocks(`{"name":"x","z":1,"y":2,"a":{"c":3,"b":4}}`)), URL: pageURL}
	want := outcome(t, rules, in)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10 {
				if got := outcome(t, rules, in); got != want {
					t.Errorf("%s\nis not\n%s", got, want)
				}
			}
		})
	}
	all.Wait()
}

func TestLongListsAreRefusedNotCut(t *testing.T) {
	t.Parallel()
	list := collection.Field{Name: "l", CSS: "i", List: true}
	got, err := apply(t, "html", strings.Repeat("<i>x</i>", maxList), list)
	require.NoError(t, err)
	require.Len(t, got.Fields["l"], maxList)

	_, err = apply(t, "html", strings.Repeat("<i>x</i>", maxList+1), list)
	failure := requireFailure(t, err, collection.ReasonParseInvalid)
	require.Contains(t, failure.Detail, "more than 10000 values")

	_, err = apply(t, "csv", "a\n"+strings.Repeat("1\n", maxList+1), collection.Field{Name: "l", Column: "a", List: true})
	requireFailure(t, err, collection.ReasonParseInvalid)
}

// Text inside nested elements counts once per element that a list selects.
func TestOverlappingTextIsBounded(t *testing.T) {
	t.Parallel()
	body := nest("<div>", 400) + strings.Repeat("x", 400_000)
	_, err := apply(t, "html", body, collection.Field{Name: "l", CSS: "div", List: true})
	failure := requireFailure(t, err, collection.ReasonParseInvalid)
	require.Contains(t, failure.Detail, "exceed 64 MiB")
	require.Less(t, len(failure.Detail), 2000)
}

func FuzzHTML(f *testing.F) {
	rules := allRules(f, "html")
	for _, seed := range []string{
		shelf, blocks(`{"name":"x"};`, `<!-- {"@graph":[1e5,{}]} -->`), `<meta charset=utf-16><p>1,299.00</p>`,
		`<div id=a itemscope itemref="a b"><p itemprop="x y">1<time itemprop=t datetime=2024-01-01>`, "\xff\xfe<\x00p\x00",
		`<p>29,99<sup>1</sup><p>1.299<p><del>20</del><ins>15</ins><p itemscope><i itemprop=a>5<br>299</i><i itemprop=b>19,<sup>99</sup></i>`,
		`<base href="//x"><a href="%zz?q= #">`, `<p>2024-01-01T00:00:00Z<table><tr><p>x<svg><a xlink:href=x>`,
	} {
		f.Add([]byte(seed), "text/html; charset=utf-8")
		f.Add([]byte(seed), "")
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		in := Input{Body: body, ContentType: contentType, URL: pageURL}
		require.Equal(t, outcome(t, rules, in), outcome(t, rules, in))
	})
}

func FuzzJSON(f *testing.F) {
	rules := allRules(f, "json")
	for _, seed := range []string{
		`{"a":1}`, `[{"name":"x"},[1e1000,-0,1E-7]]`, `"text"`, `{"a":"1.5","a":2}`, `[[[[]]]]`, `12345678901234567890`, "\xef\xbb\xbf[]",
		`["2024-01-01","true","../x",{"a":null}]`, `"\ud800"`,
	} {
		f.Add([]byte(seed), "application/json")
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		in := Input{Body: body, ContentType: contentType, URL: pageURL}
		require.Equal(t, outcome(t, rules, in), outcome(t, rules, in))
	})
}

func FuzzCSV(f *testing.F) {
	rules := allRules(f, "csv")
	for _, seed := range []string{"a,b\n1,2\n", "a;b\r\n\"1;\n\";2", "a\tb\r1\t2\r", "b,b\n", "a,b\n1\n", "\"", "a\n2024-01-01\n"} {
		f.Add([]byte(seed), "text/csv")
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		in := Input{Body: body, ContentType: contentType, URL: pageURL}
		require.Equal(t, outcome(t, rules, in), outcome(t, rules, in))
	})
}
