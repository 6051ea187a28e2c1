package extract

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/andybalholm/cascadia"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

// numbered repeats a text so many times, with another number in it each time.
func numbered(format string, times int) string {
	var b strings.Builder
	for i := range times {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// effortOf is the work that a response costs, whatever comes of it.
func effortOf(t *testing.T, rules *Rules, body string) int {
	t.Helper()
	rd := &reader{provenance: map[string]string{}}
	root, err := rules.open(Input{Body: []byte(body)}, rd)
	require.NoError(t, err)
	rd.object(rules.fields, root, "", "")
	require.NoError(t, rd.halt)
	return rd.effort
}

// Twice as much of what a stranger may repeat at will is twice the work, not four times.
func TestHostileResponsesCostWhatTheyWeigh(t *testing.T) {
	t.Parallel()
	microdata := collection.Field{Name: "v", Microdata: ".[0].properties.name[0]"}
	ld := collection.Field{Name: "v", JSONLD: ".[].name", List: true}
	for name, c := range map[string]struct {
		kind  string
		field collection.Field
		body  func(n int) string
	}{
		"columns": {"csv", collection.Field{Name: "v", Column: "a"}, func(n int) string { return "a" + numbered(",%d", n) + "\nx" + strings.Repeat(",", n) }},
		"cells":   {"csv", collection.Field{Name: "v", Column: "a"}, func(n int) string { return "a\n" + strings.Repeat("1\n", n) }},
		"tags":    {"html", collection.Field{Name: "v", CSS: "h1"}, func(n int) string { return strings.Repeat("<p>", n) }},
		"attributes": {"html", microdata, func(n int) string {
			return "<div itemscope" + numbered(" a%d", n) + "><b itemprop=name>x"
		}},
		"links":   {"html", collection.Field{Name: "v", CSS: "a"}, func(n int) string { return strings.Repeat("<a><p>", n) }},
		"depth":   {"html", collection.Field{Name: "v", CSS: "i", List: true}, func(n int) string { return strings.Repeat(nest("<i>", 400)+strings.Repeat("</i>", 400), n/400) }},
		"scripts": {"html", ld, func(n int) string { return blocks(strings.Split(strings.Repeat(`{"name":"x"} `, n/4), " ")...) }},
		"comments": {"html", ld, func(n int) string {
			return blocks(`{"name":"x"}` + strings.Repeat("<!--{", n))
		}},
		"items":  {"html", microdata, func(n int) string { return strings.Repeat("<p itemscope itemprop=name>", n) }},
		"values": {"json", collection.Field{Name: "v", JQ: ".[0]"}, func(n int) string { return "[1" + strings.Repeat(",1", n) + "]" }},
		"has":    {"html", collection.Field{Name: "v", CSS: "p:has(b)"}, func(n int) string { return strings.Repeat("<p><i>x</i>", n) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rules := rulesFor(t, c.kind, c.field)
			once, twice := effortOf(t, rules, c.body(4_000)), effortOf(t, rules, c.body(8_000))
			require.Less(t, twice, once*3, "%d and %d", once, twice)
			require.Less(t, once, 40*len(c.body(4_000))+100_000)
		})
	}
}

// exhausted reads one field with little effort left, and gives what is wrong with it.
func exhausted(t *testing.T, body string, field collection.Field) string {
	t.Helper()
	rules := rulesFor(t, "html", field)
	rd := &reader{provenance: map[string]string{}, effort: maxEffort - 10_000_000}
	root, err := rules.open(Input{Body: []byte(body)}, rd)
	if err != nil {
		return err.Error()
	}
	rd.object(rules.fields, root, "", "")
	return requireFailure(t, rd.verdict(rules.fields), collection.ReasonParseInvalid).Detail
}

// What compares siblings costs their square, and is refused where that is too much; what it costs is counted.
func TestSiblingsAreCounted(t *testing.T) {
	t.Parallel()
	body := "<h1>x</h1>" + strings.Repeat("<p class=price>", 15_000)
	for selector, says := range map[string]string{
		"p:nth-of-type(50000)":         "steps; narrow the rules",
		"h2 ~ p.price":                 "steps; narrow the rules",
		"h2 ~ p ~ p.price":             "compares siblings 2 times over",
		"p:not(h2 ~ h3 ~ :only-child)": "compares siblings 3 times over",
	} {
		require.Contains(t, exhausted(t, body, collection.Field{Name: "v", CSS: selector}), says, selector)
	}
	// The rows of a long table are no siblings of its cells.
	table := "<table>" + strings.Repeat("<tr><td>1<td>2\n", 15_000) + "<tr><td>3<th>last</table>"
	rd := effortOf(t, rulesFor(t, "html", collection.Field{Name: "v", CSS: "tr th:nth-child(2)"}, collection.Field{Name: "w", CSS: "td ~ th"}), table)
	require.Less(t, rd, 30*len(table))
	got, err := apply(t, "html", table, collection.Field{Name: "v", CSS: "td ~ th"})
	require.NoError(t, err)
	require.Equal(t, "last", got.Fields["v"])
}

func TestWhatASelectorCompares(t *testing.T) {
	t.Parallel()
	for selector, passes := range map[string]int{"p": 0, "p + p": 0, "[a~=b]": 0, "a ~ b": 1, "li:nth-child(2n) b": 1, "a ~ b:last-of-type": 2, "a ~ b ~ c": 2} {
		require.Equal(t, passes, siblingPasses(selector), selector)
	}
	for selector, want := range map[string]map[string]bool{
		"a ~ b":                   {"b": true},
		"tr > td:nth-child(2).x":  {"td": true},
		"h1, h2:nth-of-type(2)":   {"h1": true, "h2": true},
		"h1 ~ *":                  nil,
		".x:nth-child(2)":         nil,
		`p[title="a b"]`:          nil,
		`p[title="a b:nth-last"]`: nil,
		"p:not(a ~ b)":            nil,
		"p, :nth-child(3)":        nil,
	} {
		group, err := cascadia.ParseGroup(selector)
		require.NoError(t, err)
		require.Equal(t, want, matchedTags(group), selector)
	}
}

// A tree is bounded by its nodes, also where few bytes make many: formatting elements that are left open come again in every
// block behind them.
func TestTreesAreBounded(t *testing.T) {
	t.Parallel()
	open := "<p>" + numbered("<b a%d>", 240) + "</p>"
	for name, body := range map[string]string{
		"tags":                  strings.Repeat("<p>", maxNodes),
		"texts":                 strings.Repeat("<p>x", maxNodes/2),
		"formatting":            open + strings.Repeat("<p>x", 6_000),
		"formatting in the end": strings.Repeat("<i>x</i>", 20_000) + open + strings.Repeat("<p>x", 6_000),
		"in foreign content":    "<svg><style>" + open + strings.Repeat("<p>x", 6_000),
		"behind a comment":      "<style><!--</style>" + open + strings.Repeat("<p>x", 6_000) + "-->",
		"closed in a value":     strings.Replace(open, "</p>", `<div title="`+strings.Repeat("</b>", 240)+`">`, 1) + strings.Repeat("<p>x", 6_000),
		"closed in a script":    strings.Replace(open, "</p>", `<script>`+strings.Repeat("</b>", 240)+`</script></p>`, 1) + strings.Repeat("<p>x", 6_000),
		"closed in a cell":      strings.Replace(open, "</p>", `<table><td>`+strings.Repeat("</b>", 240)+`</table></p>`, 1) + strings.Repeat("<p>x", 6_000),
	} {
		_, err := apply(t, "html", body, collection.Field{Name: "v", CSS: "h1"})
		require.Contains(t, requireFailure(t, err, collection.ReasonDecodeError).Detail, fmt.Sprintf("a tree of more than %d nodes", maxNodes), name)
	}
	// What pages really have is read, however long.
	row := `<tr><td><b>x</b> <i class="icon"></i><strong><a href="/p">y</a></strong><font color=red>z`
	got, err := apply(t, "html", "<h1>x</h1><table>"+strings.Repeat(row, 20_000), collection.Field{Name: "v", CSS: "h1"})
	require.NoError(t, err)
	require.Equal(t, "x", got.Fields["v"])
}

// The attributes of the body are gathered anew at each of its tags.
func TestBodyTagsAreBounded(t *testing.T) {
	t.Parallel()
	field := collection.Field{Name: "v", CSS: "h1"}
	_, err := apply(t, "html", "<body"+numbered(" a%d", 40_000)+">"+strings.Repeat("<body x>", 40_000)+"<h1>x", field)
	require.Contains(t, requireFailure(t, err, collection.ReasonDecodeError).Detail, "gather")
	_, err = apply(t, "html", "<body class='a b'>"+strings.Repeat("<body x>", 1_000)+"<h1>x", field)
	require.NoError(t, err)
	// Tags that never end are followed only so far.
	require.Contains(t, exhausted(t, "<h1>x</h1>"+strings.Repeat("<body ", 10_000), field), "steps")
}

// The values of a JSON document, and of a page's JSON-LD, are bounded, and so is what one attribute lists.
func TestValuesAreBounded(t *testing.T) {
	t.Parallel()
	first := collection.Field{Name: "v", JQ: ".[0]"}
	for element, nodes := range map[string]int{"1,": 1, "{},": 4, `{"a":[1]},`: 6} {
		body := "[" + strings.Repeat(element, maxNodes/nodes+1) + "0]"
		_, err := apply(t, "json", body, first)
		require.Contains(t, requireFailure(t, err, collection.ReasonDecodeError).Detail, fmt.Sprintf("more than %d values", maxNodes), element)
	}
	_, err := apply(t, "csv", "a"+numbered(",%d", maxColumns)+"\n", collection.Field{Name: "v", Column: "a"})
	require.Contains(t, requireFailure(t, err, collection.ReasonDecodeError).Detail, "10001 columns; at most 10000")
	item := `<div itemscope itemtype="` + numbered("%d ", maxTokens+1) + `"><b itemprop=name>x`
	_, err = apply(t, "html", item, collection.Field{Name: "v", Microdata: ".[0]", Type: "any"})
	require.Contains(t, requireFailure(t, err, collection.ReasonParseInvalid).Detail, "more than 1000 words")
}

// Rows beyond what a list may hold are checked, not kept.
func TestRowsBeyondAListAreNotKept(t *testing.T) {
	t.Parallel()
	rd := &reader{}
	doc, err := openTable(Input{Body: []byte("a,b\n" + strings.Repeat("1,2\n", 3*maxList))}, []string{"a"}, rd)
	require.NoError(t, err)
	require.Len(t, doc.rows, maxList+1)
	require.Equal(t, []string{"1", "2"}, doc.rows[maxList])
	_, err = openTable(Input{Body: []byte("a,b\n" + strings.Repeat("1,2\n", 2*maxList) + "1\n")}, []string{"a"}, rd)
	requireFailure(t, err, collection.ReasonDecodeError)
}

// An item's text costs what it is before it is cleaned, each time that a reference asks for it.
func TestReferencesToLongTextsAreCounted(t *testing.T) {
	t.Parallel()
	body := `<b id=w itemprop=name>` + strings.Repeat(" ", 1<<20) + `</b>` + strings.Repeat(`<i itemscope itemref=w></i>`, 20)
	require.Contains(t, exhausted(t, body, collection.Field{Name: "v", Microdata: ".[0].properties.name[0]"}), "steps")
}

// A caller that waits no longer gets its own error back, from wherever the reading stands.
func TestCallerThatGivesUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind, body string
		field      collection.Field
	}{
		"a page":      {"html", strings.Repeat("<p>x", 30_000), collection.Field{Name: "v", CSS: "p"}},
		"siblings":    {"html", strings.Repeat("<p>", 5_000), collection.Field{Name: "v", CSS: "p:nth-child(9999)"}},
		"microdata":   {"html", strings.Repeat("<p itemscope itemprop=name>", 6_000), collection.Field{Name: "v", Microdata: ".[0]"}},
		"JSON-LD":     {"html", blocks(strings.Split(strings.Repeat(`{"name":"x"} `, 6_000), " ")...), collection.Field{Name: "v", JSONLD: ".[0].name"}},
		"JSON":        {"json", "[" + strings.Repeat("1,", 100_000) + "1]", collection.Field{Name: "v", JQ: ".[0]"}},
		"a table":     {"csv", "a\n" + strings.Repeat("1\n", 200_000), collection.Field{Name: "v", Column: "a"}},
		"expression":  {"json", "1", collection.Field{Name: "v", JQ: "[range(100000)] | length"}},
		"a small one": {"html", "<h1>x", collection.Field{Name: "v", CSS: "h1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rules := rulesFor(t, c.kind, c.field)
			looks := 0
			_, err := rules.Apply(Input{Body: []byte(c.body), Still: func() error { looks++; return nil }})
			require.Less(t, looks, 6_000)
			_ = err
			for _, patience := range []int{0, looks / 2, looks - 1} {
				left := patience
				_, err := rules.Apply(Input{Body: []byte(c.body), Still: func() error {
					if left--; left < 0 {
						return context.Canceled
					}
					return nil
				}})
				require.ErrorIs(t, err, context.Canceled, "after %d of %d looks", patience, looks)
				var failure *Error
				require.False(t, errors.As(err, &failure))
			}
		})
	}
}

