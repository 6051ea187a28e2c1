package extract

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

// What a page keeps apart does not become one number.
func TestNumbersDoNotCrossWhatAPageKeepsApart(t *testing.T) {
	t.Parallel()
	const many, raised, beside = "more than one number", "smaller print", "side by side"
	for _, c := range []struct{ decimal, body, why string }{
		{",", `29,99<sup>1</sup> €`, raised},
		{",", `29,99<sup><a href="#n">1</a></sup> €`, raised},
		{",", `29,99<sub>1</sub> €`, raised},
		{"", `$12.50<sup>2</sup>`, raised},
		{"", `$19<sup>99</sup>`, raised},
		{"", `$19<small>99</small>`, raised},
		{".", `$19<sup>99</sup>`, raised},
		{"", `$19.<sup>99</sup>`, raised},
		{",", `1.299,<sup>991</sup> €`, raised},
		{",", `19,<sup>99</sup>5 €`, raised},
		{"", `10<sup>5</sup>`, raised},
		{"", `.<sup>5</sup>`, raised},
		{"", `29.99<a href="#n">1</a>`, raised},
		{"", `<del>20</del><ins>15</ins>`, many},
		{"", `<s>20</s>15`, many},
		{"", `20<strike>15</strike>`, many},
		{"", `<div>5</div><div>299.00</div>`, many},
		{"", `<del>20</del> <ins>150</ins>`, many},
		{"", `<span>20</span> <span>150</span>`, many},
		{"", `5<!-- --> <!-- -->299`, many},
		{"", "5\n299", many},
		{"", "5  299", many},
		{",", `Save 5<br>299 €`, many},
		{",", `Save 5<br/>` + "\n" + `299 €`, many},
		{"", `<ul><li>1<li>299</ul>`, many},
		{"", `<details><summary>5</summary>299</details>`, many},
		{"", `1<hr>299`, many},
		{"", `٥<br>٢٩٩`, many},
		{"", `<span>19</span><span>99</span>`, beside},
		{"", `<span>20</span><b>15</b>`, beside},
		{"", `<b>9</b><i>99</i>`, beside},
		{"", `$19<span class=cents>99</span>`, beside},
		{"", `<strong>19</strong>99`, beside},
		{"", `<b>1</b>299`, beside},
		{"", `4<span class=votes>1203</span>`, beside},
		{"", `4<span class=votes>1</span>`, beside},
		{"", `<i>4<b>1</b></i>`, beside},
		{"", `10<label>20</label>`, beside},
		{"", `19<span style="display:none">99</span>`, beside},
		{"", `5<textarea>12</textarea>`, many},
		{"", `<select><option>1<option>2</select>`, many},
		{"", `5<input>7`, many},
	} {
		for _, kind := range []string{"number", "integer"} {
			_, err := apply(t, "html", `<main>`+c.body+`</main>`, collection.Field{Name: "v", CSS: "main", Type: kind, Decimal: c.decimal})
			require.Error(t, err, "%s of type %s", c.body, kind)
			require.Contains(t, requireFailure(t, err, collection.ReasonParseInvalid).Detail, c.why, c.body)
		}
	}
}

func TestExponentsDoNotCrossWhatAPageKeepsApart(t *testing.T) {
	t.Parallel()
	_, err := apply(t, "html", `<p>1e<sup>5</sup>`, collection.Field{Name: "v", CSS: "p", Type: "number"})
	require.Contains(t, requireFailure(t, err, collection.ReasonParseInvalid).Detail, "smaller print")
	got, err := apply(t, "html", `<p>1e5`, collection.Field{Name: "v", CSS: "p", Type: "number"})
	require.NoError(t, err)
	requireFields(t, `{"v":1e5}`, got.Fields)
}

