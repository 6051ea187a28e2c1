package extract

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// marks are the byte order marks; they outweigh every declaration.
var marks = []struct {
	bytes []byte
	label string
}{
	{[]byte{0xef, 0xbb, 0xbf}, "utf-8"},
	{[]byte{0xfe, 0xff}, "utf-16be"},
	{[]byte{0xff, 0xfe}, "utf-16le"},
}

// decodePage makes a page UTF-8. Its charset is, in this order: that of the byte order mark; of the Content-Type
// header; of a meta element; UTF-8 if that fits the whole body, else windows-1252, the web's default. A declaration
// that names no known charset is passed over.
//
// A meta element counts wherever it stands in the head, though WHATWG's prescan ends at byte 1024: browsers read on as
// well, and start over when a later meta element says something else.
func decodePage(in Input, rd *reader) (string, error) {
	if label, rest := cutMark(in.Body); label != "" {
		return decodeAs(rest, label, rd)
	}
	if label := charsetParameter(in.ContentType); label != "" {
		if known(label) {
			return decodeAs(in.Body, label, rd)
		}
		rd.warn("the Content-Type header names an unknown charset %s", quote(label))
	}
	if label := metaCharset(in.Body); label != "" {
		return decodeAs(in.Body, label, rd)
	}
	if mostlyUTF8(in.Body) {
		return decodeAs(in.Body, "utf-8", rd)
	}
	rd.warn("no charset is declared and the page is not UTF-8; it is read as windows-1252")
	return decodeAs(in.Body, "windows-1252", rd)
}

// decodeData makes JSON or CSV UTF-8. Unlike a page it must be valid: a wrong letter in data goes unseen.
func decodeData(in Input) (string, error) {
	label, body := cutMark(in.Body)
	if label == "" {
		label = charsetParameter(in.ContentType)
	}
	if label == "" || !known(label) {
		label = "utf-8"
	}
	text, err := decodeBytes(body, label)
	if err != nil {
		return "", err
	}
	if strings.Count(text, "\ufffd") > bytes.Count(body, []byte("\ufffd")) || !utf8.ValidString(text) {
		return "", decodeError("the body is not valid %s; let the server declare its charset", label)
	}
	return text, nil
}

func cutMark(body []byte) (string, []byte) {
	for _, m := range marks {
		if rest, ok := bytes.CutPrefix(body, m.bytes); ok {
			return m.label, rest
		}
	}
	return "", body
}

func known(label string) bool {
	e, _ := charset.Lookup(label)
	return e != nil
}

// decodeAs decodes a page and tells of bytes that its charset does not have.
func decodeAs(body []byte, label string, rd *reader) (string, error) {
	text, err := decodeBytes(body, label)
	if err != nil {
		return "", err
	}
	if bad := strings.Count(text, "\ufffd") - bytes.Count(body, []byte("\ufffd")); bad > 0 {
		rd.warn("%d byte sequences are not valid %s and were replaced", bad, label)
	}
	return text, nil
}

func decodeBytes(body []byte, label string) (string, error) {
	e, name := charset.Lookup(label)
	switch name {
	case "replacement":
		return "", decodeError("the charset %s is one that may not be decoded, because it hides markup from filters", label)
	case "x-user-defined":
		e = charmap.Windows1252
	case "utf-8":
		e = encoding.Nop
	}
	text, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return "", decodeError("the body cannot be decoded as %s: %v", label, err)
	}
	return strings.ToValidUTF8(string(text), "\ufffd"), nil
}

// mostlyUTF8 says whether a body is UTF-8 by its bytes. A few bad bytes among many good sequences do not make a page
// windows-1252: text of that charset forms valid sequences only by rare chance.
func mostlyUTF8(body []byte) bool {
	good, bad := 0, 0
	for len(body) > 0 {
		r, size := utf8.DecodeRune(body)
		switch {
		case r == utf8.RuneError && size == 1:
			bad++
		case size > 1:
			good++
		}
		body = body[size:]
	}
	return bad == 0 || good > bad
}
