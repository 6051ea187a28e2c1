package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// tryWorld is a world with a site, and a configuration whose source it is. asked counts its pages' requests.
func tryWorld(t *testing.T) (w World, site string, asked *atomic.Int32) {
	t.Helper()
	asked = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: tester\nDisallow: /private\n")
			return
		case "/book":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, `<h1>A  book</h1><p class=price>4.50</p>`)
		case "/blank":
			w.WriteHeader(http.StatusOK)
		case "/empty":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<p>nothing here</p>`)
		default:
			http.NotFound(w, r)
		}
		asked.Add(1)
	}))
	t.Cleanup(server.Close)
	w = testWorld(t)
	file := filepath.Join(w.Dir, "weir.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`
user_agent: "tester/1.0 (+https://example.com/contact)"
customers: [{name: acme}]
sources:
  - name: books
    hosts: [127.0.0.1]
    allow_private_addresses: true
    parse:
      type: html
      fields:
        - {name: title, css: h1}
        - {name: price, css: .price, type: number}
        - {name: isbn, css: .isbn}
`), 0o600))
	return w, server.URL, asked
}

// TestTry: each step is told, and which rule found what.
func TestTry(t *testing.T) {
	t.Parallel()
	w, site, _ := tryWorld(t)
	s := in(w, edges{}, "try", site+"/book", "--save", "book.html")
	require.Zero(t, s.code, s.stderr)
	require.Equal(t, text(`
source      books
request     SITE/book
by          direct
robots.txt  allowed: no rule
answer      HTTP 200, 39 B, text/html; charset=utf-8, in under 0.1 s
SHA-256     5d3e
read as     html
not found   isbn
outcome     it would be delivered

field  found by    value
title  css h1      "A book"
price  css .price  4.50
`), digestCut(strings.ReplaceAll(s.stdout, site, "SITE")))

	raw := in(w, edges{}, "try", "--raw", "book.html", "--source", "books", "--output", "json")
	require.Zero(t, raw.code, raw.stderr)
	require.JSONEq(t, `{"source": "books", "parse": {"type": "html", "missing": ["isbn"], "fields": [
		{"name": "title", "value": "A book", "rule": "css h1"}, {"name": "price", "value": 4.50, "rule": "css .price"}]}}`, raw.stdout)
}

// digestCut cuts the digest, which a test need not know by heart, to its beginning.
func digestCut(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if rest, ok := strings.CutPrefix(line, "SHA-256     "); ok && len(rest) == 64 {
			lines[i] = "SHA-256     5d3e"
		}
	}
	return strings.Join(lines, "\n")
}

// TestTryEnds: where a record would end, the reason and what to do are told, and nobody is asked who must not be.
func TestTryEnds(t *testing.T) {
	t.Parallel()
	w, site, asked := tryWorld(t)
	for _, c := range []struct {
		args  []string
		want  []string
		asked int32
	}{
		{[]string{site + "/private"}, []string{"forbidden by line 2", "reason      robots_denied"}, 0},
		{[]string{site + "/none"}, []string{"HTTP 404", "outcome     gone"}, 1},
		{[]string{site + "/empty"}, []string{"reason      parse_empty", "no rule found anything"}, 1},
		{[]string{`{"url": "` + site + `/empty", "source": "books"}`}, []string{"parse_empty"}, 1},
	} {
		asked.Store(0)
		s := in(w, edges{}, append([]string{"try"}, c.args...)...)
		require.Equal(t, ExitNotComplete, s.code, "%v: %s", c.args, s.stderr)
		for _, want := range c.want {
			require.Contains(t, s.stdout, want)
		}
		require.Equal(t, c.asked, asked.Load(), c.args)
	}
}

// TestTrySaves: a body that was kept is saved, also one without a byte; where none was kept, that is said beside the answer.
func TestTrySaves(t *testing.T) {
	t.Parallel()
	w, site, _ := tryWorld(t)
	for path, want := range map[string]bool{"/none": false, "/private": false, "/book": true, "/blank": true} {
		file := filepath.Join(w.Dir, strings.TrimPrefix(path, "/")+".html")
		s := in(w, edges{}, "try", site+path, "--save", file, "--output", "json")
		saved, err := os.ReadFile(file)
		if !want {
			require.ErrorIs(t, err, os.ErrNotExist)
			require.Contains(t, s.stderr, "nothing was saved to "+file)
			continue
		}
		require.NoError(t, err, path)
		require.Empty(t, s.stderr)
		require.Equal(t, path == "/blank", len(saved) == 0)
	}
}

// TestTryMisused: each wrong use is named.
func TestTryMisused(t *testing.T) {
	t.Parallel()
	w, site, asked := tryWorld(t)
	for want, args := range map[string][]string{
		"give a record, or --raw FILE":               {},
		"one of them":                                {site, "--raw", "x"},
		"no source owns the host":                    {"https://other.example/"},
		`source books has no method "api"`:           {site + "/book", "--method", "api"},
		`source books does not go out by "east"`:     {site + "/book", "--egress", "east"},
		"say whose rules read the body":              {"--raw", "x"},
		`source "films" is not in the configuration`: {"--raw", "x", "--source", "films"},
		"read the saved body":                        {"--raw", "missing.html", "--source", "books"},
		"the record cannot be read":                  {"{"},
	} {
		s := in(w, edges{}, append([]string{"try"}, args...)...)
		require.Equal(t, ExitUsage, s.code, "%v: %s", args, s.stderr)
		require.Contains(t, s.stderr, want)
	}
	require.Zero(t, asked.Load())
}

// TestTryByMethod: what a row must have is decided by the method that was asked for.
func TestTryByMethod(t *testing.T) {
	t.Parallel()
	w, site, _ := tryWorld(t)
	file := filepath.Join(w.Dir, "weir.yaml")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	methods := "    methods:\n      - {name: main}\n      - {name: alt, request: {url: \"" + site + "/{page}\"}}\n    parse:\n"
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(content), "    parse:\n", methods, 1)), 0o600))
	record := `{"source":"books","page":"book"}`
	s := in(w, (&fakes{}).edges(), "try", record, "--method", "alt")
	require.Zero(t, s.code, s.stderr)
	require.Contains(t, s.stdout, site+"/book")
	s = in(w, (&fakes{}).edges(), "try", record, "--method", "altt")
	require.Equal(t, session{code: ExitUsage, stderr: "weir: source books has no method \"altt\"; its methods are main, alt\n"}, s)
	s = in(w, (&fakes{}).edges(), "try", record)
	require.Contains(t, s.stderr, "source books builds none", "its first method asks for the row's own URL")
	s = in(w, (&fakes{}).edges(), "try", site+"/nowhere")
	require.Contains(t, s.stdout, "HTTP 404, body not read")
}
