package fetch

import (
	"bufio"
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/weir-collect/weir/internal/failure"
)

// contentCodings lists the codings of a body in the order in which they were applied, without "identity".
func contentCodings(h http.Header) []string {
	var out []string
	for _, value := range h.Values("Content-Encoding") {
		for coding := range strings.SplitSeq(value, ",") {
			switch coding = strings.ToLower(strings.TrimSpace(coding)); coding {
			case "", "identity", "none":
			default:
				out = append(out, coding)
			}
		}
	}
	return out
}

// openDecoder opens one coding. A body that plainly is not what the header says is taken as it comes, with a warning:
// servers that set the header without compressing are common, and the page is there.
func (l *layers) openDecoder(in *bufio.Reader, coding string) (io.Reader, error) {
	head, err := in.Peek(sniffed)
	if len(head) == 0 {
		if errors.Is(err, io.EOF) {
			return in, nil // no body at all, which needs no decoding
		}
		return nil, err
	}
	if !plausible(coding, head) {
		warn(l.warnings, failure.WarningEncodingIgnored)
		return in, nil
	}
	if hasWindow(coding) {
		return l.openWindowed(in, coding)
	}
	switch coding {
	case "gzip", "x-gzip":
		return newGzip(in, l.warnings)
	case "deflate":
		if isZlib(head) {
			return newZlib(in)
		}
		return flate.NewReader(in), nil
	case "compress", "x-compress":
		return nil, &bodyError{kind: failure.TransportDecode, cause: errors.New("the body is in the coding \"compress\", which was not asked for and cannot be read")}
	}
	warn(l.warnings, failure.WarningEncodingIgnored)
	return in, nil
}

// sniffed is how much of a body is looked at to tell whether its coding is plausible.
const sniffed = 512

// plausible says whether a body may be in a coding: by the coding's magic number, or, where it has none, by not being
// marked-up text.
func plausible(coding string, head []byte) bool {
	switch coding {
	case "gzip", "x-gzip":
		return bytes.HasPrefix(head, gzipMagic)
	case "zstd":
		return bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) || len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18})
	case "deflate":
		return isZlib(head) || !looksLikeMarkup(head)
	case "br":
		return !looksLikeMarkup(head)
	}
	return true
}

// looksLikeMarkup says whether bytes read as HTML, XML or JSON. Compressed bytes hardly do: they hold controls and no
// valid UTF-8.
func looksLikeMarkup(head []byte) bool {
	text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	if len(text) == 0 || strings.IndexByte("<{[", text[0]) < 0 {
		return false
	}
	// The sniffed part may end inside a character.
	for i := 0; i < utf8.UTFMax-1 && len(text) > 0 && !utf8.Valid(text); i++ {
		text = text[:len(text)-1]
	}
	return utf8.Valid(text) && bytes.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' }) < 0
}

// isZlib says whether bytes begin with a zlib header (RFC 1950). Without one, "deflate" is the bare format of RFC 1951,
// which some servers send in its name.
func isZlib(head []byte) bool {
	return len(head) >= 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0
}
