package activities

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/extract"
)

// parsing is a parser with one captured body in its store.
type parsing struct {
	*Parser
	store   *shaky
	metrics *ledgerOfMetrics
	in      collection.ParseInput
}

func compiled(t testing.TB, schema string, p collection.Parse) *extract.Rules {
	var body []byte
	if schema != "" {
		body = []byte(schema)
	}
	rules, err := extract.Compile(p, body)
	require.NoError(t, err)
	return rules
}

var titleAndPrice = collection.Parse{Type: "html", Fields: []collection.Field{
	{Name: "title", CSS: "h1"},
	{Name: "price", CSS: "p.price", Type: "number"},
}}

func newParsing(t testing.TB, rules *extract.Rules, contentType, body string) parsing {
	store, metrics := newShaky(), &ledgerOfMetrics{}
	sum := collection.Digest([]byte(body))
	id := collection.RecordID("books", "k")
	raw := collection.Raw{
		Key: collection.RawKey("s1", id, sum), SHA256: sum, Size: int64(len(body)), URL: "https://books.example/a/", Status: 200,
		ContentType: contentType, FetchedAt: accepted,
	}
	store.set(t, raw.Key, body)
	return parsing{
		&Parser{Store: store, Rulebook: rulebook{"books": rules}, Metrics: metrics, Memory: &room{}}, store, metrics,
		collection.ParseInput{
			Submission: "s1", Customer: "acme", Source: "books", Raw: raw,
			Record: collection.Record{ID: id, Line: 1, Key: "k", URL: "https://books.example/a"},
		},
	}
}

func (p parsing) parse(t testing.TB) (collection.ParseResult, error) {
	return run(t, &trial{}, p.Parse, p.in)
}

// TestParse: the document names the record, where it came from, and what the rules found; the same body is the same
// document.
func TestParse(t *testing.T) {
	p := newParsing(t, compiled(t, "", titleAndPrice), "text/html", `<h1> A &amp; B </h1><p class="price">1.50</p>`)
	out, err := p.parse(t)
	require.NoError(t, err)
	want := `{"record":"` + p.in.Record.ID + `","key":"k","source":"books","url":"https://books.example/a/",` +
		`"fetched_at":"2026-03-01T10:00:00Z","fields":{"price":1.50,"title":"A \u0026 B"}}`
	require.Equal(t, want, string(out.Document.Inline))
	require.Equal(t, collection.Document{
		Inline: json.RawMessage(want), SHA256: collection.Digest([]byte(want)), Size: int64(len(want)),
	}, out.Document)
	again, err := p.parse(t)
	require.NoError(t, err)
	require.Equal(t, out, again)
	require.Empty(t, p.metrics.ended)
}

// TestParseLarge: a document that is too large for a history goes through the store.
func TestParseLarge(t *testing.T) {
	p := newParsing(t, compiled(t, "", titleAndPrice), "text/html", "<h1>"+strings.Repeat("x", collection.MaxDocumentInline)+"</h1>")
	for range 2 {
		out, err := p.parse(t)
		require.NoError(t, err)
		require.Empty(t, out.Document.Inline)
		require.Equal(t, collection.ParsedKey("s1", p.in.Record.ID, out.Document.SHA256), out.Document.Stored.Key)
		body, err := wholeDocument(t.Context(), p.store, out.Document)
		require.NoError(t, err)
		require.Len(t, body, int(out.Document.Size))
		require.Contains(t, string(body), strings.Repeat("x", collection.MaxDocumentInline))
	}
	require.Len(t, p.store.dump(t), 2)
	p.store.trouble = func(_ int, op, _ string) trouble {
		if op == "Create" {
			return trouble{refuse: errOutage}
		}
		return trouble{}
	}
	_, err := p.parse(t)
	requireTransient(t, err, collection.ReasonStoreUnavailable, "store the parsed document")
}

// TestParseRefused: what the rules cannot read is final, with a reason, and counted as a dead letter.
func TestParseRefused(t *testing.T) {
	required := collection.Parse{Type: "html", Fields: []collection.Field{
		{Name: "title", CSS: "h1", Required: true}, {Name: "price", CSS: "p.price", Type: "number"}}}
	schema := `{"type":"object","properties":{"title":{"minLength":5}}}`
	byJQ := collection.Parse{Type: "json", Fields: []collection.Field{{Name: "n", JQ: ".n"}}}
	for _, c := range []struct {
		name, contentType, body string
		rules                   *extract.Rules
		reason                  collection.Reason
		says                    string
	}{
		{"nothing found", "text/html", "<p>other page</p>", compiled(t, "", titleAndPrice), collection.ReasonParseEmpty, "no rule found anything"},
		{"an empty body", "text/html", "", compiled(t, "", titleAndPrice), collection.ReasonParseEmpty, ""},
		{"a required field is missing", "text/html", `<p class="price">1</p>`, compiled(t, "", required), collection.ReasonParseInvalid, "title"},
		{"a value is not of its type", "text/html", `<h1>A</h1><p class="price">cheap</p>`, compiled(t, "", titleAndPrice), collection.ReasonParseInvalid, "price"},
		{"a schema is not satisfied", "text/html", "<h1>A</h1>", compiled(t, schema, titleAndPrice), collection.ReasonSchemaViolation, "title"},
		{"no JSON", "application/json", `{"n":`, compiled(t, "", byJQ), collection.ReasonDecodeError, ""},
		// A nil is the worst set of rules there is.
		{"rules that panic", "text/html", "<h1>A</h1>", nil, collection.ReasonInternal, "the parser panicked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newParsing(t, c.rules, c.contentType, c.body)
			_, err := p.parse(t)
			requireFinal(t, err, c.reason, c.says)
			require.Equal(t, []endedCall{{"books", collection.OutcomeDeadLettered, c.reason}}, p.metrics.ended)
		})
	}
}

