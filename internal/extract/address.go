package extract

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// resolve makes an address of the web absolute, as a browser would, and ASCII.
func resolve(text string, base *url.URL) (any, error) {
	u, err := absolute(text, base)
	if err != nil {
		return nil, err
	}
	if err := checkWeb(u); err != nil {
		return nil, fmt.Errorf("%s %w", quote(text), err)
	}
	return u.String(), nil
}

// checkWeb says why an absolute address is none that a web server could be asked for; nil if it is one.
func checkWeb(u *url.URL) error {
	if u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("is a %s: address, and type url takes http and https only; leave it out with css or match, or read it with type string", u.Scheme)
	}
	return checkHost(u)
}

// checkHost refuses an address of the web without a host: what a browser makes of "http:x" or "https:///x" depends on where it stands.
func checkHost(u *url.URL) error {
	if (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() == "" {
		return errors.New("is not a URL: it names no host; correct it in jq, or read it with type string")
	}
	return nil
}

// absolute makes an address of any kind absolute and ASCII.
func absolute(text string, base *url.URL) (*url.URL, error) {
	text = slashes(strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(strings.TrimSpace(text)))
	ref, err := url.Parse(escapeStray(text))
	if err != nil {
		return nil, fmt.Errorf("%s is not a URL: %w", quote(text), unwrapURL(err))
	}
	if strings.HasPrefix(text, "//") && ref.Hostname() == "" {
		return nil, fmt.Errorf("%s is not a URL: it begins with slashes and names no host; correct it in jq, or read it with type string", quote(text))
	}
	if !ref.IsAbs() {
		if base == nil || !base.IsAbs() {
			return nil, fmt.Errorf("%s is a relative URL, and the page's own is not known", quote(text))
		}
		ref = base.ResolveReference(ref)
	}
	if err := checkHost(ref); err != nil {
		return nil, fmt.Errorf("%s %w", quote(text), err)
	}
	if err := asciiHost(ref); err != nil {
		return nil, fmt.Errorf("%s is not a URL: %w", quote(text), err)
	}
	ref.RawQuery = escapeQuery(ref.RawQuery)
	return ref, nil
}

// slashes writes a backslash in front of the query as what browsers take it for in an address of the web, a slash.
func slashes(text string) string {
	end := strings.IndexAny(text, "?#")
	if end < 0 {
		end = len(text)
	}
	head := text[:end]
	if scheme, _, ok := strings.Cut(head, ":"); ok && isScheme(scheme) && !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return text
	}
	return strings.ReplaceAll(head, `\`, "/") + text[end:]
}

// isScheme says whether what stands in front of a colon is a scheme, and the colon not one of a path.
func isScheme(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.") == ""
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
