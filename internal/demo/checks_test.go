package demo

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/cli/screen"
	"github.com/weir-collect/weir/internal/demo/site"
	"github.com/weir-collect/weir/starter"
)

// perfect is a demo in which everything came out right, and the screen that it writes on.
func perfect(t *testing.T) (*checks, []fetchedFile, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	c := &checks{
		show: &show{Options: Options{Screen: screen.New(&out, screen.Options{})}}, rows: scenario(address),
		status: collection.SubmissionStatus{State: collection.StatePartiallyFailed}, ended: map[int]collection.LedgerRow{},
	}
	var lines bytes.Buffer
	for _, r := range c.rows {
		id := fmt.Sprintf("%020x", r.line)
		c.ended[r.line] = collection.LedgerRow{Line: r.line, Key: r.cells[0], RecordResult: collection.RecordResult{
			Record: id, Outcome: r.outcome, Reason: r.reason, Attempts: 1}}
		if r.outcome == collection.OutcomeDelivered {
			require.NoError(t, json.NewEncoder(&lines).Encode(collection.DeliveredDocument{Record: id, Fields: r.fields}))
		}
	}
	return c, delivery(t, lines.Bytes()), &out
}

// delivery is the files of a delivery with these results.
func delivery(t *testing.T, results []byte) []fetchedFile {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(results)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	file := func(name string, body []byte) fetchedFile {
		sum := sha256.Sum256(body)
		return fetchedFile{starter.Link{Name: name, SHA256: hex.EncodeToString(sum[:])}, body}
	}
	manifest := file("manifest.json", []byte("{}"))
	sums := fetchedFile{starter.Link{Name: "manifest.sha256"}, []byte(manifest.SHA256 + "  manifest.json\n")}
	return []fetchedFile{manifest, sums, file("results-00001.jsonl.gz", packed.Bytes())}
}

func TestNothingDiffers(t *testing.T) {
	t.Parallel()
	c, files, out := perfect(t)
	c.compareRows()
	c.showRows()
	c.showFailures()
	c.compareFiles(files)
	c.compareDocuments(files)
	c.submittedAgain(starter.Submitted{ID: "demo-1"}, starter.Submitted{ID: "demo-1", Existing: true})
	require.NoError(t, c.conclude(), c.problems)
	require.Contains(t, out.String(), "Everything is as it must be: 40 rows, 35 delivered documents, 3 verified files.\n")
	require.Regexp(t, `16 of 16 +16  delivered +a page\n`, out.String())
	require.Regexp(t, `1 of 1 +1  dead_lettered \(parse_empty\) +200, but nothing on the page\n`, out.String())
	require.Regexp(t, `\n +9  invalid +row_malformed`, out.String())
}

