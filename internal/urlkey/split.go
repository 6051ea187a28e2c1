package urlkey

import (
	"strconv"
	"strings"
)

// parts are the components of RFC 3986 section 3 as written, except that the
// scheme is folded (6.2.2.1). The fragment is already gone: it never reaches a
// server (3.5).
type parts struct {
	scheme, host, port, path, query string
	hasQuery                        bool
}

// split cuts raw into its components. It is hand-written because net/url
// refuses a lone percent sign, and because it would accept texts whose host a
// browser reads differently.
func split(raw string) (parts, error) {
	scheme, rest, err := splitScheme(trim(raw))
	if err != nil {
		return parts{}, err
	}
	p := parts{scheme: scheme}
	rest, _, _ = strings.Cut(rest, "#")
	rest, p.query, p.hasQuery = strings.Cut(rest, "?")
	authority := rest
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		authority, p.path = rest[:slash], rest[slash:]
	}
	p.host, p.port, err = splitAuthority(authority)
	return p, err
}

// trim drops what every browser drops before parsing (WHATWG URL, basic
// parser, steps 1 to 3): controls and spaces at both ends, and tabs and line
// breaks anywhere. None of it can be sent in a request line.
func trim(raw string) string {
	raw = strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' })
	if !strings.ContainsAny(raw, "\t\r\n") {
		return raw
	}
	return strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(raw)
}

func splitScheme(s string) (scheme, rest string, err error) {
	colon := strings.IndexByte(s, ':')
	if colon < 0 || !isScheme(s[:colon]) {
		return "", "", refuse(NoScheme, "the URL has no scheme: write it in full, starting with https:// or http://")
	}
	scheme, rest = strings.ToLower(s[:colon]), s[colon+1:]
	if scheme != "http" && scheme != "https" {
		if strings.HasPrefix(rest, "//") {
			return "", "", refuse(UnsupportedScheme, "the scheme %q cannot be collected: only http and https can", excerpt(scheme))
		}
		// "example.com:8080/x" has the shape of a scheme; it is a missing one.
		return "", "", refuse(NoScheme, "the URL does not start with https:// or http://")
	}
	if !strings.HasPrefix(rest, "//") {
		// Browsers guess here, and guess differently with and without a base.
		return "", "", refuse(NoScheme, "the URL has no // after %q: write %s:// before the host", scheme+":", scheme)
	}
	return scheme, rest[2:], nil
}

// isScheme tests RFC 3986 section 3.1.
func isScheme(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		letter := 'a' <= c && c <= 'z'
		if !letter && (i == 0 || !isDigit(s[i]) && s[i] != '+' && s[i] != '-' && s[i] != '.') {
			return false
		}
	}
	return s != ""
}

// splitAuthority cuts RFC 3986 section 3.2 into host and port.
func splitAuthority(a string) (host, port string, err error) {
	if strings.IndexByte(a, '@') >= 0 {
		return "", "", refuse(Userinfo, "the URL has a user name or password before the host: take it out, credentials do not belong in records")
	}
	if strings.IndexByte(a, '\\') >= 0 {
		// A browser ends the host at a backslash, other clients do not.
		return "", "", refuse(BadHost, "the host %q has a backslash: write / instead", excerpt(a))
	}
	end := strings.IndexByte(a, ':')
	if strings.HasPrefix(a, "[") {
		closing := strings.IndexByte(a, ']')
		if closing < 0 {
			return "", "", refuse(BadHost, "the host %q has an opening [ and no closing ]", excerpt(a))
		}
		if end = closing + 1; end < len(a) && a[end] != ':' {
			return "", "", refuse(BadHost, "the host %q goes on after the closing ]", excerpt(a))
		}
	}
	if end < 0 || end == len(a) {
		host = a
	} else {
		host, port = a[:end], a[end+1:]
	}
	if host == "" {
		return "", "", refuse(NoHost, "the URL has no host after the //")
	}
	return host, port, nil
}

// normalisePort drops an empty or default port and leading zeros (RFC 3986
// sections 3.2.3 and 6.2.3).
func normalisePort(scheme, port string) (string, error) {
	if port == "" {
		return "", nil
	}
	n := 0
	for i := range len(port) {
		if !isDigit(port[i]) {
			return "", refuse(BadPort, "the port %q is not a number", excerpt(port))
		}
		if n = n*10 + int(port[i]-'0'); n > 65535 {
			return "", refuse(BadPort, "the port %q is over 65535", excerpt(port))
		}
	}
	if scheme == "http" && n == 80 || scheme == "https" && n == 443 {
		return "", nil
	}
	return strconv.Itoa(n), nil
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