// What is certain is read, however it is marked up.
func TestNumbersWithMarkupInside(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ decimal, body, want string }{
		{"", `<sup>$</sup>19.99`, "19.99"},
		{"", `19.99<sup>€</sup>`, "19.99"},
		{"", `19.99<sup>*</sup>`, "19.99"},
		{"", `$19<sup>.99</sup>`, "19.99"},
		{",", `1.299<sup>,99</sup> €`, "1299.99"},
		{",", `1.299<small>,00</small> €`, "1299.00"},
		{",", `1.299,<sup>99</sup> €`, "1299.99"},
		{".", `$19.<sup>99</sup>`, "19.99"},
		{"", `<sup>19.99</sup>`, "19.99"},
		{"", `<span>1,299<span>.</span></span><span>00</span>`, "1299.00"},
		{"", `$<b>1299</b>`, "1299"},
		{"", `$<b>19</b>.99`, "19.99"},
		{"", `19<span class=cents>.99</span>`, "19.99"},
		{"", `<i>1</i><i>2</i><i>5</i>`, "125"},
		{"", `<i>1</i><i>2</i>,<i>5</i><i>0</i><i>0</i>`, "12500"},
		{"", `1<wbr>299`, "1299"},
		{"", `1,<wbr>299.50`, "1299.50"},
		{"", `12 000`, "12000"},
		{"", `<b>12 000</b>`, "12000"},
		{"", "\n  12 000\n  <b>€</b>\n", "12000"},
		{"", `12&nbsp;000 <span>€</span>`, "12000"},
		{"", `12&#8239;000&#8239;000`, "12000000"},
		{"", `<div>Price</div><div>299.00</div>`, "299.00"},
		{"", `<div>.</div><div>5</div>`, "5"},
		{"", `5<br>`, "5"},
		{"", "\u200b5\ufeff", "5"},
	} {
		got, err := apply(t, "html", `<main>`+c.body+`</main>`, collection.Field{Name: "v", CSS: "main", Type: "number", Decimal: c.decimal})
		require.NoError(t, err, c.body)
		requireFields(t, `{"v":`+c.want+`}`, got.Fields)
	}
}

// A match settles what it cuts off, and what it leaves together stays in doubt.
func TestMatchAndWhatAPageKeepsApart(t *testing.T) {
	t.Parallel()
	no := false
	body := `<p> Was 5<br> 299,99<sup>1</sup> € </p>`
	for _, trim := range []*bool{nil, &no} {
		for _, match := range []string{`[0-9]+,[0-9]{2}`, `([0-9]+,[0-9][0-9])`, `\s+(299,99)`} {
			got, err := apply(t, "html", body, collection.Field{Name: "v", CSS: "p", Type: "number", Decimal: ",", Match: match, Trim: trim})
			require.NoError(t, err, match)
			requireFields(t, `{"v":299.99}`, got.Fields)
		}
		for match, why := range map[string]string{`[0-9]+,[0-9]+`: "smaller print", `5\s+299`: "more than one number"} {
			_, err := apply(t, "html", body, collection.Field{Name: "v", CSS: "p", Type: "number", Decimal: ",", Match: match, Trim: trim})
			require.Contains(t, requireFailure(t, err, collection.ReasonParseInvalid).Detail, why, match)
		}
	}
}

