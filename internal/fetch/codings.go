package fetch

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/weir-collect/weir/internal/failure"
)

// maxZstdWindow is the window that RFC 9659 lets a sender use.
const maxZstdWindow = 8 << 20

// errTrailing says that a compressed body is complete and something else follows.
var errTrailing = errors.New("bytes follow the end of the compressed body")

var gzipMagic = []byte{0x1f, 0x8b}

// gzipBody reads the members of a gzip body, up to its end or to bytes that are no member.
type gzipBody struct {
	in       *bufio.Reader
	member   *gzip.Reader
	warnings *[]failure.Warning
}

func newGzip(in *bufio.Reader, warnings *[]failure.Warning) (io.Reader, error) {
	member, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	member.Multistream(false)
	return &gzipBody{in: in, member: member, warnings: warnings}, nil
}

func (g *gzipBody) Read(p []byte) (int, error) {
	n, err := g.member.Read(p)
	if n > 0 || !errors.Is(err, io.EOF) {
		if n > 0 && errors.Is(err, io.EOF) {
			err = nil // the next call comes back here
		}
		return n, err
	}
	next, err := g.in.Peek(len(gzipMagic))
	switch {
	case len(next) == 0:
		return 0, err
	case !bytes.Equal(next, gzipMagic):
		warn(g.warnings, failure.WarningTrailingGarbage)
		return 0, errTrailing
	}
	if err := g.member.Reset(g.in); err != nil {
		if errors.Is(err, gzip.ErrHeader) {
			warn(g.warnings, failure.WarningTrailingGarbage)
			return 0, errTrailing
		}
		return 0, err
	}
	g.member.Multistream(false)
	return 0, nil
}

// brotliBody drops what follows the end of the stream.
type brotliBody struct {
	from     *brotli.Reader
	warnings *[]failure.Warning
}

func (b *brotliBody) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	// The package keeps this error to itself; a test holds its text.
	if err != nil && err.Error() == "brotli: excessive input" {
		warn(b.warnings, failure.WarningTrailingGarbage)
		return n, errTrailing
	}
	return n, err
}

// zstdBody drops what follows the last frame.
type zstdBody struct {
	*zstd.Decoder
	started  bool
	limit    int64
	warnings *[]failure.Warning
}

func newZstd(in io.Reader, limit int64, warnings *[]failure.Warning) (io.Reader, error) {
	d, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxZstdWindow), zstd.WithDecoderMaxMemory(uint64(limit)+maxZstdWindow))
	if err != nil {
		return nil, err
	}
	return &zstdBody{Decoder: d, limit: limit, warnings: warnings}, nil
}

func (z *zstdBody) Read(p []byte) (int, error) {
	n, err := z.Decoder.Read(p)
	z.started = z.started || n > 0
	switch {
	case errors.Is(err, zstd.ErrMagicMismatch) && z.started:
		warn(z.warnings, failure.WarningTrailingGarbage)
		return n, errTrailing
	case errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return n, tooLarge(z.limit)
	}
	return n, err
}
