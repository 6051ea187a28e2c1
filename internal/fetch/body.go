package fetch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// body is what was read of an answer.
type body struct {
	content []byte
	// received counts bytes before content decoding.
	received int64
	warnings []failure.Warning
}

// bodyError says what is wrong with a body. An empty kind leaves it to the cause.
type bodyError struct {
	kind  failure.Transport
	cause error
}

func (e *bodyError) Error() string { return e.cause.Error() }
func (e *bodyError) Unwrap() error { return e.cause }

func tooLarge(limit int64) error {
	return &bodyError{kind: failure.TransportBodyTooLarge, cause: fmt.Errorf("the body is larger than the source's max_body of %d bytes", limit)}
}

// encodedSlack is what a coding may add to incompressible bytes, beside an eighth of them.
const encodedSlack = 64 << 10

// bodyLimit says how much of a body is read.
type bodyLimit struct {
	// most is the largest size after decoding; clip takes the beginning of what is larger.
	most int64
	clip bool
	// room is asked before the body grows beyond collection.SmallBody, or is unpacked with a window that large.
	room func(bytes int64) error
}

// roomOnce is a limit whose room is asked for once: by whichever asks first, for all.
func (l bodyLimit) roomOnce() bodyLimit {
	ask, asked := l.room, false
	l.room = func(bytes int64) error {
		if asked {
			return nil
		}
		asked = true
		return ask(bytes)
	}
	return l
}

// encoded is how large a coding may leave a body of the largest size.
func (l bodyLimit) encoded() int64 { return l.most + l.most/8 + encodedSlack }

// onWire is how much may arrive: where the beginning is enough, whatever the rest comes to.
func (l bodyLimit) onWire(codings []string) int64 {
	switch {
	case l.clip:
		return math.MaxInt64
	case len(codings) > 0:
		return l.encoded()
	}
	return l.most
}

// readBody reads and decodes a whole body within its limit; memory stays within a small multiple of that whatever arrives,
// and the reading ends with the exchange whatever the decoders are busy with.
func readBody(res *http.Response, limit bodyLimit) (body, error) {
	limit = limit.roomOnce()
	codings := contentCodings(res.Header)
	most := limit.onWire(codings)
	if res.ContentLength > most && res.Request.Method != http.MethodHead {
		return body{}, tooLarge(limit.most)
	}
	w := &flow{ctx: res.Request.Context(), from: res.Body, most: most, tooMany: tooLarge(limit.most)}
	b := body{}
	layers := &layers{wire: w, in: bufio.NewReader(w), limit: limit, warnings: &b.warnings}
	content, err := layers.open(codings)
	if err == nil {
		b.content, err = readAll(content, limit)
	}
	layers.close()
	if errors.Is(err, errClipped) {
		return body{content: b.content, received: w.count, warnings: b.warnings}, nil
	}
	if err == nil && len(codings) > 0 {
		err = layers.readRest(res.ContentLength >= 0)
	}
	b.received = w.count
	if err != nil {
		b.content = nil
		return b, layers.trouble(err)
	}
	if closeDelimited(res) && (len(codings) == 0 || slices.Contains(b.warnings, failure.WarningEncodingIgnored)) {
		b.warnings = append(b.warnings, failure.WarningLengthUnverified)
	}
	return b, nil
}

// errClipped ends a body of which the beginning is enough.
var errClipped = errors.New("the rest of the body was left")

// readAll reads a body to its end, or to its limit.
func readAll(r io.Reader, limit bodyLimit) ([]byte, error) {
	content, err := fill(r, nil, min(limit.most+1, collection.SmallBody))
	if n := int64(len(content)); err == nil && n == collection.SmallBody && n <= limit.most {
		if err := limit.room(limit.most); err != nil {
			return nil, &roomError{err}
		}
		content, err = fill(r, content, limit.most+1)
	}
	switch n := int64(len(content)); {
	case n > limit.most && limit.clip:
		return content[:limit.most], errClipped
	case n > limit.most:
		return nil, tooLarge(limit.most)
	case errors.Is(err, errTrailing):
		err = nil
	}
	return content, err
}

// firstRead is how much memory is taken for a body before its first byte.
const firstRead = 4 << 10

// fill reads until there are so many bytes, or the end. The memory that it takes doubles, and ends where the bytes do.
func fill(r io.Reader, b []byte, upTo int64) ([]byte, error) {
	for int64(len(b)) < upTo {
		if len(b) == cap(b) {
			room := min(max(2*int64(cap(b)), firstRead), upTo)
			b = append(make([]byte, 0, room), b...)
		}
		n, err := r.Read(b[len(b):min(int64(cap(b)), upTo)])
		b = b[:len(b)+n]
		switch {
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return b, err
		}
	}
	return b, nil
}

// roomError says that there was no room for a body: no trouble of the body's.
type roomError struct{ cause error }

func (e *roomError) Error() string { return "wait for room for a large body: " + e.cause.Error() }
func (e *roomError) Unwrap() error { return e.cause }

func warn(warnings *[]failure.Warning, w failure.Warning) {
	if !slices.Contains(*warnings, w) {
		*warnings = append(*warnings, w)
	}
}

// wireTrouble tells a body that was cut off from a connection that broke or ran out of time.
func wireTrouble(err error) error {
	var known *bodyError
	switch {
	case errors.As(err, &known):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &bodyError{kind: failure.TransportTruncated, cause: errors.New("the body ends before the length that was announced")}
	case isTimeout(err), isReset(err), isHTTP2Reset(err):
		return &bodyError{cause: err}
	}
	return &bodyError{kind: failure.TransportTruncated, cause: fmt.Errorf("the body breaks off: %w", err)}
}

// closeDelimited says whether nothing but the end of the connection marked the end of the body. An answer to HEAD has none.
func closeDelimited(res *http.Response) bool {
	return res.Request.Method != http.MethodHead && res.ProtoMajor == 1 && res.ContentLength < 0 && len(res.TransferEncoding) == 0
}
