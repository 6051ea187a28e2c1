package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"runtime"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/weir-collect/weir/collection"
)

const (
	// maxZstdWindow is the window that RFC 9659 lets a sender use, maxBrotliWindow the largest that RFC 7932 has.
	maxZstdWindow   = 8 << 20
	maxBrotliWindow = 16 << 20
	// smallWindow is how large a window may be without asking for room.
	smallWindow = collection.SmallBody
	// aheadBytes is how much of a body in a coding with windows is read ahead. One that is all there by then, as nearly every
	// page is, is unpacked at once, without a window that lasts while the target is waited for.
	aheadBytes = 64 << 10
)

// unpacking bounds how many bodies are unpacked at once at a time: a stranger's header may make each take the largest window
// for a moment.
var unpacking = make(chan struct{}, runtime.GOMAXPROCS(0))

// hasWindow says whether a coding keeps a window, whose size the sender chooses, of what it has unpacked.
func hasWindow(coding string) bool { return coding == "br" || coding == "zstd" }

// openWindowed opens a coding with windows. Before a decoder takes a large window for as long as the body lasts, room is
// asked for, and for the body with it: whoever waits for room holds none.
func (l *layers) openWindowed(in *bufio.Reader, coding string) (io.Reader, error) {
	ahead := bufio.NewReaderSize(in, aheadBytes)
	if content, ok := unpackWhole(ahead, coding); ok {
		return bytes.NewReader(content), nil
	}
	head, _ := ahead.Peek(zstd.HeaderMaxSize) // a shorter one says less, and the decoder finds out why
	window := windowOf(coding, head)
	if window > smallWindow {
		most := l.limit.most + window
		if l.windowed > 1 {
			most = l.limit.most + int64(l.windowed)*maxBrotliWindow
		}
		if err := l.limit.room(most); err != nil {
			return nil, &roomError{err}
		}
	}
	if coding == "br" {
		return &brotliBody{from: brotli.NewReader(ahead), warnings: l.warnings}, nil
	}
	return newZstd(ahead, max(window, smallWindow), l.limit, l.warnings)
}

// unpackWhole unpacks a body that is all there and small; false leaves it as it was, to be read as it comes.
func unpackWhole(in *bufio.Reader, coding string) ([]byte, bool) {
	all, err := in.Peek(aheadBytes)
	if !errors.Is(err, io.EOF) {
		return nil, false
	}
	unpacking <- struct{}{}
	defer func() { <-unpacking }()
	content, err := unpack(all, coding)
	if err != nil || len(content) > collection.SmallBody {
		return nil, false
	}
	_, err = in.Discard(len(all))
	return content, err == nil
}

// unpack unpacks little more than a small body. What zstd takes for it is bounded with its window alone: a frame with a larger
// one than it may take for its content is refused.
func unpack(all []byte, coding string) ([]byte, error) {
	if coding == "br" {
		return fill(brotli.NewReader(bytes.NewReader(all)), nil, collection.SmallBody+1)
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxZstdWindow), zstd.WithDecoderMaxWindow(maxZstdWindow))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.DecodeAll(all, nil)
}

// windowOf is the window that the header of a body asks for, in bytes; the largest where that is not known.
func windowOf(coding string, head []byte) int64 {
	if coding == "br" {
		return brotliWindow(head)
	}
	var header zstd.Header
	switch err := header.Decode(head); {
	case err != nil, header.Skippable:
		return maxZstdWindow
	case header.SingleSegment:
		return int64(min(header.FrameContentSize, maxZstdWindow))
	}
	return int64(min(header.WindowSize, maxZstdWindow))
}

// brotliWindow reads WBITS (RFC 7932, section 9.1).
func brotliWindow(head []byte) int64 {
	if len(head) == 0 {
		return maxBrotliWindow
	}
	bits := 16
	switch first := int(head[0]); {
	case first&1 == 0:
	case first>>1&7 != 0:
		bits = 17 + first>>1&7
	case first>>4&7 == 0:
		bits = 17
	default:
		bits = 8 + first>>4&7
	}
	return 1 << bits
}
