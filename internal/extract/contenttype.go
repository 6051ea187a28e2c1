package extract

import "strings"

// charsetParameter is the charset that a Content-Type header declares, or "". Servers send what package mime refuses:
// two headers joined by a comma, a parameter twice, a quoted value that never ends. As in WHATWG's MIME Sniffing, the
// first non-empty charset counts, white space around "=" does not belong to it, and quotes are double quotes only.
func charsetParameter(contentType string) string {
	_, rest, _ := strings.Cut(contentType, ";")
	for rest != "" {
		var name, value string
		name, value, rest = nextParameter(rest)
		if strings.EqualFold(name, "charset") && value != "" {
			return value
		}
	}
	return ""
}

// nextParameter reads one parameter and gives what stands behind its semicolon.
func nextParameter(s string) (name, value, rest string) {
	end := strings.IndexAny(s, ";=")
	if end < 0 {
		return "", "", ""
	}
	name = strings.TrimSpace(s[:end])
	if s[end] == ';' {
		return name, "", s[end+1:]
	}
	s = s[end+1:]
	if strings.HasPrefix(s, `"`) {
		value, s = quotedString(s[1:])
		_, rest, _ = strings.Cut(s, ";")
		return name, value, rest
	}
	value, rest, _ = strings.Cut(s, ";")
	value, _, _ = strings.Cut(value, ",")
	return name, strings.TrimSpace(value), rest
}

// quotedString reads up to the closing quote, or to the end where there is none.
func quotedString(s string) (value, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}
