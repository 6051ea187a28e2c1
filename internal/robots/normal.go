package robots

import "strings"

const upperHex = "0123456789ABCDEF"

// normalise brings the percent-encoding of a part of a URL into one form (RFC 9309, section 2.2.2). What cannot mean
// anything but itself is written out, everything else is encoded in upper case. Encoded delimiters stay encoded: "/" and
// "%2F" are two things to a server. "*" and "$" are always encoded, since raw they are the signs of a pattern.
func normalise(s string) string {
	if isNormal(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	for i := 0; i < len(s); i++ {
		c := s[i]
		value, ok := triplet(s[i:])
		switch {
		case ok && isPlain(value):
			b.WriteByte(value)
		case ok:
			encode(&b, value)
		case isPlain(c) || isDelimiter(c):
			b.WriteByte(c)
		default:
			encode(&b, c)
		}
		if ok {
			i += 2
		}
	}
	return b.String()
}

func isNormal(s string) bool {
	for i := range len(s) {
		if !isPlain(s[i]) && !isDelimiter(s[i]) {
			return false
		}
	}
	return true
}

func encode(b *strings.Builder, c byte) {
	b.Write([]byte{'%', upperHex[c>>4], upperHex[c&15]})
}

// isPlain holds for the unreserved characters of RFC 3986 section 2.3, and for those reserved ones that delimit nothing in
// a path or a query.
func isPlain(c byte) bool {
	return isAlnum(c) || strings.IndexByte("-._~:@!'(),[]", c) >= 0
}

// isDelimiter holds for what means one thing raw and another encoded.
func isDelimiter(c byte) bool {
	return strings.IndexByte("/?&=+;", c) >= 0
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// triplet reads the percent-encoded byte that s starts with.
func triplet(s string) (byte, bool) {
	if len(s) < 3 || s[0] != '%' {
		return 0, false
	}
	high, ok1 := hexDigit(s[1])
	low, ok2 := hexDigit(s[2])
	return high<<4 | low, ok1 && ok2
}

func hexDigit(c byte) (byte, bool) {
	switch lower := c | 0x20; {
	case '0' <= c && c <= '9':
		return c - '0', true
	case 'a' <= lower && lower <= 'f':
		return lower - 'a' + 10, true
	}
	return 0, false
}

// unfold writes out the delimiters of a path, which delimit nothing once the query has begun.
var unfold = strings.NewReplacer("%2F", "/", "%3F", "?")

// foldQuery makes "/" and "%2F", "?" and "%3F" one thing from the first "?" on, which figure 4 of the RFC wants. It is given
// whether the query began before s, and says whether it has by the end of s.
func foldQuery(s string, inQuery bool) (string, bool) {
	if inQuery {
		return unfold.Replace(s), true
	}
	path, query, found := strings.Cut(s, "?")
	if !found {
		return s, false
	}
	return path + "?" + unfold.Replace(query), true
}
