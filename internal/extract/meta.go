package extract

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxHead is how far into a page a declaration of its charset is looked for.
const maxHead = 64 << 10

// metaCharset is the known charset that the page's head declares, or "".
func metaCharset(body []byte) string {
	z := html.NewTokenizer(bytes.NewReader(body[:min(len(body), maxHead)]))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			if token.DataAtom == atom.Body {
				return ""
			}
			if token.DataAtom != atom.Meta {
				continue
			}
			if label := declaredBy(token.Attr); known(label) {
				return label
			}
		}
	}
}

// declaredBy is the charset that one meta element declares: by its charset attribute, or by its content attribute when
// http-equiv says that it stands for the Content-Type header, in whichever order they come.
func declaredBy(attributes []html.Attribute) string {
	values := map[string]string{}
	for _, a := range attributes {
		if _, twice := values[a.Key]; !twice {
			values[a.Key] = a.Val
		}
	}
	label, declared := values["charset"]
	if !declared && strings.EqualFold(strings.TrimSpace(values["http-equiv"]), "content-type") {
		label = charsetOfContent(values["content"])
	}
	label = strings.ToLower(strings.TrimSpace(label))
	if strings.HasPrefix(label, "utf-16") {
		return "utf-8" // a page whose meta element can be read as ASCII is not UTF-16
	}
	return label
}

// charsetOfContent finds "charset=…" in a content attribute, after HTML's algorithm for it.
func charsetOfContent(content string) string {
	for rest := strings.ToLower(content); ; { // names of charsets have no case
		at := strings.Index(rest, "charset")
		if at < 0 {
			return ""
		}
		rest = strings.TrimLeft(rest[at+len("charset"):], " \t\n\f\r")
		value, ok := strings.CutPrefix(rest, "=")
		if !ok {
			continue
		}
		value = strings.TrimLeft(value, " \t\n\f\r")
		if value == "" {
			return ""
		}
		if q := value[:1]; q == `"` || q == "'" {
			label, _, closed := strings.Cut(value[1:], q)
			if !closed {
				return ""
			}
			return label
		}
		if end := strings.IndexAny(value, "; \t\n\f\r"); end >= 0 {
			value = value[:end]
		}
		return value
	}
}
