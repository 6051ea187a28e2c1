package extract

import (
	"bytes"
	"fmt"
	"strings"
)

// repair takes out of a JSON text the usual faults of JSON-LD: comments of HTML, CDATA and JavaScript, semicolons,
// trailing commas, raw control characters and unknown escapes in strings. What stands inside strings is kept.
func repair(text string) string {
	r := repairer{in: text, out: make([]byte, 0, len(text))}
	for r.at < len(r.in) {
		r.outside()
	}
	return string(r.out)
}

type repairer struct {
	in  string
	at  int
	out []byte
	// close and data are where the next end of an HTML comment and the next bracket stand, as far as that was looked up: a
	// text may be nothing but beginnings of comments.
	close, data int
}

// ahead is where one of the marks stands next, at or behind the place where the reading is; known is where that was when it
// was looked up last.
func (r *repairer) ahead(known int, find func(string) int) int {
	if known >= r.at && known > 0 {
		return known
	}
	if next := find(r.in[r.at:]); next >= 0 {
		return r.at + next
	}
	return len(r.in)
}

// dropped are marks that mean nothing to JSON wherever they stand outside strings.
var dropped = []string{"<![CDATA[", "]]>", "-->", ";", "\ufeff"}

func (r *repairer) outside() {
	rest := r.in[r.at:]
	for _, mark := range dropped {
		if strings.HasPrefix(rest, mark) {
			r.at += len(mark)
			return
		}
	}
	switch {
	case strings.HasPrefix(rest, "<!--"):
		r.at += r.htmlComment()
	case strings.HasPrefix(rest, "//"):
		r.at += lineComment(rest)
	case strings.HasPrefix(rest, "/*"):
		r.at += through(rest, "*/")
	case rest[0] == '"':
		r.quoted()
	case rest[0] == '}' || rest[0] == ']':
		r.out = bytes.TrimRight(r.out, " \t\r\n,") // what ends in a comma here is no string: strings end in a quote
		r.keep()
	default:
		r.keep()
	}
}

func (r *repairer) keep() {
	r.out = append(r.out, r.in[r.at])
	r.at++
}

// htmlComment is how many bytes of a comment to skip: all of it, unless it wraps the data; then its opening alone.
func (r *repairer) htmlComment() int {
	r.close = r.ahead(r.close, func(rest string) int { return strings.Index(rest, "-->") })
	r.data = r.ahead(r.data, func(rest string) int { return strings.IndexAny(rest, "{[") })
	end := min(r.close+len("-->"), len(r.in))
	if r.data < end {
		return len("<!--")
	}
	return end - r.at
}

// lineComment is how many bytes to skip: up to the line's end, unless the comment only hides a CDATA mark.
func lineComment(rest string) int {
	bare := strings.TrimLeft(rest[2:], " \t")
	if strings.HasPrefix(bare, "<![CDATA[") || strings.HasPrefix(bare, "]]>") {
		return len(rest) - len(bare)
	}
	if end := strings.IndexAny(rest, "\r\n"); end >= 0 {
		return end
	}
	return len(rest)
}

// through is the length of the text up to and with a mark, or all of it.
func through(rest, mark string) int {
	if end := strings.Index(rest, mark); end >= 0 {
		return end + len(mark)
	}
	return len(rest)
}

// quoted copies a string and escapes what JSON does not allow in it.
func (r *repairer) quoted() {
	r.keep()
	for r.at < len(r.in) {
		switch c := r.in[r.at]; {
		case c == '"':
			r.keep()
			return
		case c == '\\':
			r.escape()
		case c < ' ':
			r.out = fmt.Appendf(r.out, "\\u%04x", c)
			r.at++
		default:
			r.keep()
		}
	}
}

// escape copies a known escape, and takes an unknown one for the character behind its backslash.
func (r *repairer) escape() {
	if r.at+1 < len(r.in) && strings.IndexByte(`"\/bfnrtu`, r.in[r.at+1]) >= 0 {
		r.keep()
		r.keep()
		return
	}
	r.at++
}
