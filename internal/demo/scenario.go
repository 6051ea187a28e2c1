package demo

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/demo/site"
)

// row is a row of the submission, and what must become of it.
type row struct {
	line    int
	what    string
	cells   []string
	outcome collection.Outcome
	reason  collection.Reason
	// fields are the document's, where one is delivered, as JSON decodes them.
	fields map[string]any
}

// fate is what must become of a page that behaves so.
type fate struct {
	what    string
	outcome collection.Outcome
	reason  collection.Reason
}

var fates = map[site.Behaviour]fate{
	site.Ordinary:  {"a page", collection.OutcomeDelivered, ""},
	site.Slow:      {"a slow page", collection.OutcomeDelivered, ""},
	site.Throttled: {"429 for 2 s, then the page", collection.OutcomeDelivered, ""},
	site.Failing:   {"500 twice, then the page", collection.OutcomeDelivered, ""},
	site.Missing:   {"404", collection.OutcomeGone, collection.ReasonGone},
	site.Empty:     {"200, but nothing on the page", collection.OutcomeDeadLettered, collection.ReasonParseEmpty},
}

// The lines at which the rows stand that never become records; the header is line 1.
const (
	lineMalformed = 9
	lineUnknown   = 20
	lineDuplicate = 31
)

// columns are the submission's header.
var columns = []string{"url", "source", "sku"}

// scenario is the whole submission. address makes the URL of a path on one of the site's hosts.
func scenario(address func(host, path string) string) []row {
	var rows []row
	for _, b := range site.Books() {
		f := fates[b.Behaviour]
		rows = append(rows, row{
			what: f.what, cells: []string{address(site.ShopHost, b.Path()), "", ""},
			outcome: f.outcome, reason: f.reason, fields: bookFields(b),
		})
	}
	for _, i := range site.Items() {
		f := fates[i.Behaviour]
		rows = append(rows, row{
			what: strings.Replace(strings.Replace(f.what, "a page", "an answer", 1), "page", "answer", 1) + " of the API", cells: []string{"", sourceStock, i.SKU},
			outcome: f.outcome, reason: f.reason, fields: itemFields(i),
		})
	}
	first := site.Books()[0]
	for _, extra := range []row{
		{line: lineMalformed, what: "a row with too many values", cells: []string{"", sourceStock, "ST-100", "a fourth"},
			outcome: collection.OutcomeInvalid, reason: collection.ReasonRowMalformed},
		{line: lineUnknown, what: "a site that is no source", cells: []string{"https://elsewhere.example/books/1", "", ""},
			outcome: collection.OutcomeInvalid, reason: collection.ReasonSourceUnknown},
		{line: lineDuplicate, what: "the first row, spelled otherwise",
			cells:   []string{strings.Replace(address(site.ShopHost, "/./"+first.Path()[1:]), "http:", "HTTP:", 1), "", ""},
			outcome: collection.OutcomeDuplicate, reason: collection.ReasonRowDuplicate},
	} {
		rows = slices.Insert(rows, extra.line-2, extra)
	}
	for i := range rows {
		rows[i].line = i + 2
	}
	return rows
}

func bookFields(b site.Book) map[string]any {
	tags := make([]any, len(b.Tags))
	for i, tag := range b.Tags {
		tags[i] = tag
	}
	return map[string]any{
		"title": b.Title, "price": number(b.Price), "stock": float64(b.Stock), "rating": float64(b.Rating), "tags": tags, "sku": b.Slug,
	}
}

func itemFields(i site.Item) map[string]any {
	// The site has one unit of everything in another place.
	return map[string]any{"name": i.Name, "price": number(i.Price), "units": float64(i.Units + 1)}
}

// number is a price as JSON decodes it. Prices are the site's own constants.
func number(price string) float64 {
	v, err := strconv.ParseFloat(price, 64)
	if err != nil {
		panic(fmt.Sprintf("price %q of the source site: %v", price, err))
	}
	return v
}

// writeCSV is the submission as a file.
func writeCSV(rows []row) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(columns); err != nil {
		return nil, err
	}
	for _, r := range rows {
		if err := w.Write(r.cells); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}