// TestParseBody: only the bytes that were fetched are parsed.
func TestParseBody(t *testing.T) {
	fresh := func() parsing { return newParsing(t, compiled(t, "", titleAndPrice), "text/html", "<h1>A</h1>") }
	p := fresh()
	p.store.set(t, p.in.Raw.Key, "<h1>B</h1>")
	_, err := p.parse(t)
	requireFinal(t, err, collection.ReasonInternal, "instead of "+p.in.Raw.SHA256, "replay the record")

	p = fresh()
	p.store.set(t, p.in.Raw.Key, "<h1>A</h1> and more")
	_, err = p.parse(t)
	requireFinal(t, err, collection.ReasonInternal, "read the raw body", p.in.Raw.Key)

	p = fresh()
	p.store.remove(p.in.Raw.Key)
	_, err = p.parse(t)
	requireFinal(t, err, collection.ReasonInternal, "the raw body "+p.in.Raw.Key+" is gone", "--from collect")

	p = fresh()
	p.store.trouble = func(int, string, string) trouble { return trouble{refuse: errOutage} }
	_, err = p.parse(t)
	requireTransient(t, err, collection.ReasonStoreUnavailable, "read the raw body")
	require.Empty(t, p.metrics.ended)
}

// TestParseByReference: of a large record only the key is needed, and it is the whole one.
func TestParseByReference(t *testing.T) {
	p := newParsing(t, compiled(t, "", titleAndPrice), "text/html", "<h1>A</h1>")
	key := strings.Repeat("k", 3_000)
	whole := collection.Record{ID: p.in.Record.ID, Line: 1, Key: key, URL: "https://books.example/a"}
	line, err := json.Marshal(whole)
	require.NoError(t, err)
	p.store.set(t, "b", string(line))
	p.in.Record = collection.Record{ID: whole.ID, Line: 1, Key: "kk…", Stored: &collection.ObjectRange{Key: "b", Length: int64(len(line))}}
	out, err := p.parse(t)
	require.NoError(t, err)
	var doc collection.DeliveredDocument
	require.NoError(t, json.Unmarshal(out.Document.Inline, &doc))
	require.Equal(t, key, doc.Key)

	p.store.remove("b")
	_, err = p.parse(t)
	requireFinal(t, err, collection.ReasonInternal, "the batch b is gone")
}

func TestParseUnknownSource(t *testing.T) {
	p := newParsing(t, compiled(t, "", titleAndPrice), "text/html", "<h1>A</h1>")
	p.in.Source = "shop"
	tr := &trial{}
	_, err := run(t, tr, p.Parse, p.in)
	requireTransient(t, err, collection.ReasonLeaseLost, `source "shop"`)
	require.Equal(t, 1, tr.progress(t).Ended)
}

// TestParseKiller: bytes that take three workers along are not given to a fourth (E10).
func TestParseKiller(t *testing.T) {
	p := newParsing(t, compiled(t, "", titleAndPrice), "text/html", "<h1>A</h1>")
	_, err := run(t, &trial{number: 4}, p.Parse, p.in)
	requireFinal(t, err, collection.ReasonWorkerKiller, "3 workers were lost")
	_, err = run(t, &trial{number: 3}, p.Parse, p.in)
	require.NoError(t, err)
}

func TestParseCancelled(t *testing.T) {
	ctx, cancel := stoppable(t)
	p := newParsing(t, compiled(t, "", titleAndPrice), "text/html", "<h1>A</h1>")
	p.store.trouble = func(int, string, string) trouble {
		cancel(temporal.NewCanceledError())
		return trouble{refuse: fmt.Errorf("get: %w", ctx.Err())}
	}
	_, err := run(t, &trial{ctx: ctx}, p.Parse, p.in)
	requireCancelled(t, err)
}

// TestParseWarns: a fault that the rules tolerate costs the record nothing.
func TestParseWarns(t *testing.T) {
	byLD := collection.Parse{Type: "html", Fields: []collection.Field{
		{Name: "title", CSS: "h1"}, {Name: "sku", JSONLD: ".[0].sku"}}}
	p := newParsing(t, compiled(t, "", byLD), "text/html", `<h1>A</h1><script type="application/ld+json">{"sku": </script>`)
	out, err := p.parse(t)
	require.NoError(t, err)
	require.Contains(t, string(out.Document.Inline), `"title":"A"`)
}