// The end of a tag, and the number of its attributes, is what the parser itself finds.
func TestTagEndIsTheTokenizers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		requireTagEnd(t, rapid.SampledFrom([]string{"<b", "</b", "<Body", "<x/"}).Draw(t, "tag")+rapid.StringMatching(`([ \n\f/=a"'<]|b=|c="[^"]?"|>?){0,12}[ />]{0,2}`).Draw(t, "rest"))
	})
}

func requireTagEnd(t require.TestingT, text string) {
	end, attributes, ok := tagEnd(text)
	z := html.NewTokenizer(strings.NewReader(text))
	if kind := z.Next(); kind == html.ErrorToken {
		require.False(t, ok, "%q", text)
		return
	}
	require.True(t, ok, "%q", text)
	require.Equal(t, string(z.Raw()), text[:end])
	require.LessOrEqual(t, len(z.Token().Attr), attributes, "%q", text)
}

// FuzzTree: no page that is let through becomes a tree of more nodes than were foreseen.
func FuzzTree(f *testing.F) {
	for _, seed := range []string{
		"<p><b a><b b></p><p>x<p>y", "<table><td><i></table></i>x", "<svg><style><b>", "<a><p></a><a><div></a>x", "<b><i></b></i><p>x",
		"<select><b></select></b>", "<b title='<b x=\"'></b>", "<!--<b>--></b>", "<nobr><nobr><p>x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rd := &reader{}
		s, err := surveyPage(text, rd)
		require.NoError(t, err)
		root, err := buildTree(text, rd)
		if err != nil {
			requireFailure(t, err, collection.ReasonDecodeError)
			return
		}
		nodes := 0
		for range root.Descendants() {
			nodes++
		}
		require.LessOrEqual(t, nodes, 4+2*(s.tags+1)*(nodesPerTag+sameKept*s.leaks), "%+v", s)
	})
}
