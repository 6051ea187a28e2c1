package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// looked are two delivered records, of a page and of a picture, and a dead letter.
func looked() *fakeClient {
	raw := func(key, kind string, size int64) *collection.Raw {
		return &collection.Raw{Key: key, Size: size, URL: "https://www.bookshop.example/" + key, Status: 200, ContentType: kind, FetchedAt: noon}
	}
	return &fakeClient{past: fakePast{
		sample: starter.Sample{Of: 1200, Rows: []collection.LedgerRow{
			{Line: 2, Key: "page", Source: "bookshop", RecordResult: collection.RecordResult{Record: "0d0d1105f836d5a415e2",
				Outcome: collection.OutcomeDelivered, Raw: raw("raw/page", "text/html; charset=utf-8", 70), Missing: []string{"isbn"},
				Delivered: &collection.Delivered{Key: "doc/page"}}},
			{Line: 3, Key: "picture", Source: "bookshop", RecordResult: collection.RecordResult{Record: "be3ef130c6e82f370a49",
				Outcome: collection.OutcomeDelivered, Raw: raw("raw/picture", "image/png", 40), Delivered: &collection.Delivered{Key: "doc/none"}}},
			{Line: 4, Key: "dead", Source: "bookshop", RecordResult: collection.RecordResult{Record: "ce3ef130c6e82f370a49",
				Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonParseEmpty, Detail: "nothing was found", Raw: raw("raw/none", "", 4)}},
		}},
		bodies: map[string][]byte{
			"raw/page":    []byte("<html>\n\n<h1>Ulysses\x1b[2J</h1>\r\n<p class=price>12,50 €</p>\n</html>\n"),
			"raw/picture": append([]byte{0x89, 'P', 'N', 'G', 0}, make([]byte, 35)...),
		},
		fields: map[string]map[string]any{"doc/page": {"title": "Ulysses", "price": 12.5, "note": "", "tags": []any{"a", "b"}}},
	}}
}

func TestSample(t *testing.T) {
	t.Parallel()
	c := looked()
	s := ask(t, c, "sample", "acme-1", "--n", "3", "--seed", "7", "--source", "bookshop")
	require.Zero(t, s.code, s.stderr)
	require.Equal(t, text(`
1 of 3  page
record   0d0d1105f836d5a415e2
source   bookshop
url      https://www.bookshop.example/raw/page
outcome  delivered
missing  isbn
captured 70 B text/html; charset=utf-8
  <html>
  <h1>Ulysses\x1b[2J</h1>
  <p class=price>12,50 €</p>
  </html>
parsed
  note   ""
  price  12.5
  tags   ["a","b"]
  title  Ulysses

2 of 3  picture
record   be3ef130c6e82f370a49
source   bookshop
url      https://www.bookshop.example/raw/picture
outcome  delivered
note     the delivered document is not kept any more: doc/none
captured 40 B image/png
  89504e4700000000000000000000000000000000000000000000000000000000
  0000000000000000

3 of 3  dead
record   ce3ef130c6e82f370a49
source   bookshop
url      https://www.bookshop.example/raw/none
outcome  dead_lettered parse_empty
detail   nothing was found
note     the captured body is not kept any more: raw/none
`), s.stdout)
	require.Equal(t, "3 of 1,200 rows with outcome delivered and source bookshop; the same again: --seed 7\n", s.stderr)
	require.Equal(t, starter.Filter{Outcome: collection.OutcomeDelivered, Source: "bookshop"}, c.filter)
	require.Equal(t, 3, c.past.n)
	require.Equal(t, uint64(7), c.past.seed)
}

func TestSampleOfAReason(t *testing.T) {
	t.Parallel()
	c := looked()
	ask(t, c, "sample", "acme-1", "--reason", "parse_empty")
	require.Equal(t, starter.Filter{Reason: collection.ReasonParseEmpty}, c.filter, "a reason is never one of delivered rows")
	require.Equal(t, 5, c.past.n)
	ask(t, c, "sample", "acme-1", "--outcome", "gone")
	require.Equal(t, starter.Filter{Outcome: collection.OutcomeGone}, c.filter)
}

