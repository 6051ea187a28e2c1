package fetch

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/weir-collect/weir/internal/failure"
)

// errTrailing says that a compressed body is complete and something else follows.
var errTrailing = errors.New("bytes follow the end of the compressed body")

var gzipMagic = []byte{0x1f, 0x8b}

// gzipBody reads the members of a gzip body, up to its end or to bytes that are no member.
type gzipBody struct {
	in       *bufio.Reader
	member   *gzip.Reader
	members  int
	warnings *[]failure.Warning
}

func newGzip(in *bufio.Reader, warnings *[]failure.Warning) (io.Reader, error) {
	member, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	member.Multistream(false)
	return &gzipBody{in: in, member: member, members: 1, warnings: warnings}, nil
}

// Read goes on past members without content, so that whoever reads never has to wait for bytes in a loop of its own.
func (g *gzipBody) Read(p []byte) (int, error) {
	for {
		n, err := g.member.Read(p)
		switch {
		case n > 0 && errors.Is(err, io.EOF):
			return n, nil // the next call comes back here
		case n > 0 || len(p) == 0 || err != nil && !errors.Is(err, io.EOF):
			return n, err
		}
		if err == nil {
			continue
		}
		if err := g.next(); err != nil {
			return 0, err
		}
	}
}

// next goes on to the next member. A body of one member whose checksum was right is whole as far as it can tell, even where
// more was announced; of one with several, another one may be missing.
func (g *gzipBody) next() error {
	head, err := g.in.Peek(len(gzipMagic))
	switch {
	case len(head) == 0 && g.members == 1 && errors.Is(err, io.ErrUnexpectedEOF):
		return io.EOF // what is missing is found by who reads the rest
	case len(head) == 0, errors.Is(err, io.ErrUnexpectedEOF) && bytes.HasPrefix(gzipMagic, head):
		return err // the connection may have ended within a member's first bytes
	case !bytes.Equal(head, gzipMagic):
		warn(g.warnings, failure.WarningTrailingGarbage)
		return errTrailing
	}
	if err := g.member.Reset(g.in); err != nil {
		if errors.Is(err, gzip.ErrHeader) {
			warn(g.warnings, failure.WarningTrailingGarbage)
			return errTrailing
		}
		return err
	}
	g.members++
	g.member.Multistream(false)
	return nil
}

// zlibBody is a zlib stream, whose end is verified by its checksum.
type zlibBody struct{ io.Reader }

func newZlib(in *bufio.Reader) (io.Reader, error) {
	from, err := zlib.NewReader(in)
	if err != nil {
		return nil, err
	}
	return &zlibBody{from}, nil
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

// newZstd reads frames with the window that there is room for. A frame that announces more than the limit is refused by its
// header, unless its beginning is enough.
func newZstd(in io.Reader, window int64, limit bodyLimit, warnings *[]failure.Warning) (io.Reader, error) {
	options := []zstd.DOption{
		zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(uint64(window)),
	}
	if !limit.clip {
		options = append(options, zstd.WithDecoderMaxMemory(uint64(limit.most)+maxZstdWindow))
	}
	d, err := zstd.NewReader(in, options...)
	if err != nil {
		return nil, err
	}
	return &zstdBody{Decoder: d, limit: limit.most, warnings: warnings}, nil
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
