package robots

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// MaxBytes is how much of a file is read. RFC 9309 section 2.5 wants at least 500 KiB; the largest honest files that we know
// of are somewhat above 800 KiB. What lies beyond is ignored, and so is the line that the bound cuts through: half a rule is
// a rule that nobody wrote.
const MaxBytes = 1 << 20

// kind is what a line of a file is.
type kind int

const (
	other kind = iota
	userAgent
	allow
	disallow
	crawlDelay
)

var kinds = map[string]kind{"user-agent": userAgent, "allow": allow, "disallow": disallow, "crawl-delay": crawlDelay}

const blanks = " \t\v\f\x00"

// cut shortens a file to what is read of it. One of just MaxBytes has most likely been cut by whoever fetched it.
func cut(body []byte) []byte {
	if len(body) < MaxBytes {
		return body
	}
	body = body[:MaxBytes]
	return body[:bytes.LastIndexAny(body, "\r\n")+1]
}

// text drops a byte order mark, also one that lost its end on the way. A file whose mark says UTF-16 is against the RFC,
// but what its owner forbids in it is plain to read.
func text(body []byte) []byte {
	switch {
	case bytes.HasPrefix(body, []byte{0xff, 0xfe}):
		return fromUTF16(body[2:], binary.LittleEndian)
	case bytes.HasPrefix(body, []byte{0xfe, 0xff}):
		return fromUTF16(body[2:], binary.BigEndian)
	}
	for _, c := range []byte{0xef, 0xbb, 0xbf} {
		if len(body) == 0 || body[0] != c {
			break
		}
		body = body[1:]
	}
	return body
}

func fromUTF16(body []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(body)/2)
	for i := range units {
		units[i] = order.Uint16(body[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// nextLine takes one line off the front. A line ends with CR, LF or both.
func nextLine(body []byte) (line, rest []byte) {
	end := bytes.IndexAny(body, "\r\n")
	switch {
	case end < 0:
		return body, nil
	case body[end] == '\r' && end+1 < len(body) && body[end+1] == '\n':
		return body[:end], body[end+2:]
	}
	return body[:end], body[end+1:]
}

// withoutComment is a line as far as it counts.
func withoutComment(line []byte) string {
	line, _, _ = bytes.Cut(line, []byte("#"))
	return strings.Trim(string(line), blanks)
}

// record splits a line into what it is and its value. As with Google, a lone key and a lone value are a record even when
// the colon between them was forgotten.
func record(line string) (kind, string) {
	key, value, found := strings.Cut(line, ":")
	if !found {
		words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(blanks, r) })
		if len(words) != 2 {
			return other, ""
		}
		key, value = words[0], words[1]
	}
	return kinds[strings.ToLower(strings.Trim(key, blanks))], strings.Trim(value, blanks)
}
