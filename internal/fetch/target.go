package fetch

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/weir-collect/weir/internal/urlkey"
)

// MaxURL bounds the URL of a request, in bytes: beyond it many servers answer 414 or worse.
const MaxURL = 8 << 10

// parseTarget turns a URL as people write it into one that can be requested. The host is brought into the form that
// is contacted, so that no odd notation of an address slips past a check; path and query stay as written, except that
// bytes which cannot stand in a request line are percent-encoded.
func parseTarget(raw string) (*url.URL, error) {
	if len(raw) > MaxURL {
		return nil, fmt.Errorf("the URL is %d bytes long: at most %d can be requested", len(raw), MaxURL)
	}
	key, err := urlkey.Key(raw)
	if err != nil {
		return nil, err
	}
	normal, err := url.Parse(key)
	if err != nil {
		return nil, fmt.Errorf("the URL's host cannot be requested: %w", err)
	}
	_, rest, _ := strings.Cut(trimURL(raw), "//")
	rest, _, _ = strings.Cut(rest, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	path := "/"
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		path = encodeIllegal(rest[slash:], illegalInPath)
	}
	u := &url.URL{Scheme: normal.Scheme, Host: normal.Host, RawPath: path, ForceQuery: hasQuery && query == ""}
	if u.Path, err = url.PathUnescape(path); err != nil {
		return nil, fmt.Errorf("the URL's path cannot be requested: %w", err)
	}
	u.RawQuery = encodeIllegal(query, illegalInQuery)
	if n := len(u.String()); n > MaxURL {
		return nil, fmt.Errorf("the URL is %d bytes long once encoded: at most %d can be requested", n, MaxURL)
	}
	return u, nil
}

// trimURL drops what every URL parser drops: controls and spaces at the ends, tabs and line breaks anywhere.
func trimURL(raw string) string {
	raw = strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' })
	return strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(raw)
}

func illegalInQuery(c byte) bool {
	return c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>'
}

func illegalInPath(c byte) bool {
	return illegalInQuery(c) || strings.IndexByte("\\^`{|}", c) >= 0
}

// encodeIllegal percent-encodes the illegal bytes, and percent signs that start no triplet.
func encodeIllegal(s string, illegal func(byte) bool) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(s))
	for i := range len(s) {
		c := s[i]
		if illegal(c) || c == '%' && !isTriplet(s[i:]) {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

func isTriplet(s string) bool {
	return len(s) >= 3 && s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// shown is a URL for messages: without its query, which may hold a credential.
func shown(u *url.URL) string {
	s := u.Scheme + "://" + u.Host + u.EscapedPath()
	if u.RawQuery != "" {
		s += "?…"
	}
	return s
}
