package extract

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
)

// MaxUnpacked bounds what a small gzip body may become, in bytes. One that is larger than this by itself may become its own
// size, so that unpacking never costs more than the bodies that the caller lets in.
const MaxUnpacked = 10 << 20

// gzipMagic begins a gzip member, and no HTML, JSON or CSV in any charset of the web.
var gzipMagic = []byte{0x1f, 0x8b, 8}

// IsPacked says whether a body is gzip by its bytes: it may become larger than it is.
func IsPacked(body []byte) bool { return bytes.HasPrefix(body, gzipMagic) }

// unpack undoes gzip that no Content-Encoding announced, such as that of a file which is kept compressed at the site: what
// the file is called, and what the server calls it, says nothing of its bytes. Bytes behind the last member are dropped.
func unpack(body []byte, rd *reader) ([]byte, error) {
	if !IsPacked(body) {
		return body, nil
	}
	limit := max(MaxUnpacked, len(body))
	in := bytes.NewReader(body)
	var out bytes.Buffer
	var member gzip.Reader // one for all: a body may be nothing but members
	for in.Len() > 0 {
		err := member.Reset(in)
		if err != nil && out.Len() > 0 {
			rd.warn("bytes follow the end of the gzip body; they were dropped")
			break
		}
		if err == nil {
			member.Multistream(false)
			_, err = io.Copy(&out, io.LimitReader(&member, int64(limit+1-out.Len())))
		}
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
			return nil, decodeError("the body is gzip and is cut short")
		case err != nil:
			return nil, decodeError("the body is gzip and is damaged: %v", err)
		case out.Len() > limit:
			return nil, decodeError("the body is gzip and holds more than %d MiB; let the server announce it by Content-Encoding, where max_body bounds it", limit>>20)
		}
	}
	return out.Bytes(), nil
}
