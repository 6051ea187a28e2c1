// Package urlkey computes the dedupe key of a URL: one text for all spellings
// that name the same resource, and different texts for whatever a server can
// tell apart. It is for keys and for finding a record's source by host; the
// URL that is requested is always the one written, never the key.
//
// It must not know what a source, a record or a request is, and it does no
// I/O: no name is resolved here.
//
// What is normalised is what RFC 3986 section 6.2.2 (syntax) and 6.2.3
// (scheme) allow, plus the order of query parameters. Where the RFC leaves the
// host open, the host parser of the WHATWG URL standard decides, because the
// host in the key must be the host a browser would contact. Where the two
// readings of a text disagree on the host, the URL is refused.
package urlkey

import "strings"

// Key returns the dedupe key of raw, or an *Error that says what is wrong.
// Key(Key(u)) equals Key(u). The key is an absolute http or https URL in
// ASCII, without userinfo, fragment or default port.
func Key(raw string) (string, error) {
	p, err := split(raw)
	if err != nil {
		return "", err
	}
	host, err := normaliseHost(p.host)
	if err != nil {
		return "", err
	}
	port, err := normalisePort(p.scheme, p.port)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.Grow(len(raw) + 16)
	b.WriteString(p.scheme)
	b.WriteString("://")
	b.WriteString(host)
	if port != "" {
		b.WriteByte(':')
		b.WriteString(port)
	}
	b.WriteString(normalisePath(p.path))
	if p.hasQuery {
		// RFC 3986 6.2.3: an empty query is not the same as none.
		b.WriteByte('?')
		b.WriteString(normaliseQuery(p.query))
	}
	return b.String(), nil
}

// Host returns the host of raw exactly as it stands in the key, without the
// port; an IPv6 address keeps its brackets. It fails with the *Error that Key
// would give, so that a URL has either both or neither.
func Host(raw string) (string, error) {
	p, err := split(raw)
	if err != nil {
		return "", err
	}
	host, err := normaliseHost(p.host)
	if err != nil {
		return "", err
	}
	if _, err := normalisePort(p.scheme, p.port); err != nil {
		return "", err
	}
	return host, nil
}
