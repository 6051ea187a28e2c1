package extract

import (
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// resolve makes an address absolute, as a browser would, and ASCII.
func resolve(text string, base *url.URL) (any, error) {
	text = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(strings.TrimSpace(text))
	ref, err := url.Parse(escapeStray(text))
	if err != nil {
		return nil, fmt.Errorf("%s is not a URL: %w", quote(text), unwrapURL(err))
	}
	if !ref.IsAbs() {
		if base == nil || !base.IsAbs() {
			return nil, fmt.Errorf("%s is a relative URL, and the page's own is not known", quote(text))
		}
		ref = base.ResolveReference(ref)
	}
	if err := asciiHost(ref); err != nil {
		return nil, fmt.Errorf("%s is not a URL: %w", quote(text), err)
	}
	ref.RawQuery = escapeQuery(ref.RawQuery)
	return ref.String(), nil
}

// escapeStray escapes a percent sign that starts no escape. Browsers take it for itself; package url refuses it.
func escapeStray(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		b.WriteByte(text[i])
		if text[i] == '%' && !(i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2])) {
			b.WriteString("25")
		}
	}
	return b.String()
}

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F' }

// asciiHost writes an international host name in its ASCII form.
func asciiHost(u *url.URL) error {
	host := u.Hostname()
	if strings.IndexFunc(host, func(r rune) bool { return r > '~' }) < 0 {
		return nil
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil {
		return err
	}
	if port := u.Port(); port != "" {
		ascii += ":" + port
	}
	u.Host = ascii
	return nil
}

// escapeQuery escapes what may not stand in a query; package url leaves queries as they are.
func escapeQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"<>`, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unwrapURL drops package url's own quoting of the address, which may be long.
func unwrapURL(err error) error {
	if e, ok := err.(*url.Error); ok {
		return e.Err
	}
	return err
}
