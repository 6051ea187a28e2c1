package extract

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

func TestMicrodataValues(t *testing.T) {
	t.Parallel()
	for element, want := range map[string]string{
		`<p itemprop=v>  a <b>b</b> </p>`:                         `"a b"`,
		`<meta itemprop=v content=" x ">`:                         `"x"`,
		`<span itemprop=v content=1299.00>1.299 €</span>`:         `"1299.00"`,
		`<a itemprop=v href=x>t</a>`:                              `"https://shop.example/catalogue/x"`,
		`<link itemprop=v href=https://schema.org/InStock>`:       `"https://schema.org/InStock"`,
		`<img itemprop=v src=/i.jpg alt=t>`:                       `"https://shop.example/i.jpg"`,
		`<object itemprop=v data=o></object>`:                     `"https://shop.example/catalogue/o"`,
		`<data itemprop=v value=7>seven</data>`:                   `"7"`,
		`<meter itemprop=v value=3.5 max=5>good</meter>`:          `"3.5"`,
		`<time itemprop=v datetime=2024-02-29>today</time>`:       `"2024-02-29"`,
		`<time itemprop=v>2024-02-29</time>`:                      `"2024-02-29"`,
		`<p itemprop=v>a<script>b</script></p>`:                   `"a"`,
		`<p itemprop=v itemscope itemtype="T U"></p>`:             `{"type":["T","U"],"properties":{}}`,
		`<a itemprop=v href="http://[x">t</a>`:                    `"http://[x"`,
		`<p itemprop="w v v" itemscope itemid=/1><i itemprop=n>x`: `{"id":"https://shop.example/1","properties":{"n":["x"]}}`,
	} {
		page := `<div itemscope>` + element + `</div>`
		got, err := apply(t, "html", page, collection.Field{Name: "f", Type: "any", Microdata: ".[0].properties.v"})
		require.NoError(t, err, element)
		requireFields(t, `{"f":[`+want+`]}`, got.Fields)
	}
}

func TestMicrodataReferences(t *testing.T) {
	t.Parallel()
	page := `<p id=early itemprop=a>1</p>
		<div itemscope itemtype=T itemref="early late none late"><p itemprop=a>2</p></div>
		<div id=late><p itemprop=a>3</p><div itemprop=sub itemscope><p itemprop=a>4</p></div></div>
		<p id=late itemprop=a>second of that id</p>`
	got, err := apply(t, "html", page, collection.Field{Name: "items", Type: "any", List: true, Microdata: "."})
	require.NoError(t, err)
	requireFields(t, `{"items":[{"type":["T"],"properties":{"a":["1","2","3"],"sub":[{"properties":{"a":["4"]}}]}}]}`, got.Fields)
}

func TestMicrodataLoops(t *testing.T) {
	t.Parallel()
	inner := "a microdata item contains itself by itemref; the inner one was left out"
	for page, warnings := range map[string][]string{
		`<div itemscope itemref=x><p itemprop=n>1</p></div><div id=x itemprop=s itemscope itemref=x></div>`: nil,
		`<div id=x itemscope itemref=y><p itemprop=n>1</p></div><div id=y itemprop=s itemscope itemref=z></div>
			<div id=z itemprop=s itemscope itemref=y></div>`: {inner},
		`<div itemscope><p itemprop=n>1</p><div id=x itemprop=s itemscope><div itemprop=s itemscope itemref=x></div></div></div>`: {inner},
	} {
		got, err := apply(t, "html", page, collection.Field{Name: "n", Microdata: ".[0].properties.n[0]"})
		require.NoError(t, err, page)
		requireFields(t, `{"n":"1"}`, got.Fields)
		require.Equal(t, warnings, got.Warnings, page)
	}
}

// Items that refer to the next pair twice double at every step; the bound on a document's values stops them.
func TestMicrodataThatMultiplies(t *testing.T) {
	t.Parallel()
	page := `<div itemscope itemref="a0 b0"></div>`
	for i := range 40 {
		for _, letter := range []string{"a", "b"} {
			page += strings.NewReplacer("L", letter, "I", string(rune('A'+i)), "N", string(rune('A'+i+1))).
				Replace(`<div id="LI" itemprop="p" itemscope itemref="aN bN"></div>`)
		}
	}
	page = strings.ReplaceAll(page, "a0 b0", "aA bA")
	_, err := apply(t, "html", page, collection.Field{Name: "n", Type: "any", Microdata: "."})
	failure := requireFailure(t, err, collection.ReasonParseInvalid)
	require.Contains(t, failure.Detail, "exceed 64 MiB")
}

func TestMicrodataThatNests(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	page.WriteString(`<div itemscope itemref=i0></div>`)
	for i := range 1000 {
		page.WriteString(strings.NewReplacer("THIS", strconv.Itoa(i), "NEXT", strconv.Itoa(i+1)).
			Replace(`<div id=iTHIS itemprop=p itemscope itemref=iNEXT></div>`))
	}
	_, err := apply(t, "html", page.String(), collection.Field{Name: "n", Type: "any", Microdata: "."})
	failure := requireFailure(t, err, collection.ReasonParseInvalid)
	require.Contains(t, failure.Detail, "nest too deeply")
}