func TestSampleAsJSON(t *testing.T) {
	t.Parallel()
	s := ask(t, looked(), "sample", "acme-1", "-o", "json", "--bytes", "52")
	require.Zero(t, s.code, s.stderr)
	lines := strings.Split(strings.TrimSpace(s.stdout), "\n")
	require.Len(t, lines, 3)
	var got sampled
	require.NoError(t, json.Unmarshal([]byte(lines[0]), &got))
	require.Equal(t, "Ulysses", got.Fields["title"])
	require.True(t, got.Raw.Clipped)
	require.Equal(t, int64(70), got.Raw.Size)
	var picture sampled
	require.NoError(t, json.Unmarshal([]byte(lines[1]), &picture))
	require.Len(t, picture.Raw.Hex, 80)
	require.False(t, picture.Raw.Clipped)
}

// TestSampleCutsNoCharacter: whatever the number of bytes, what is shown of a text is one.
func TestSampleCutsNoCharacter(t *testing.T) {
	t.Parallel()
	body := []byte("a€ß😀z")
	for n := 1; n <= len(body)+1; n++ {
		one := sampled{Raw: &sampledRaw{}}
		one.show(body, n)
		require.Empty(t, one.Raw.Hex, n)
		require.True(t, strings.HasPrefix(string(body), one.Raw.Text))
		require.Equal(t, n < len(body), one.Raw.Clipped, n)
		require.LessOrEqual(t, len(one.Raw.Text), n)
	}
	one := sampled{Raw: &sampledRaw{}}
	one.show(body, 0)
	require.Equal(t, string(body), one.Raw.Text)
	broken := sampled{Raw: &sampledRaw{}}
	broken.show([]byte{0xff, 0xfe, 'a'}, 2)
	require.Equal(t, "fffe", broken.Raw.Hex)
}

func TestSampleIsSaved(t *testing.T) {
	t.Parallel()
	w := testWorld(t)
	c := looked()
	s := in(w, (&fakes{client: c}).edges(), "sample", "acme-1", "--save", "look/here", "--bytes", "10")
	require.Zero(t, s.code, s.stderr)
	require.Contains(t, s.stdout, "wrote    look/here/0d0d1105f836d5a415e2.raw.html\nwrote    look/here/0d0d1105f836d5a415e2.parsed.json\n")
	require.Contains(t, s.stdout, "  … there is more: --bytes 0 shows all, --save writes it\n")
	body, err := os.ReadFile(filepath.Join(w.Dir, "look", "here", "0d0d1105f836d5a415e2.raw.html"))
	require.NoError(t, err)
	require.Equal(t, c.past.bodies["raw/page"], body, "whole, and as it was captured")
	parsed, err := os.ReadFile(filepath.Join(w.Dir, "look", "here", "0d0d1105f836d5a415e2.parsed.json"))
	require.NoError(t, err)
	var document collection.DeliveredDocument
	require.NoError(t, json.Unmarshal(parsed, &document))
	require.Equal(t, "Ulysses", document.Fields["title"])
	files, err := os.ReadDir(filepath.Join(w.Dir, "look", "here"))
	require.NoError(t, err)
	require.Len(t, files, 3)
	require.FileExists(t, filepath.Join(w.Dir, "look", "here", "be3ef130c6e82f370a49.raw.bin"))
	requireOwners(t, filepath.Join(w.Dir, "look"))

	c.past.sample.Rows[0].Record = "../../weir"
	s = in(w, (&fakes{client: c}).edges(), "sample", "acme-1", "--save", "look/here")
	require.Equal(t, 1, s.code)
	require.Contains(t, s.stderr, "which is no id: nothing is written for it")
}

func TestSampleOfNothing(t *testing.T) {
	t.Parallel()
	s := ask(t, &fakeClient{}, "sample", "acme-1")
	require.Equal(t, session{stderr: "no rows with outcome delivered\n"}, s)
	s = ask(t, &fakeClient{err: notThere("there is no submission nope"), statusErr: notThere("there is no submission nope")}, "sample", "nope")
	require.Equal(t, session{code: ExitNotFound, stderr: "weir: there is no submission nope\n"}, s)
	s = ask(t, &fakeClient{err: errors.New("the store is gone")}, "sample", "acme-1")
	require.Equal(t, session{code: 1, stderr: "weir: the store is gone\n"}, s)
}

// TestSampleTellsItsSeed: one that nobody chose can be chosen again.
func TestSampleTellsItsSeed(t *testing.T) {
	t.Parallel()
	c := looked()
	w := testWorld(t)
	w.Now = func() time.Time { return noon.Add(1234567) }
	s := in(w, (&fakes{client: c}).edges(), "sample", "acme-1")
	require.Equal(t, uint64(1234567), c.past.seed)
	require.Contains(t, s.stderr, "the same again: --seed 1234567\n")
}
