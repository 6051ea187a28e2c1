package activities

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/intake"
)

// TestPlanRows: every kind of row becomes a record of the right source, or is refused with a reason (A10).
func TestPlanRows(t *testing.T) {
	long := strings.Repeat("k", 300)
	for _, c := range []struct {
		name string
		row  string
		// fallback is the submission's own source.
		fallback string
		source   string
		key, url string
		fields   string
		reason   collection.Reason
		detail   string
	}{
		{name: "the host's source", row: `{"url":"https://books.example/a"}`,
			source: "books", key: "https://books.example/a", url: "https://books.example/a"},
		{name: "the URL is kept, the key is normalised", row: `{"url":" HTTPS://Books.example:443/a#top "}`,
			source: "books", key: "https://books.example/a", url: "HTTPS://Books.example:443/a#top"},
		{name: "a host below a wildcard", row: `{"url":"http://de.shop.example/x","note":"n"}`,
			source: "shop", key: "http://de.shop.example/x", url: "http://de.shop.example/x", fields: `{"note":"n"}`},
		{name: "a host with a port", row: `{"url":"http://127.0.0.1:8080/"}`,
			source: "books", key: "http://127.0.0.1:8080/", url: "http://127.0.0.1:8080/"},
		{name: "upper-case header", row: `{"URL":"https://books.example/a"}`,
			source: "books", key: "https://books.example/a", url: "https://books.example/a"},
		{name: "capitalised header with spaces", row: `{" Url ":"https://books.example/a"}`,
			source: "books", key: "https://books.example/a", url: "https://books.example/a"},
		{name: "two headers for the URL", row: `{"URL":"https://books.example/a","url":"https://books.example/b"}`,
			reason: collection.ReasonRowMalformed, detail: "more than one url"},
		{name: "a second header that says nothing", row: `{"URL":null,"url":"https://books.example/b"}`,
			source: "books", key: "https://books.example/b", url: "https://books.example/b"},
		{name: "the source's column", row: `{"url":"https://de.shop.example/a","Source":"shop"}`,
			source: "shop", key: "https://de.shop.example/a", url: "https://de.shop.example/a"},
		{name: "a source with a template needs no URL", row: `{"source":"api","sku":7}`,
			source: "api", key: `{"sku":7}`, fields: `{"sku":7}`},
		{name: "a template's record keeps exact numbers", row: `{"source":"api","sku":1.50,"z":12345678901234567890}`,
			source: "api", key: `{"sku":1.50,"z":12345678901234567890}`, fields: `{"sku":1.50,"z":12345678901234567890}`},
		{name: "a template with a URL of any host", row: `{"source":"api","sku":7,"url":"https://elsewhere.example/p"}`,
			source: "api", key: "https://elsewhere.example/p", url: "https://elsewhere.example/p", fields: `{"sku":7}`},
		{name: "a template without what it needs", row: `{"source":"api","colour":"red"}`,
			source: "api", reason: collection.ReasonRowMalformed, detail: `no field "sku"`},
		{name: "a template without anything", row: `{"source":"api"}`,
			source: "api", reason: collection.ReasonRowMalformed, detail: "the row is empty"},
		{name: "the submission's source", row: `{"sku":"7"}`, fallback: "api",
			source: "api", key: `{"sku":"7"}`, fields: `{"sku":"7"}`},
		{name: "the URL's own source before the submission's", row: `{"url":"https://books.example/a"}`, fallback: "shop",
			source: "books", key: "https://books.example/a", url: "https://books.example/a"},
		{name: "a host that the submission's source does not own", row: `{"url":"https://elsewhere.example/a"}`, fallback: "books",
			reason: collection.ReasonSourceUnknown, detail: "elsewhere.example is none of source books's hosts"},
		{name: "another host than the named source's", row: `{"url":"https://books.example/a","source":"shop"}`,
			reason: collection.ReasonSourceUnknown, detail: "books.example is none of source shop's hosts"},
		{name: "a source that nobody knows", row: `{"url":"https://books.example/a","source":"bokks"}`,
			reason: collection.ReasonSourceUnknown, detail: `source "bokks" is not in the configuration`},
		{name: "a host that nobody owns", row: `{"url":"https://elsewhere.example/a"}`,
			reason: collection.ReasonSourceUnknown, detail: "no source owns the host elsewhere.example"},
		{name: "neither URL nor source", row: `{"sku":"7"}`,
			reason: collection.ReasonSourceUnknown, detail: "names no source and has no url: add a column url or source"},
		{name: "something that is no URL", row: `{"url":"not a url"}`,
			reason: collection.ReasonSourceUnknown, detail: `url "not a url" is not an http or https URL`},
		{name: "a URL that is not fetched", row: `{"url":"ftp://ann:hush@127.0.0.1/x"}`,
			reason: collection.ReasonSourceUnknown, detail: `url "ftp://ann:xxxxx@127.0.0.1/x" is not an http or https URL`},
		{name: "a named source of pages without a URL", row: `{"source":"books","sku":"7"}`,
			source: "books", reason: collection.ReasonRowMalformed, detail: "the row has no url, and source books builds none"},
		{name: "no URL at all", row: `{"source":"books","url":"/just/a/path"}`,
			source: "books", reason: collection.ReasonRowMalformed},
		{name: "the caller's own key", row: `{"url":"https://books.example/a","key":" 4711 "}`,
			source: "books", key: "4711", url: "https://books.example/a"},
		{name: "a key that is a number", row: `{"url":"https://books.example/a","key":4711}`,
			source: "books", key: "4711", url: "https://books.example/a"},
		{name: "an empty key is none", row: `{"url":"https://books.example/a","key":""}`,
			source: "books", key: "https://books.example/a", url: "https://books.example/a"},
		{name: "a long key", row: `{"url":"https://books.example/a","key":"` + long + `"}`,
			source: "books", key: long, url: "https://books.example/a"},
		{name: "a key that is no text", row: `{"url":"https://books.example/a","key":["a"]}`,
			reason: collection.ReasonRowMalformed, detail: "key must be text"},
		{name: "a URL that is no text", row: `{"url":true}`,
			reason: collection.ReasonRowMalformed, detail: "url must be text"},
		{name: "fields in the order of their names", row: `{"url":"https://books.example/a","b":1,"a":{"d":[],"c":null}}`,
			source: "books", key: "https://books.example/a", url: "https://books.example/a", fields: `{"a":{"c":null,"d":[]},"b":1}`},
		{name: "no object", row: `[1]`, reason: collection.ReasonRowMalformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlanning(10)
			in := inline(c.row)
			in.Request.Source = c.fallback
			plan := p.mustPlan(t, in)
			batches, rejected := p.stored(t, plan)
			require.Equal(t, 1, plan.Expected)
			if c.reason != "" {
				require.Len(t, rejected, 1)
				row := rejected[0]
				require.Equal(t, 1, row.Line)
				require.Equal(t, c.reason, row.Reason, row.Detail)
				require.Equal(t, collection.OutcomeInvalid, row.Outcome)
				require.Equal(t, c.source, row.Source)
				require.Contains(t, row.Detail, c.detail)
				require.NotEmpty(t, row.Detail)
				require.Empty(t, batches)
				require.Equal(t, collection.Tally{{Outcome: collection.OutcomeInvalid, Reason: c.reason, Records: 1}}, plan.Rejected)
				return
			}
			require.Empty(t, rejected)
			require.Len(t, batches[c.source], 1, "%v", batches)
			rec := batches[c.source][0][0]
			require.Equal(t, collection.Record{
				ID: collection.RecordID(c.source, c.key), Line: 1, Key: c.key, URL: c.url, Fields: rec.Fields,
			}, rec)
			if c.fields == "" {
				require.Empty(t, rec.Fields)
				return
			}
			require.Equal(t, c.fields, string(rec.Fields))
		})
	}
}

