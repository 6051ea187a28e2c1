package fetch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/weir-collect/weir/internal/failure"
)

// maxCodings bounds how often a body may be compressed over and over.
const maxCodings = 3

// layers are the decoders of a body, one upon the other.
type layers struct {
	wire     *flow
	in       *bufio.Reader
	limit    bodyLimit
	warnings *[]failure.Warning
	// flows are what the decoders give, the first one upon the wire.
	flows   []*flow
	closers []func()
	// windowed is how many of the codings have windows.
	windowed int
	// checksummed says that the coding upon the wire ends with a checksum, so that its end is proven by the bytes themselves.
	checksummed bool
}

// open undoes the codings of a body, the last applied first.
func (l *layers) open(codings []string) (io.Reader, error) {
	if len(codings) > maxCodings {
		return nil, &bodyError{kind: failure.TransportDecode, cause: fmt.Errorf("the body is compressed %d times over: at most %d are undone", len(codings), maxCodings)}
	}
	for _, coding := range codings {
		if hasWindow(coding) {
			l.windowed++
		}
	}
	var r io.Reader = l.in
	for i, coding := range slices.Backward(codings) {
		layer := l.in
		if i < len(codings)-1 {
			layer = bufio.NewReader(r)
		}
		decoder, err := l.openDecoder(layer, coding)
		if err != nil {
			return nil, err
		}
		if layer == l.in {
			l.checksummed = hasTrailer(decoder)
		}
		if c, ok := decoder.(interface{ Close() }); ok {
			l.closers = append(l.closers, c.Close)
		}
		out := &flow{ctx: l.wire.ctx, from: decoder, most: l.limit.encoded(), tooMany: tooLarge(l.limit.most)}
		l.flows = append(l.flows, out)
		r = out
	}
	return r, nil
}

// hasTrailer says whether a decoder is of a coding that ends with a checksum of all its content, which it verifies.
func hasTrailer(decoder io.Reader) bool {
	switch decoder.(type) {
	case *gzipBody, *zlibBody:
		return true
	}
	return false
}

// proven says that the coding upon the wire was read to its end, and that its checksum was right.
func (l *layers) proven() bool { return l.checksummed && errors.Is(l.flows[0].err, io.EOF) }

// close frees the decoders.
func (l *layers) close() {
	for _, c := range l.closers {
		c()
	}
}

// readRest reads on after the end of a compressed body: to find out whether the length promised has arrived, and to
// leave the connection fit for use. Where a length was announced and the connection ended before it, the checksum at the
// body's end is the better witness: servers that announce the size before compression are common.
func (l *layers) readRest(announced bool) error {
	for _, f := range l.flows {
		if errors.Is(f.err, io.ErrUnexpectedEOF) {
			return f.err // one of the codings has no end, and the next one did not miss it
		}
	}
	n, err := io.CopyN(io.Discard, l.in, encodedSlack)
	if n > 0 && !slices.Contains(*l.warnings, failure.WarningEncodingIgnored) {
		warn(l.warnings, failure.WarningTrailingGarbage)
	}
	trailing := slices.Contains(*l.warnings, failure.WarningTrailingGarbage)
	if announced && errors.Is(err, io.ErrUnexpectedEOF) && (trailing || l.proven()) {
		warn(l.warnings, failure.WarningLengthUnverified)
		return nil
	}
	if trailing || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// trouble names what went wrong while a body was read: first what we or the wire say, then the decoder, which may make
// anything of that.
func (l *layers) trouble(err error) error {
	var known *bodyError
	var room *roomError
	if errors.As(err, &known) || errors.As(err, &room) {
		return err
	}
	for _, f := range l.flows {
		if errors.As(f.err, &known) {
			return f.err
		}
	}
	switch {
	case l.wire.err != nil && !errors.Is(l.wire.err, io.EOF):
		return wireTrouble(l.wire.err)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &bodyError{kind: failure.TransportTruncated, cause: errors.New("the compressed body ends before its end mark")}
	}
	return &bodyError{kind: failure.TransportDecode, cause: fmt.Errorf("the body is not what its Content-Encoding says: %w", err)}
}
