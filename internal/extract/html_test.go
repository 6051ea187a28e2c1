package extract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

const shelf = `<!DOCTYPE html><title>Shelf</title>
<meta property="og:title" content="A shelf"><meta property="og:image" content="/cover.jpg">
<base href="/media/">
<h1>  The&nbsp; long
   shelf </h1>
<div class=item data-id=7><a href="a.html">First</a> <i class=price>£51.77</i> <b>x</b><b>y</b></div>
<div class=item><a href="b c.html">Second</a> <i class=price></i></div>
<div class=item>   </div>
<p id=note>one<br>two<p>three</p>
<script id=data>var data = {"n": 3};</script>`

func TestHTMLFields(t *testing.T) {
	t.Parallel()
	no := false
	for name, c := range map[string]struct {
		field collection.Field
		want  string
	}{
		"text":                  {collection.Field{CSS: "h1"}, `"The long shelf"`},
		"text untrimmed":        {collection.Field{CSS: "h1", Trim: &no}, `"  The\u00a0 long\n   shelf "`},
		"attribute":             {collection.Field{CSS: ".item a", Attribute: "href"}, `"a.html"`},
		"attribute in any case": {collection.Field{CSS: ".item", Attribute: "DATA-ID", Type: "integer"}, `7`},
		"url by base":           {collection.Field{CSS: ".item a", Attribute: "href", Type: "url", List: true}, `["https://shop.example/media/a.html","https://shop.example/media/b%20c.html"]`},
		"open graph":            {collection.Field{CSS: `meta[property="og:title"]`, Attribute: "content"}, `"A shelf"`},
		"open graph image":      {collection.Field{CSS: `meta[property="og:image"]`, Attribute: "content", Type: "url"}, `"https://shop.example/cover.jpg"`},
		"list":                  {collection.Field{CSS: "b", List: true}, `["x","y"]`},
		"list skips empty":      {collection.Field{CSS: ".price", List: true}, `["£51.77"]`},
		"group of selectors":    {collection.Field{CSS: "b, h1", List: true}, `["The long shelf","x","y"]`},
		"match with a group":    {collection.Field{CSS: ".price", Match: `£([0-9]+)`, Type: "integer"}, `51`},
		"match without":         {collection.Field{CSS: ".price", Match: `\d+`}, `"51"`},
		"break parts words":     {collection.Field{CSS: "#note"}, `"one two"`},
		"script by itself":      {collection.Field{CSS: "#data", Match: `= (.*);`}, `"{\"n\": 3}"`},
		"any is text":           {collection.Field{CSS: ".price", Type: "any"}, `"£51.77"`},
		"body without scripts":  {collection.Field{CSS: "body"}, `"The long shelf First £51.77 xy Second one two three"`},
		"objects": {collection.Field{CSS: ".item", Type: "object", List: true, Fields: []collection.Field{
			{Name: "title", CSS: "a"},
			{Name: "id", CSS: ":scope", Attribute: "data-id", Type: "integer"},
			{Name: "price", CSS: ".price", Type: "number"},
			{Name: "marks", CSS: "b", List: true},
		}}, `[{"title":"First","id":7,"price":51.77,"marks":["x","y"]},{"title":"Second","marks":[]}]`},
		"one object": {collection.Field{CSS: ".item", Type: "object", Fields: []collection.Field{{Name: "title", CSS: "a"}}}, `{"title":"First"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.field.Name = "f"
			got, err := apply(t, "html", shelf, c.field)
			require.NoError(t, err)
			requireFields(t, `{"f":`+c.want+`}`, got.Fields)
		})
	}
}

func TestHTMLProvenanceAndWarnings(t *testing.T) {
	t.Parallel()
	got, err := apply(t, "html", shelf,
		collection.Field{Name: "title", CSS: "h1"},
		collection.Field{Name: "missing", CSS: ".none"},
		collection.Field{Name: "none", CSS: ".none", List: true},
		collection.Field{Name: "items", CSS: ".item", Type: "object", List: true, Fields: []collection.Field{
			{Name: "link", CSS: "a", Attribute: "href"}, {Name: "gone", CSS: "u"},
		}})
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"title": "css h1", "items": "css .item", "items.link": "css a attribute href",
	}, got.Provenance)
	require.Equal(t, []string{"items: 1 of 3 matches of css .item held nothing and were left out"}, got.Warnings)
	require.NotContains(t, got.Fields, "missing")
	require.Equal(t, []any{}, got.Fields["none"])
}

func TestHTMLFailures(t *testing.T) {
	t.Parallel()
	title := collection.Field{Name: "title", CSS: "h1", Required: true}
	price := collection.Field{Name: "price", CSS: ".price", Type: "number"}
	items := collection.Field{Name: "items", CSS: ".item", Type: "object", List: true, Fields: []collection.Field{
		{Name: "title", CSS: "a", Required: true}, price,
	}}
	for name, c := range map[string]struct {
		body   string
		fields []collection.Field
		reason collection.Reason
		named  []string
	}{
		"nothing at all":            {`<p>soon back`, []collection.Field{title, price}, collection.ReasonParseEmpty, []string{"title", "price"}},
		"no body":                   {``, []collection.Field{title}, collection.ReasonParseEmpty, []string{"title"}},
		"only white space":          {"<h1> &nbsp;\u200b </h1>", []collection.Field{title}, collection.ReasonParseEmpty, []string{"title"}},
		"empty lists":               {`<p>`, []collection.Field{{Name: "l", CSS: "b", List: true}}, collection.ReasonParseEmpty, []string{"l"}},
		"required is missing":       {`<i class=price>5</i>`, []collection.Field{title, price}, collection.ReasonParseInvalid, []string{"title"}},
		"required list is empty":    {`<h1>x</h1>`, []collection.Field{title, {Name: "l", CSS: "b", List: true, Required: true}}, collection.ReasonParseInvalid, []string{"l"}},
		"wrong though optional":     {`<h1>x</h1><i class=price>ask</i>`, []collection.Field{title, price}, collection.ReasonParseInvalid, []string{"price"}},
		"wrong and nothing else":    {`<i class=price>ask</i>`, []collection.Field{price}, collection.ReasonParseInvalid, []string{"price"}},
		"wrong inside a list":       {`<div class=item><a>x</a></div><div class=item><b class=price>5 or 6</b></div>`, []collection.Field{items}, collection.ReasonParseInvalid, []string{"items[1].title", "items[1].price"}},
		"required inside, no parts": {`<div class=item></div>`, []collection.Field{items}, collection.ReasonParseEmpty, []string{"items"}},
		"too deep":                  {nest("<div>", 600), []collection.Field{title}, collection.ReasonDecodeError, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := apply(t, "html", c.body, c.fields...)
			failure := requireFailure(t, err, c.reason)
			require.Equal(t, c.named, failure.Fields)
			require.NotEmpty(t, failure.Detail)
		})
	}
}

func TestFailureTellsWhatItSaw(t *testing.T) {
	t.Parallel()
	_, err := apply(t, "html", `<i class=price>ask</i>`,
		collection.Field{Name: "title", CSS: "h1", Required: true}, collection.Field{Name: "price", CSS: ".price", Type: "number"})
	require.EqualError(t, err, `parse_invalid: title: it is required, and css h1 finds nothing; price: "ask" is not a number: it has no digits`)
}

func TestNoscriptIsRead(t *testing.T) {
	t.Parallel()
	got, err := apply(t, "html", `<div><noscript><img src=full.jpg>Turn scripts on</noscript>Text</div>`,
		collection.Field{Name: "image", CSS: "noscript img", Attribute: "src"}, collection.Field{Name: "text", CSS: "div"})
	require.NoError(t, err)
	requireFields(t, `{"image":"full.jpg","text":"Text"}`, got.Fields)
}

func TestRelativeBase(t *testing.T) {
	t.Parallel()
	link := collection.Field{Name: "l", CSS: "a", Attribute: "href", Type: "url"}
	for base, want := range map[string]string{
		``:                                  "https://shop.example/catalogue/x",
		`<base href="//cdn.example/v/">`:    "https://cdn.example/v/x",
		`<base target=_top><base href=up/>`: "https://shop.example/catalogue/up/x",
		`<base href="http://[bad">`:         "https://shop.example/catalogue/x",
	} {
		got, err := apply(t, "html", base+`<a href=x>`, link)
		require.NoError(t, err, base)
		require.Equal(t, want, got.Fields["l"], base)
	}
}

func nest(tag string, times int) string { return strings.Repeat(tag, times) }
