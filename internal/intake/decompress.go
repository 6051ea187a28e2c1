package intake

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// readAhead is the size of the buffers between the layers, in bytes.
const readAhead = 64 << 10

// zstdWindow bounds the memory of a zstd file. Every level of the zstd tool up
// to 20 stays within it; RFC 8878 section 3.1.1.1.2 asks for 8 MiB.
const zstdWindow = 32 << 20

const (
	gzipMagic = "\x1f\x8b"
	zstdMagic = "\x28\xb5\x2f\xfd"
	// zstdSkippable is a skippable frame (RFC 8878 section 3.1.2), behind its
	// first byte, which is 0x50 to 0x5f.
	zstdSkippable = "\x2a\x4d\x18"
)

// foreign are formats that people submit for CSV or JSON Lines by mistake.
var foreign = []struct{ magic, what string }{
	{"PK\x03\x04", "a ZIP archive or an Excel workbook"},
	{"\xd0\xcf\x11\xe0", "an old Excel workbook"},
	{"\xfd7zXZ\x00", "an xz archive"},
	{"PAR1", "a Parquet file"},
	{"%PDF-", "a PDF document"},
}

// decompress decides by the first bytes, never by the name: names lie.
func decompress(r *bufio.Reader) (*bufio.Reader, error) {
	start := peek(r, 8)
	var inner io.Reader
	var kind string
	var err error
	switch {
	case strings.HasPrefix(start, gzipMagic):
		kind = "gzip"
		inner, err = gzip.NewReader(r) // reads all members as one text
	case isZstd(start):
		kind = "zstd"
		// One decoder without look-ahead starts no goroutine.
		inner, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
	default:
		return r, refuseForeign(start)
	}
	if err != nil {
		return nil, damaged(kind, err)
	}
	out := bufio.NewReaderSize(&packed{inner, kind}, readAhead)
	start = peek(out, 8)
	if strings.HasPrefix(start, gzipMagic) || isZstd(start) {
		return nil, errors.New("the file is compressed twice: compress it once")
	}
	return out, refuseForeign(start)
}

func isZstd(start string) bool {
	if strings.HasPrefix(start, zstdMagic) {
		return true
	}
	return len(start) >= 4 && start[0]&0xf0 == 0x50 && start[1:4] == zstdSkippable
}

func refuseForeign(start string) error {
	for _, f := range foreign {
		if strings.HasPrefix(start, f.magic) {
			return fmt.Errorf("the file is %s: submit CSV or JSON Lines, plain or as gzip or zstd", f.what)
		}
	}
	return nil
}

// peek looks at up to n bytes. An error is not lost: every layer below repeats
// its own.
func peek(r *bufio.Reader, n int) string {
	start, _ := r.Peek(n)
	return string(start)
}

// packed names the compression in the errors of its reader.
type packed struct {
	r    io.Reader
	kind string
}

// Read implements io.Reader.
func (p *packed) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if err != nil && err != io.EOF {
		err = damaged(p.kind, err)
	}
	return n, err
}

func damaged(kind string, err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fmt.Errorf("the %s data is cut short, upload the file again: %w", kind, io.ErrUnexpectedEOF)
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return fmt.Errorf("the zstd data needs over %d bytes of memory, compress it with level 19 or less and without --long: %w", zstdWindow, err)
	}
	return fmt.Errorf("the %s data is damaged: %w", kind, err)
}
