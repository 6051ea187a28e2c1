package urlkey

import "strings"

// RFC 3986 section 2.1 prefers upper-case digits.
const upperHex = "0123456789ABCDEF"

// appendNormalised writes s with RFC 3986 section 6.2.2.1 and 6.2.2.2 applied:
// triplets of unreserved characters decoded, the others upper-cased, a percent
// sign that starts no triplet encoded, and bytes for which encode holds
// encoded. Reserved characters stay as they are: "/" and "%2F" differ (2.2).
func appendNormalised(b *strings.Builder, s string, encode func(byte) bool) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '%' {
			if encode(c) {
				appendTriplet(b, c)
			} else {
				b.WriteByte(c)
			}
			continue
		}
		value, ok := triplet(s[i:])
		switch {
		case !ok:
			b.WriteString("%25")
		case isUnreserved(value):
			b.WriteByte(value)
			i += 2
		default:
			appendTriplet(b, value)
			i += 2
		}
	}
}

func appendTriplet(b *strings.Builder, c byte) {
	b.WriteByte('%')
	b.WriteByte(upperHex[c>>4])
	b.WriteByte(upperHex[c&15])
}

// triplet reads the byte that s encodes at its start.
func triplet(s string) (value byte, ok bool) {
	if len(s) < 3 {
		return 0, false
	}
	high, ok1 := hexDigit(s[1])
	low, ok2 := hexDigit(s[2])
	return high<<4 | low, ok1 && ok2
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return (c | 0x20) - 'a' + 10, true
	}
	return 0, false
}

// percentDecode decodes every triplet and leaves other percent signs.
func percentDecode(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if value, ok := triplet(s[i:]); ok && s[i] == '%' {
			b.WriteByte(value)
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// isUnreserved tests RFC 3986 section 2.3.
func isUnreserved(c byte) bool {
	return isAlnum(c) || c == '-' || c == '.' || c == '_' || c == '~'
}

func isAlnum(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// encodeInQuery holds for what no client sends raw in a query: controls,
// spaces, non-ASCII and the delimiters that RFC 3986 excludes. Everything else
// is sent as written by some client, so "[" and "%5B" must stay two keys.
func encodeInQuery(c byte) bool {
	return c <= ' ' || c >= 0x7f || c == '"' || c == '<' || c == '>' || c == '#'
}

// encodeInPath adds what browsers and Go alike encode in a path. A backslash
// is encoded, not turned into a slash as browsers do: this keeps "\" apart
// from "/".
func encodeInPath(c byte) bool {
	return encodeInQuery(c) || c == '?' || c == '^' || c == '`' || c == '{' || c == '}' || c == '\\'
}