// TestPlanDuplicates: the same target under another spelling or the same key is one record, the first.
func TestPlanDuplicates(t *testing.T) {
	p := newPlanning(10)
	plan := p.mustPlan(t, inline(
		`{"url":"https://books.example/a?x=1"}`,
		`{"url":"HTTPS://BOOKS.example:443/a?x=1#frag"}`,
		`{"url":"https://books.example/b","key":"k"}`,
		`{"url":"https://books.example/c","key":"k"}`,
		`{"url":"https://de.shop.example/c","key":"k"}`,
		`{"source":"api","sku":1,"size":2}`,
		`{"source":"api","size":2,"sku":1}`,
	))
	require.Equal(t, 7, plan.Expected)
	require.Equal(t, 4, plan.Accepted, "the same key at another source is another record")
	require.Equal(t, collection.Tally{
		{Outcome: collection.OutcomeDuplicate, Reason: collection.ReasonRowDuplicate, Records: 3},
	}, plan.Rejected)
	_, rejected := p.stored(t, plan)
	require.Equal(t, []collection.FailureRow{
		{Line: 2, Key: "https://books.example/a?x=1", Source: "books", Record: collection.RecordID("books", "https://books.example/a?x=1"),
			Outcome: collection.OutcomeDuplicate, Reason: collection.ReasonRowDuplicate, Detail: "an earlier row names the same record"},
		{Line: 4, Key: "k", Source: "books", Record: collection.RecordID("books", "k"),
			Outcome: collection.OutcomeDuplicate, Reason: collection.ReasonRowDuplicate, Detail: "an earlier row names the same record"},
		{Line: 7, Key: `{"size":2,"sku":1}`, Source: "api", Record: collection.RecordID("api", `{"size":2,"sku":1}`),
			Outcome: collection.OutcomeDuplicate, Reason: collection.ReasonRowDuplicate, Detail: "an earlier row names the same record"},
	}, rejected)
	require.Len(t, p.metrics.ended, 3)
	require.Contains(t, p.metrics.ended, endedCall{"", collection.OutcomeDuplicate, collection.ReasonRowDuplicate})
}

