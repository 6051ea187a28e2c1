package extract

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

const shopURL = "https://books.example/"

// book is a row of the truth about the shop.
type book struct {
	Title       string      `json:"title"`
	Slug        string      `json:"slug"`
	UPC         string      `json:"upc"`
	Price       json.Number `json:"price"`
	Stock       int         `json:"stock"`
	Rating      int         `json:"rating"`
	Category    string      `json:"category"`
	Reviews     int         `json:"reviews"`
	Description *string     `json:"description"`
	URL         string      `json:"url"`
}

// stars are how the shop writes ratings: as a class.
var stars = []string{"", "One", "Two", "Three", "Four", "Five"}

func cell(label string) string { return `th:contains("` + label + `") + td` }

func TestCorpusBookPages(t *testing.T) {
	t.Parallel()
	rules := rulesFor(t, "html",
		collection.Field{Name: "title", CSS: ".product_main h1", Required: true},
		collection.Field{Name: "upc", CSS: cell("UPC"), Required: true},
		collection.Field{Name: "price", CSS: ".product_main .price_color", Type: "number", Required: true},
		collection.Field{Name: "stock", CSS: ".availability", Match: `\((\d+) available\)`, Type: "integer"},
		collection.Field{Name: "stars", CSS: ".product_main .star-rating", Attribute: "class", Match: `star-rating (\w+)`},
		collection.Field{Name: "category", CSS: ".breadcrumb li:nth-child(3)"},
		collection.Field{Name: "reviews", CSS: cell("Number of reviews"), Type: "integer"},
		collection.Field{Name: "description", CSS: "#product_description + p"})
	var truth []book
	corpusJSON(t, "html/toscrape-shaped/books/truth.json", &truth)
	for _, b := range truth[:20] {
		body := corpus(t, "html/toscrape-shaped/books/catalogue/"+b.Slug+"/index.html")
		got, err := rules.Apply(Input{Body: body, ContentType: "text/html", URL: shopURL + b.URL})
		require.NoError(t, err, b.Slug)
		require.Empty(t, got.Warnings)
		want := map[string]any{
			"title": b.Title, "upc": b.UPC, "price": b.Price, "stars": stars[b.Rating], "category": b.Category,
			"reviews": json.Number(fmt.Sprint(b.Reviews)),
		}
		if b.Stock > 0 {
			want["stock"] = json.Number(fmt.Sprint(b.Stock))
		}
		if b.Description != nil {
			want["description"] = *b.Description
		}
		require.Equal(t, want, got.Fields, b.Slug)
	}
}

func TestCorpusBookListing(t *testing.T) {
	t.Parallel()
	rules := rulesFor(t, "html",
		collection.Field{Name: "total", CSS: "form strong", Type: "integer"},
		collection.Field{Name: "next", CSS: ".next a", Attribute: "href", Type: "url"},
		collection.Field{Name: "books", CSS: "article.product_pod", Type: "object", List: true, Required: true, Fields: []collection.Field{
			{Name: "title", CSS: "h3 a", Attribute: "title", Required: true},
			{Name: "url", CSS: "h3 a", Attribute: "href", Type: "url", Required: true},
			{Name: "price", CSS: ".price_color", Type: "number", Required: true},
			{Name: "stars", CSS: ".star-rating", Attribute: "class", Match: `star-rating (\w+)`},
		}})
	var truth []book
	corpusJSON(t, "html/toscrape-shaped/books/truth.json", &truth)
	var read []any
	for n := 1; n <= 3; n++ {
		name := fmt.Sprintf("catalogue/page-%d.html", n)
		got, err := rules.Apply(Input{Body: corpus(t, "html/toscrape-shaped/books/"+name), ContentType: "text/html", URL: shopURL + name})
		require.NoError(t, err)
		require.Empty(t, got.Warnings)
		require.Equal(t, json.Number("60"), got.Fields["total"])
		if next, more := got.Fields["next"]; more {
			require.Equal(t, fmt.Sprintf("%scatalogue/page-%d.html", shopURL, n+1), next)
		} else {
			require.Equal(t, 3, n)
		}
		read = append(read, got.Fields["books"].([]any)...)
	}
	require.Len(t, read, len(truth))
	for i, b := range truth {
		require.Equal(t, map[string]any{
			"title": b.Title, "url": shopURL + b.URL, "price": b.Price, "stars": stars[b.Rating],
		}, read[i])
	}
}

type quotation struct {
	Text   string   `json:"text"`
	Author string   `json:"author"`
	Tags   []string `json:"tags"`
}

func TestCorpusQuotes(t *testing.T) {
	t.Parallel()
	byCSS := rulesFor(t, "html", collection.Field{Name: "quotes", CSS: ".quote", Type: "object", List: true, Fields: []collection.Field{
		{Name: "text", CSS: ".text", Required: true},
		{Name: "author", CSS: ".author", Required: true},
		{Name: "tags", CSS: ".tag", List: true},
	}})
	byMicrodata := rulesFor(t, "html", collection.Field{Name: "quotes", Microdata: ".[].properties", Type: "object", List: true, Fields: []collection.Field{
		{Name: "text", Microdata: ".text[0]", Required: true},
		{Name: "author", Microdata: ".author[0]", Required: true},
		{Name: "tags", Microdata: `.keywords[0] | split(",")`, List: true},
	}})
	var truth []quotation
	corpusJSON(t, "html/toscrape-shaped/quotes/truth.json", &truth)
	for name, rules := range map[string]*Rules{"css": byCSS, "microdata": byMicrodata} {
		var read []quotation
		for n := 1; n <= 3; n++ {
			got, err := rules.Apply(Input{Body: corpus(t, fmt.Sprintf("html/toscrape-shaped/quotes/page/%d.html", n)), ContentType: "text/html"})
			require.NoError(t, err, name)
			var page struct{ Quotes []quotation }
			encoded, err := json.Marshal(got.Fields)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(encoded, &page))
			read = append(read, page.Quotes...)
		}
		require.Equal(t, truth, read, name)

		_, err := rules.Apply(Input{Body: corpus(t, "html/toscrape-shaped/quotes/page/4.html"), ContentType: "text/html"})
		requireFailure(t, err, collection.ReasonParseEmpty)
	}
}

// Data that a page keeps in a script comes out as the text of the script, cut by match.
func TestCorpusQuotesInAScript(t *testing.T) {
	t.Parallel()
	got, err := rulesFor(t, "html", collection.Field{Name: "data", CSS: "script:not([src])", Match: `(?s)var data = (\[.*?\]);`}).
		Apply(Input{Body: corpus(t, "html/toscrape-shaped/quotes/js.html"), ContentType: "text/html"})
	require.NoError(t, err)
	var read []struct {
		Text   string
		Author struct{ Name string }
		Tags   []string
	}
	require.NoError(t, json.NewDecoder(strings.NewReader(got.Fields["data"].(string))).Decode(&read))
	var truth []quotation
	corpusJSON(t, "html/toscrape-shaped/quotes/truth.json", &truth)
	require.NotEmpty(t, read)
	for i, q := range read {
		require.Equal(t, truth[i], quotation{Text: q.Text, Author: q.Author.Name, Tags: q.Tags})
	}
}
