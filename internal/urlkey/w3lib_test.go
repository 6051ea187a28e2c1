package urlkey_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/urlkey"
)

type w3libCase struct {
	Input    any            `json:"input"`
	Options  map[string]any `json:"options"`
	Expected string         `json:"expected"`
}

// url gives the input as the bytes that a file would hold.
func (c w3libCase) url() string {
	if s, ok := c.Input.(string); ok {
		return s
	}
	latin1 := c.Input.(map[string]any)["bytes_latin1"].(string)
	raw := make([]byte, 0, len(latin1))
	for _, r := range latin1 {
		raw = append(raw, byte(r))
	}
	return string(raw)
}

// name tells apart cases that differ only in their options.
func (c w3libCase) name() string {
	if len(c.Options) == 0 {
		return c.url()
	}
	options, err := json.Marshal(c.Options)
	if err != nil {
		return err.Error()
	}
	return c.url() + " " + string(options)
}

// The reasons for which we differ from w3lib's canonicalize_url.
const (
	keepsEmptyParams = "an empty parameter is seen by the server and stays"
	keepsBareName    = `"a" and "a=" differ for a server`
	keepsSpaceForm   = `"+" and "%20" differ for a server`
	keepsReserved    = "a reserved character and its triplet are not the same (RFC 3986 2.2)"
	sortsByNameOnly  = "repeated names keep their order, a server reads them as a list"
	onlyUTF8         = "a URL in a record is UTF-8, there is no charset option"
	noFragment       = "a fragment never reaches a server"
	onlyAmpersand    = "only & separates parameters (WHATWG URL, urlencoded parsing)"
	noUserinfo       = "credentials do not belong in records"
	onlyHTTP         = "only http and https can be collected"
	onlyAbsolute     = "a record needs an absolute URL"
	validHost        = "a host that cannot be contacted is refused"
)

// w3libDifferences is exact: TestW3lib fails when one is missing or is none.
var w3libDifferences = map[string]string{
	"http://www.example.com/do?&a=1":                                          keepsEmptyParams,
	`http://www.example.com/do?c=1;b=2;a=3 {"query_separator":";"}`:           onlyAmpersand,
	"http://www.example.com/do?c=3&b=5&b=2&a=50":                              sortsByNameOnly,
	`http://www.example.com/do?b=&a=2 {"keep_blank_values":false}`:            keepsEmptyParams,
	`http://www.example.com/do?b=&c&a=2 {"keep_blank_values":false}`:          keepsEmptyParams,
	"http://www.example.com/do?b=&c&a=2":                                      keepsBareName,
	"http://www.example.com/do?1750,4":                                        keepsBareName,
	"http://www.example.com/do?q=a space&a=1":                                 keepsSpaceForm,
	"http://www.example.com/do?q=a%20space&a=1":                               keepsSpaceForm,
	`http://www.example.com/résumé?q=résumé {"encoding":"latin1"}`:            onlyUTF8,
	`http://www.example.com/résumé?country=Россия {"encoding":"cp1251"}`:      onlyUTF8,
	"https://example.com/a%23b%2cc#bash":                                      keepsReserved,
	"http://www.example.com/do?price(£)=500&a=1":                              keepsReserved,
	"http://user:pass@www.example.com:81/do?now=1":                            noUserinfo,
	"http://user:pass@www.example.com/do?a=1#frag":                            noUserinfo,
	`http://user:pass@www.example.com/do?a=1#frag {"keep_fragments":true}`:    noUserinfo,
	"http://user@例え.jp/path":                                                  noUserinfo,
	"http://user:pass@例え.jp:8080/p":                                           noUserinfo,
	`http://[::1]/do?a=1#frag {"keep_fragments":true}`:                        noFragment,
	`http://www.example.com/path/to/%23/foo/bar#frag {"keep_fragments":true}`: noFragment,
	`http://www.example.com/path/to/%23/foo/bar?url=http%3A%2F%2Fwww.example.com%2F%2Fpath%2Fto%2F%23%2Fbar%2Ffoo#frag {"keep_fragments":true}`: noFragment,
	"a#frag":                                onlyAbsolute,
	`a#frag {"keep_fragments":true}`:        onlyAbsolute,
	"a?b=1#frag":                            onlyAbsolute,
	"?b=1":                                  onlyAbsolute,
	"sftp://UsEr:PaSsWoRd@www.EXAMPLE.com/": onlyHTTP,
	"http://.éxamplé.com/résumé?q=résumé":                                  validHost,
	"http://www." + strings.Repeat("éxamplé", 11) + ".com/résumé?q=résumé": validHost,
}

// TestW3lib compares keys with w3lib's canonical form, which has the same
// purpose and other choices.
func TestW3lib(t *testing.T) {
	t.Parallel()
	var corpus struct{ Cases []w3libCase }
	readCorpus(t, "url/w3lib/canonicalize_url.json", &corpus)
	require.NotEmpty(t, corpus.Cases)
	used := map[string]bool{}
	for _, c := range corpus.Cases {
		requireLaws(t, c.url())
		key, err := urlkey.Key(c.url())
		got := key
		if err != nil {
			got = err.Error()
		}
		expected := c.Expected
		if again, err := urlkey.Key(expected); err == nil && again == expected+"/" {
			expected = again // w3lib leaves an empty path, the key never does
		}
		reason, listed := w3libDifferences[c.name()]
		if !listed {
			require.Equal(t, expected, got, "%s is a difference and is not listed", c.name())
			continue
		}
		used[c.name()] = true
		require.NotEqual(t, expected, got, "%s is listed as a difference (%s) and is none", c.name(), reason)
	}
	for name := range w3libDifferences {
		require.True(t, used[name], "%s is listed as a difference and is not in the corpus", name)
	}
}
