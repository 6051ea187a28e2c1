package fetch

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// TestFingerprint: requests to one URL have one fingerprint as long as nothing of them has changed that the answer may hang on.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	base := collection.Source{Name: "a", Hosts: []string{"a.example"}, Request: collection.Request{
		URL: "https://a.example/", Method: http.MethodPost, Body: `{"q": {q}}`, Headers: map[string]string{"Accept-Language": "de"},
		SecretHeaders: map[string]string{"Authorization": "env:ONE"},
	}}
	rec := collection.Record{Fields: json.RawMessage(`{"q":"x"}`)}
	of := func(agent string, src collection.Source, rec collection.Record) string {
		client := New(Options{UserAgent: agent})
		defer client.Close()
		print, err := client.Fingerprint(src, rec)
		require.NoError(t, err)
		return print
	}
	same := of("a/1", base, rec)
	require.Len(t, same, 64)
	again := base
	again.Ceiling, again.Attempts = 9, 9
	require.Equal(t, same, of("a/1", again, rec), "what does not go out does not count")

	seen := map[string]string{same: "as it was"}
	for what, change := range map[string]func(*collection.Request){
		"language": func(r *collection.Request) { r.Headers = map[string]string{"Accept-Language": "en"} },
		"secret":   func(r *collection.Request) { r.SecretHeaders = map[string]string{"Authorization": "env:TWO"} },
		"header":   func(r *collection.Request) { r.SecretHeaders = map[string]string{"X-Key": "env:ONE"} },
		"body":     func(r *collection.Request) { r.Body = `{"query": {q}}` },
		"form":     func(r *collection.Request) { r.Body, r.BodyType = "q={q}", "form" },
		"method":   func(r *collection.Request) { r.Method = http.MethodPut },
	} {
		src := base
		change(&src.Request)
		print := of("a/1", src, rec)
		require.Empty(t, seen[print], what)
		seen[print] = what
	}
	require.Empty(t, seen[of("b/1", base, rec)], "user agent")
	require.Empty(t, seen[of("a/1", base, collection.Record{Fields: json.RawMessage(`{"q":"y"}`)})], "fields")

	client := New(Options{})
	defer client.Close()
	_, err := client.Fingerprint(base, collection.Record{})
	var input *InputError
	require.ErrorAs(t, err, &input)
}

// TestNothingIsAskedBeforeStill: a fetch that ends before anything goes out has not asked whether it may, so that whoever
// counts requests there counts none.
func TestNothingIsAskedBeforeStill(t *testing.T) {
	t.Parallel()
	asked := 0
	still := func() error {
		asked++
		return nil
	}
	missing := func(string) (string, error) { return "", errors.New("it is not set") }
	client := New(Options{Secret: missing, Egresses: []collection.Egress{
		{Name: "east", Type: "http", Address: "127.0.0.1:1", User: "env:USER", Password: "env:PASSWORD", AllowPrivateAddress: true},
	}})
	defer client.Close()
	withSecret := collection.Source{Name: "a", Hosts: []string{"a.example"}, Request: collection.Request{SecretHeaders: map[string]string{"X-Key": "env:KEY"}}}
	for url, c := range map[string]struct {
		src    collection.Source
		egress string
		want   failure.Transport
	}{
		"https://a.example/":  {withSecret, "", failure.TransportSecretUnavailable},
		"https://a.example/1": {collection.Source{Name: "a", Hosts: []string{"a.example"}}, "east", failure.TransportSecretUnavailable},
		"http://10.0.0.1/":    {collection.Source{Name: "a", Hosts: []string{"10.0.0.1"}}, "", failure.TransportPrivateAddress},
		"ftp://a.example/":    {collection.Source{Name: "a", Hosts: []string{"a.example"}}, "", failure.TransportRequestInvalid},
	} {
		_, o := client.Fetch(t.Context(), c.src, record(url), collection.Via{Still: still, Egress: c.egress})
		require.Equal(t, c.want, o.Transport, o.Message)
		require.Zero(t, asked, url)
	}

	site := newHostile(t, says("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\npage"))
	_, o := client.Fetch(t.Context(), source(), record(site.url("/")), collection.Via{Still: still})
	require.Empty(t, failure.Classify(o), o.Message)
	require.Positive(t, asked)
}

// TestDoubt: what a resolver says of a name may be said of every name; an address is what it is.
func TestDoubt(t *testing.T) {
	t.Parallel()
	hosts := []string{"*.wild.example", "own.example", "10.0.0.1", "localhost"}
	for url, c := range map[string]struct {
		template          string
		certain, ofSource bool
	}{
		"http://10.0.0.1/":           {"", true, false},
		"http://a.wild.example/":     {"", false, false},
		"http://own.example/":        {"", false, true},
		"http://OWN.example.:80/":    {"", false, true},
		"http://localhost/":          {"", true, false},
		"http://api.wild.example/":   {"http://api.wild.example:80/{x}", false, true},
		"http://other.wild.example/": {"http://{host}.wild.example/", false, false},
	} {
		for _, private := range []bool{false, true} {
			src := collection.Source{Name: "a", Hosts: hosts, Request: collection.Request{URL: c.template}}
			req, err := BuildRequest(collection.Source{Name: "a", Hosts: hosts}, record(url))
			require.NoError(t, err)
			x := exchange{src: src, req: req}
			x.observed.Transport = failure.TransportDNSNotFound
			if private {
				x.observed.Transport = failure.TransportPrivateAddress
			}
			x.doubt()
			require.Equal(t, c.certain && private, x.observed.Certain, url)
			if c.ofSource || private {
				require.Equal(t, c.ofSource, x.observed.OfSource, url)
			}
		}
	}
	x := exchange{observed: failure.Observation{Transport: failure.TransportReset}}
	x.doubt()
	require.False(t, x.observed.Certain || x.observed.OfSource)
}

// TestHeadHasNoLength: an answer to HEAD has no body whose end could be missing.
func TestHeadHasNoLength(t *testing.T) {
	t.Parallel()
	for _, header := range []string{"", "Content-Encoding: gzip\r\n", "Content-Length: 9999999\r\n", "Transfer-Encoding: chunked\r\n"} {
		site := newHostile(t, says("HTTP/1.1 200 OK\r\n"+header+"\r\n"))
		src := source()
		src.RequireLength, src.Request.Method = true, http.MethodHead
		res, o := get(t, Options{}, src, site.url("/"))
		requireBody(t, res, o, "")
		require.Empty(t, o.Warnings)
	}
}