// TestDifferencesAreFound: each check finds what it is there for.
func TestDifferencesAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(c *checks, files []fetchedFile) []fetchedFile
		says  string
	}{
		"a row that ended otherwise": {func(c *checks, f []fetchedFile) []fetchedFile {
			r := c.ended[3]
			r.Outcome, r.Reason = collection.OutcomeDeadLettered, collection.ReasonTimeout
			c.ended[3] = r
			return f
		}, "line 3, a page: it must end delivered, and ended dead_lettered (timeout)"},
		"a row with another reason": {func(c *checks, f []fetchedFile) []fetchedFile {
			r := c.ended[lineUnknown]
			r.Reason = collection.ReasonRowMalformed
			c.ended[lineUnknown] = r
			return f
		}, "it must end invalid (source_unknown), and ended invalid (row_malformed)"},
		"a row that is lost": {func(c *checks, f []fetchedFile) []fetchedFile {
			delete(c.ended, 7)
			return f
		}, "line 7, 404: it is not in the ledger"},
		"a row too many": {func(c *checks, f []fetchedFile) []fetchedFile {
			c.ended[99] = collection.LedgerRow{Line: 99}
			return f
		}, "the ledger accounts for 41 rows, the file has 40"},
		"another state": {func(c *checks, f []fetchedFile) []fetchedFile {
			c.status.State = collection.StateComplete
			return f
		}, "the submission must end partially_failed, and ended complete"},
		"a damaged file": {func(_ *checks, f []fetchedFile) []fetchedFile {
			f[0].body = []byte("{ }")
			return f
		}, "file manifest.json: its SHA-256 is"},
		"a checksum of something else": {func(_ *checks, f []fetchedFile) []fetchedFile {
			f[1].body = []byte("00  manifest.json\n")
			return f
		}, "file manifest.sha256: it is the checksum of no file of the delivery"},
		"results that cannot be unpacked": {func(_ *checks, f []fetchedFile) []fetchedFile {
			f[2].body = f[2].body[:10]
			return f
		}, "file results-00001.jsonl.gz: "},
		"a missing document": {func(_ *checks, f []fetchedFile) []fetchedFile {
			return f[:2]
		}, "line 2: its document is in no file of the results"},
		"a wrong document": {func(c *checks, f []fetchedFile) []fetchedFile {
			c.rows[0].fields["price"] = 12.51
			return f
		}, "line 2: its document holds map["},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checks, files, out := perfect(t)
			files = c.spoil(checks, files)
			checks.compareRows()
			checks.showRows()
			checks.compareFiles(files)
			checks.compareDocuments(files)
			err := checks.conclude()
			require.ErrorIs(t, err, ErrDiffers)
			require.Contains(t, out.String(), "differs: ")
			require.Contains(t, strings.Join(checks.problems, "\n"), c.says)
		})
	}
}

func TestADocumentTooMany(t *testing.T) {
	t.Parallel()
	c, _, _ := perfect(t)
	var lines bytes.Buffer
	for _, r := range c.rows {
		require.NoError(t, json.NewEncoder(&lines).Encode(collection.DeliveredDocument{Record: c.ended[r.line].Record, Fields: r.fields}))
	}
	c.compareDocuments(delivery(t, lines.Bytes()))
	require.Equal(t, []string{"5 documents too many in the results"}, c.problems)
}

func TestASecondSubmissionDiffers(t *testing.T) {
	t.Parallel()
	c, _, _ := perfect(t)
	c.submittedAgain(starter.Submitted{ID: "demo-1"}, starter.Submitted{ID: "demo-1"})
	c.submittedAgain(starter.Submitted{ID: "demo-1"}, starter.Submitted{ID: "demo-2", Existing: true})
	require.EqualError(t, c.conclude(), "not everything is as it must be: 2 differences")
}

// TestCeilingsAreSeenFromTheSite opens more requests than the ceiling allows, all at once.
func TestCeilingsAreSeenFromTheSite(t *testing.T) {
	t.Parallel()
	c, _, out := perfect(t)
	s, err := site.Start(site.DefaultTiming())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Stop(context.Background())) })
	c.parts.site = s
	c.compareLoads()
	require.Empty(t, c.problems)

	done := make(chan error, stockCeiling+1)
	for range stockCeiling + 1 {
		go func() {
			_, err := fetch(context.Background(), s.URL(site.StockHost, site.Items()[9].Path())) // the slow one
			done <- err
		}()
	}
	for range stockCeiling + 1 {
		require.NoError(t, <-done)
	}
	c.compareLoads()
	require.Equal(t, []string{"source stock saw 3 requests at once, its ceiling is 2"}, c.problems)
	require.Regexp(t, `stock +2 +3 +3  above its ceiling`, out.String())
}

func TestFetchByLink(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("signature") != "good" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte("content"))
	}))
	t.Cleanup(server.Close)
	files, err := fetchAll(t.Context(), []starter.Link{{Name: "a", URL: server.URL + "?signature=good"}})
	require.NoError(t, err)
	require.Equal(t, "content", string(files[0].body))
	_, err = fetchAll(t.Context(), []starter.Link{{Name: "a", URL: server.URL + "?signature=bad"}})
	require.EqualError(t, err, "fetch a by its link: the store answers 403 Forbidden")
}
