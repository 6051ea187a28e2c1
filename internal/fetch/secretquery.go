package fetch

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/weir-collect/weir/collection"
)

// discretion is what one fetch knows of the secrets in its query: they go out with its first request, and into nothing that
// is kept or told. The zero value has none.
type discretion struct {
	// query is what is added to the URL, encoded, and names are the parameters in it.
	query string
	names map[string]bool
	// hide takes the values out of a text, however they are written.
	hide *strings.Replacer
}

// concealed stands in texts where a secret was.
const concealed = "[secret]"

// secretQuery resolves the secrets of a query.
func (c *Client) secretQuery(references collection.QuerySecrets) (discretion, error) {
	if len(references) == 0 {
		return discretion{}, nil
	}
	d := discretion{names: map[string]bool{}}
	var hidden []string
	for _, name := range slices.Sorted(maps.Keys(references)) {
		value, err := c.options.Secret(references[name])
		if err != nil {
			return discretion{}, &secretError{what: fmt.Sprintf("secret parameter %q", name), cause: err}
		}
		d.query = joined(d.query, url.QueryEscape(name)+"="+url.QueryEscape(value))
		d.names[name] = true
		for _, written := range []string{value, url.QueryEscape(value), url.PathEscape(value), encodeReserved(value)} {
			hidden = append(hidden, written, concealed, lowerTriplets(written), concealed)
		}
	}
	d.hide = strings.NewReplacer(hidden...)
	return d, nil
}

// joined are two pieces of a query as one.
func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "&" + b
}

// lowerTriplets writes percent-encoded bytes in the way that upperTriplets does not.
func lowerTriplets(s string) string {
	b := []byte(s)
	for i := range b {
		if isTriplet(s[i:]) {
			copy(b[i:], strings.ToLower(s[i:i+3]))
		}
	}
	return string(b)
}

// addTo is a transport that adds the secrets to the request for a URL, and to no other: not to those of redirects.
func (d discretion) addTo(transport http.RoundTripper, first *url.URL) http.RoundTripper {
	if d.query == "" {
		return transport
	}
	return &queried{discretion: d, transport: transport, first: first}
}

type queried struct {
	discretion
	transport http.RoundTripper
	first     *url.URL
}

// RoundTrip sends the request. Whose URL it is tells the very pointer: a redirect may lead to a URL of the same text.
func (q *queried) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL != q.first {
		return q.transport.RoundTrip(req)
	}
	full := *req.URL
	// What a record's own URL says under these names gives way.
	full.RawQuery, full.ForceQuery = joined(q.withoutSecrets(full.RawQuery), q.query), false
	sent := *req
	sent.URL = &full
	return q.transport.RoundTrip(&sent)
}

// withoutSecrets is a query without the parameters that hold secrets, and otherwise as it was written.
func (d discretion) withoutSecrets(query string) string {
	if len(d.names) == 0 {
		return query
	}
	kept := slices.DeleteFunc(strings.Split(query, "&"), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		plain, err := url.QueryUnescape(name)
		return err == nil && d.names[plain]
	})
	return strings.Join(kept, "&")
}

// clean is a text without the secrets.
func (d discretion) clean(text string) string {
	if d.hide == nil {
		return text
	}
	return d.hide.Replace(text)
}

// conceal takes the secrets out of an answer's URL and header: many targets redirect to the URL that they were asked for, or
// name it. Its body is what was captured, and stays so. first is the URL that the record was asked by, which has none.
func (d discretion) conceal(res *collection.Response, first *url.URL) {
	if d.hide == nil {
		return
	}
	for name, value := range res.Header {
		res.Header[name] = d.clean(value)
	}
	res.ContentType = d.clean(res.ContentType)
	if res.URL == first.String() {
		return
	}
	if u, err := url.Parse(res.URL); err == nil {
		u.RawQuery = d.withoutSecrets(u.RawQuery)
		res.URL = u.String()
	}
	res.URL = d.clean(res.URL)
}