// Texts of microdata keep what their elements keep apart, also behind an expression that rewrites them.
func TestMicrodataNumbersDoNotCrossWhatAPageKeepsApart(t *testing.T) {
	t.Parallel()
	const first = ".[0].properties.price[0]"
	for _, c := range []struct{ decimal, text, jq, why string }{
		{",", `29,99<sup>1</sup> €`, first, "smaller print"},
		{"", `29,99<sup>1</sup>`, first + ` | sub(",";".") | tonumber`, "smaller print"},
		{"", `29,99<sup>1</sup> €`, first + ` | gsub("[^0-9,]";"") | sub(",";".")`, "smaller print"},
		{"", `<del>20</del><ins>15</ins>`, first, "more than one number"},
		{"", `<div>5</div><div>299.00</div>`, first, "more than one number"},
		{"", `<i>19</i><i>99</i>`, first, "side by side"},
		{"", `$19.<sup>99</sup>`, first, "smaller print"},
	} {
		body := `<div itemscope><div itemprop=price>` + c.text + `</div></div>`
		_, err := apply(t, "html", body, collection.Field{Name: "v", Microdata: c.jq, Type: "number", Decimal: c.decimal})
		require.Error(t, err, c.text)
		require.Contains(t, requireFailure(t, err, collection.ReasonParseInvalid).Detail, c.why, c.text)
		inObject := collection.Field{Name: "o", Microdata: ".[0].properties", Type: "object", Fields: []collection.Field{
			{Name: "v", Microdata: ".price[0]", Type: "number", Decimal: c.decimal}}}
		_, err = apply(t, "html", body, inObject)
		requireFailure(t, err, collection.ReasonParseInvalid)
	}
	body := `<div itemscope><p itemprop=price>1.299,<sup>99</sup></p><p itemprop=note>5<br>7</p><p itemprop=size>5</p></div>`
	got, err := apply(t, "html", body,
		collection.Field{Name: "price", Microdata: first, Type: "number", Decimal: ","},
		collection.Field{Name: "note", Microdata: ".[0].properties.note[0]"},
		collection.Field{Name: "size", Microdata: ".[0].properties.size[0]", Type: "integer"})
	require.NoError(t, err)
	requireFields(t, `{"price":1299.99,"note":"5 7","size":5}`, got.Fields)
}

// Outside a page only white space keeps digits apart.
func TestNumbersOfTextsDoNotCrossLines(t *testing.T) {
	t.Parallel()
	for body, why := range map[string]string{`{"v":"5\n299"}`: "more than one", `{"v":"5\t299"}`: "more than one", `{"v":"5  299"}`: "more than one", `{"v":"5\u2028299"}`: "more than one"} {
		_, err := apply(t, "json", body, collection.Field{Name: "v", JQ: ".v", Type: "number"})
		require.Contains(t, requireFailure(t, err, collection.ReasonParseInvalid).Detail, why, body)
	}
	_, err := apply(t, "csv", "v,w\n\"5\n299\",1\n", collection.Field{Name: "v", Column: "v", Type: "number"})
	requireFailure(t, err, collection.ReasonParseInvalid)
	_, err = apply(t, "html", "<p content='5\n299'>", collection.Field{Name: "v", CSS: "p", Attribute: "content", Type: "number"})
	requireFailure(t, err, collection.ReasonParseInvalid)
	got, err := apply(t, "json", `{"v":"\n 5 299\n"}`, collection.Field{Name: "v", JQ: ".v", Type: "number"})
	require.NoError(t, err)
	requireFields(t, `{"v":5299}`, got.Fields)
}

// Whatever elements stand between digits, a number is either refused or is the digits of one stretch of the page's text that no
// listed element and no break parts.
func TestANumberIsOneStretchOfThePage(t *testing.T) {
	t.Parallel()
	tags := []string{"sup", "sub", "small", "del", "s", "strike", "ins", "div", "p", "li", "a"}
	rapid.Check(t, func(t *rapid.T) {
		left := rapid.StringMatching(`[1-9][0-9]{0,2}`).Draw(t, "left")
		right := rapid.StringMatching(`[0-9]{1,3}`).Draw(t, "right")
		tag := rapid.SampledFrom(tags).Draw(t, "tag")
		space := rapid.SampledFrom([]string{"", " ", "\n", "&nbsp;"}).Draw(t, "space")
		shape := rapid.SampledFrom([]string{"%[1]s%[4]s<%[3]s>%[2]s</%[3]s>", "<%[3]s>%[1]s</%[3]s>%[4]s%[2]s", "<%[3]s>%[1]s</%[3]s>%[4]s<%[3]s>%[2]s</%[3]s>"}).Draw(t, "shape")
		body := "<main>" + fmt.Sprintf(shape, left, right, tag, space) + "</main>"
		rules, err := Compile(collection.Parse{Type: "html", Fields: []collection.Field{{Name: "v", CSS: "main", Type: "number"}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := rules.Apply(Input{Body: []byte(body), URL: pageURL}); err == nil {
			t.Fatalf("%q gives %v", body, got.Fields)
		}
	})
}