// TestPlanRowWithTwoFaults: a map has no order, a refusal must have one.
func TestPlanRowWithTwoFaults(t *testing.T) {
	row := `{"url":{},"key":[],"URL":"https://books.example/a","Url":"https://books.example/b","KEY":{}}`
	details := map[string]bool{}
	for range 50 {
		p := newPlanning(10)
		_, rejected := p.stored(t, p.mustPlan(t, inline(row)))
		details[rejected[0].Detail] = true
	}
	require.Len(t, details, 1, "%v", details)
}

// TestSourcesThatAreForSome: a source's secrets and its ceiling are for the customers that it names, however a row comes to it.
func TestSourcesThatAreForSome(t *testing.T) {
	p := newPlanning(10)
	known := configured
	known.sources = slices.Clone(configured.sources)
	for i := range known.sources {
		if known.sources[i].Name != "shop" {
			known.sources[i].Customers = []string{"bulky", "initech"}
		}
	}
	p.Directory = known
	in := inline(`{"url":"https://books.example/a"}`, `{"source":"books","url":"https://books.example/b"}`, `{"source":"api","sku":"7"}`,
		`{"sku":"8"}`, `{"url":"https://a.shop.example/"}`)
	in.Request.Source = "api"
	plan := p.mustPlan(t, in)
	require.Equal(t, 1, plan.Accepted)
	_, rejected := p.stored(t, plan)
	require.Equal(t, []int{1, 2, 3, 4}, lineNumbers(rejected))
	for i, row := range rejected {
		name := []string{"books", "books", "api", "api"}[i]
		require.Equal(t, collection.OutcomeInvalid, row.Outcome)
		require.Equal(t, collection.ReasonSourceUnknown, row.Reason)
		require.Equal(t, "source "+name+" is not for customer acme: name another source, or have the customer added to its customers", row.Detail)
	}

	in.Submission, in.Request.Customer = "s2", "bulky"
	require.Equal(t, 5, p.mustPlan(t, in).Accepted)

	_, _, err := ResolveRow(known, buildable, "", intake.Row{Line: 1, Fields: map[string]any{"url": "https://books.example/a"}})
	require.NoError(t, err, "who operates weir may try every source")
}
