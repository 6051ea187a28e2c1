package fetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

var quietLog = log.New(io.Discard, "", 0)

const page = `<html><body>Grüße, 世界</body></html>`

// compressed writes text through a coding.
func compressed(t testing.TB, coding, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	var err error
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "zlib":
		w = zlib.NewWriter(&out)
	case "flate":
		w, err = flate.NewWriter(&out, flate.BestCompression)
	case "br":
		w = brotli.NewWriter(&out)
	case "zstd":
		w, err = zstd.NewWriter(&out)
	}
	require.NoError(t, err)
	_, err = io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

// answering is a site that answers with a body under a Content-Encoding.
func answering(t *testing.T, encoding string, body []byte) *hostile {
	t.Helper()
	return newHostile(t, says(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", encoding, len(body), body)))
}

func TestContentCodings(t *testing.T) {
	gz := compressed(t, "gzip", page)
	for _, tt := range []struct {
		name, encoding string
		body           []byte
		warnings       []failure.Warning
	}{
		{"gzip", "gzip", gz, nil},
		{"x-gzip", "x-gzip", gz, nil},
		{"upper case", "GZIP", gz, nil},
		{"zlib", "deflate", compressed(t, "zlib", page), nil},
		{"bare deflate", "deflate", compressed(t, "flate", page), nil},
		{"brotli", "br", compressed(t, "br", page), nil},
		{"zstd", "zstd", compressed(t, "zstd", page), nil},
		{"identity", "identity", []byte(page), nil},
		{"two codings", "gzip, br", compressed(t, "br", string(gz)), nil},
		{"two members", "gzip", append(compressed(t, "gzip", page[:9]), compressed(t, "gzip", page[9:])...), nil},
		{"two frames", "zstd", append(compressed(t, "zstd", page[:9]), compressed(t, "zstd", page[9:])...), nil},
		{"plain, said to be gzip", "gzip", []byte(page), []failure.Warning{failure.WarningEncodingIgnored}},
		{"plain, said to be zstd", "zstd", []byte(page), []failure.Warning{failure.WarningEncodingIgnored}},
		{"plain, said to be brotli", "br", []byte(page), []failure.Warning{failure.WarningEncodingIgnored}},
		{"plain, said to be deflate", "deflate", []byte(page), []failure.Warning{failure.WarningEncodingIgnored}},
		{"a character set as coding", "utf-8", []byte(page), []failure.Warning{failure.WarningEncodingIgnored}},
		{"C4 50: gzip and a comment", "gzip", append(bytes.Clone(gz), "<!-- cached -->"...), []failure.Warning{failure.WarningTrailingGarbage}},
		{"gzip and half a magic number", "gzip", append(bytes.Clone(gz), 0x1f), []failure.Warning{failure.WarningTrailingGarbage}},
		{"gzip and a false member", "gzip", append(bytes.Clone(gz), 0x1f, 0x8b, 9, 0, 0, 0, 0, 0, 0, 0, 0), []failure.Warning{failure.WarningTrailingGarbage}},
		{"zlib and garbage", "deflate", append(compressed(t, "zlib", page), "garbage"...), []failure.Warning{failure.WarningTrailingGarbage}},
		{"brotli and garbage", "br", append(compressed(t, "br", page), "garbage"...), []failure.Warning{failure.WarningTrailingGarbage}},
		{"zstd and garbage", "zstd", append(compressed(t, "zstd", page), "garbage"...), []failure.Warning{failure.WarningTrailingGarbage}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, o := get(t, Options{}, source(), answering(t, tt.encoding, tt.body).url("/"))
			requireBody(t, res, o, page)
			require.Equal(t, tt.warnings, o.Warnings)
			require.Equal(t, int64(len(tt.body)), o.Bytes)
		})
	}
}

func TestEmptyBodies(t *testing.T) {
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 204 No Content\r\nContent-Encoding: br\r\n\r\n",
		"HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n",
	} {
		res, o := get(t, Options{}, source(), newHostile(t, says(answer)).url("/"))
		requireBody(t, res, o, "")
	}
	src := source()
	src.Request.Method = "head"
	res, o := get(t, Options{}, src, newHostile(t, says("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 99999999\r\n\r\n")).url("/"))
	requireBody(t, res, o, "")
}

func TestBrokenCodings(t *testing.T) {
	flip := func(b []byte, at int) []byte {
		b = bytes.Clone(b)
		b[at] ^= 0xff
		return b
	}
	gz := compressed(t, "gzip", strings.Repeat(page, 20))
	for _, tt := range []struct {
		name, encoding string
		body           []byte
		transport      failure.Transport
		reason         collection.Reason
	}{
		{"gzip cut short", "gzip", gz[:len(gz)-9], failure.TransportTruncated, collection.ReasonTruncated},
		{"gzip cut in the header", "gzip", gz[:5], failure.TransportTruncated, collection.ReasonTruncated},
		{"gzip cut in the second member", "gzip", append(bytes.Clone(gz), gz[:20]...), failure.TransportTruncated, collection.ReasonTruncated},
		{"zlib cut short", "deflate", compressed(t, "zlib", page)[:20], failure.TransportTruncated, collection.ReasonTruncated},
		{"deflate cut short", "deflate", compressed(t, "flate", page)[:20], failure.TransportTruncated, collection.ReasonTruncated},
		{"brotli cut short", "br", compressed(t, "br", page)[:20], failure.TransportTruncated, collection.ReasonTruncated},
		{"zstd cut short", "zstd", compressed(t, "zstd", page)[:20], failure.TransportTruncated, collection.ReasonTruncated},
		{"gzip with a wrong checksum", "gzip", flip(gz, len(gz)-6), failure.TransportDecode, collection.ReasonDecodeError},
		{"zlib with a wrong checksum", "deflate", flip(compressed(t, "zlib", page), len(compressed(t, "zlib", page))-1), failure.TransportDecode, collection.ReasonDecodeError},
		{"binary, said to be brotli", "br", []byte{0xff, 0xfe, 0xfd, 0xfc, 0xfb, 0xfa, 0xf9}, failure.TransportDecode, collection.ReasonDecodeError},
		{"compress", "compress", []byte{0x1f, 0x9d, 0x90, 1, 2, 3}, failure.TransportDecode, collection.ReasonDecodeError},
		{"over and over", "gzip, gzip, gzip, gzip", gz, failure.TransportDecode, collection.ReasonDecodeError},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, o := get(t, Options{}, source(), answering(t, tt.encoding, tt.body).url("/"))
			requireFails(t, res, o, tt.transport, tt.reason)
			require.Equal(t, http.StatusOK, o.Status)
		})
	}
}

// C4 45: what is shorter than announced is never a success.
func TestCase45Truncated(t *testing.T) {
	gz := compressed(t, "gzip", page)
	for name, answer := range map[string]string{
		"short of its length":       "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n12345",
		"chunk short":               "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n12345",
		"no last chunk":             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n",
		"chunk of no size":          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\nzz\r\n",
		"gzip whole, no last chunk": fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(gz), gz),
		"brotli, no last chunk":     fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(compressed(t, "br", page)), compressed(t, "br", page)),
	} {
		t.Run(name, func(t *testing.T) {
			res, o := get(t, Options{}, source(), newHostile(t, says(answer)).url("/"))
			requireFails(t, res, o, failure.TransportTruncated, collection.ReasonTruncated)
			require.True(t, failure.Lookup(failure.Classify(o)).Retry)
		})
	}
}

// C4 47: a body that only the end of the connection ends is accepted, and flagged unless it carries its own end mark.
func TestCase47CloseDelimited(t *testing.T) {
	for _, version := range []string{"HTTP/1.0", "HTTP/1.1"} {
		res, o := get(t, Options{}, source(), newHostile(t, says(version+" 200 OK\r\n\r\n"+page)).url("/"))
		requireBody(t, res, o, page)
		require.Equal(t, []failure.Warning{failure.WarningLengthUnverified}, o.Warnings)
	}
	gz := compressed(t, "gzip", page)
	res, o := get(t, Options{}, source(), newHostile(t, says("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"+string(gz))).url("/"))
	requireBody(t, res, o, page)
	require.Empty(t, o.Warnings)
	res, o = get(t, Options{}, source(), newHostile(t, says("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"+page)).url("/"))
	requireBody(t, res, o, page)
	require.Equal(t, []failure.Warning{failure.WarningEncodingIgnored, failure.WarningLengthUnverified}, o.Warnings)

	// A source may want none of these, but not what another end has verified.
	strict := source()
	strict.RequireLength = true
	res, o = get(t, Options{}, strict, newHostile(t, says("HTTP/1.1 200 OK\r\n\r\n"+page)).url("/"))
	require.Nil(t, res)
	require.Equal(t, collection.ReasonTruncated, failure.Classify(o))
	res, o = get(t, Options{}, strict, newHostile(t, says("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"+string(gz))).url("/"))
	requireBody(t, res, o, page)
}

// C4 51: bytes that are gzip but not said to be are the content itself.
func TestCase51GzipWithoutHeaderIsContent(t *testing.T) {
	gz := compressed(t, "gzip", page)
	res, o := get(t, Options{}, source(), newHostile(t, says(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(gz), gz))).url("/sitemap.xml.gz"))
	requireBody(t, res, o, string(gz))
}

// bomb writes a body of very many zeros, as long as somebody reads it.
func bomb(t testing.TB, coding string) func(w io.Writer) {
	zeros := make([]byte, 1<<20)
	repeat := func(w io.Writer, part []byte) {
		for range 2048 { // two gigabytes
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	}
	if coding == "identity" {
		return func(w io.Writer) { repeat(w, zeros) }
	}
	// A flushed deflate block can be repeated: what it refers back to is zeros again.
	var block bytes.Buffer
	deflater, err := flate.NewWriter(&block, flate.BestCompression)
	require.NoError(t, err)
	_, err = deflater.Write(zeros)
	require.NoError(t, err)
	require.NoError(t, deflater.Flush())
	switch coding {
	case "gzip":
		return func(w io.Writer) {
			_, _ = w.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255})
			repeat(w, block.Bytes())
		}
	case "deflate":
		return func(w io.Writer) {
			_, _ = w.Write([]byte{0x78, 0x9c})
			repeat(w, block.Bytes())
		}
	case "br":
		var part bytes.Buffer
		w := brotli.NewWriterLevel(&part, brotli.BestSpeed)
		for range 128 {
			_, err := w.Write(zeros)
			require.NoError(t, err)
		}
		require.NoError(t, w.Close())
		return func(w io.Writer) { _, _ = w.Write(part.Bytes()) }
	case "zstd":
		part := compressed(t, "zstd", strings.Repeat("\x00", 1<<20))
		return func(w io.Writer) { repeat(w, part) }
	}
	// Members without content: compressed bytes that never become any.
	part := bytes.Repeat(compressed(t, "gzip", ""), 1000)
	return func(w io.Writer) { repeat(w, part) }
}

// C4 48: a bomb stops at the limit, with bounded memory.
func TestCase48Bombs(t *testing.T) {
	for _, coding := range []string{"identity", "gzip", "deflate", "br", "zstd", "empty members"} {
		t.Run(coding, func(t *testing.T) {
			write := bomb(t, coding)
			header := "HTTP/1.1 200 OK\r\nContent-Encoding: " + strings.Replace(coding, "empty members", "gzip", 1) + "\r\n\r\n"
			site := newHostile(t, func(conn net.Conn, _ *http.Request) {
				_, _ = io.WriteString(conn, header)
				write(conn)
			})
			src := source()
			src.MaxBody = 4 << 20
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			res, o := get(t, Options{}, src, site.url("/"))
			runtime.ReadMemStats(&after)
			requireFails(t, res, o, failure.TransportBodyTooLarge, collection.ReasonTooLarge)
			require.False(t, failure.Lookup(failure.Classify(o)).Retry)
			allocated := after.TotalAlloc - before.TotalAlloc
			t.Logf("figure: %d MiB allocated in all for a limit of %d MiB, %d bytes received", allocated>>20, src.MaxBody>>20, o.Bytes)
			require.Less(t, allocated, uint64(64<<20))
		})
	}
}

// A frame that announces more than the limit is refused by its header, and a window beyond RFC 9659 is not allocated.
func TestZstdAnnouncements(t *testing.T) {
	src := source()
	zeros := strings.Repeat("\x00", 20<<20)
	announcing, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	res, o := get(t, Options{}, src, answering(t, "zstd", announcing.EncodeAll([]byte(zeros), nil)).url("/"))
	requireFails(t, res, o, failure.TransportBodyTooLarge, collection.ReasonTooLarge)
	require.Contains(t, o.Message, fmt.Sprint(src.MaxBody))

	var wide bytes.Buffer
	w, err := zstd.NewWriter(&wide, zstd.WithWindowSize(16<<20))
	require.NoError(t, err)
	_, err = io.WriteString(w, zeros)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	src.MaxBody = 64 << 20
	res, o = get(t, Options{}, src, answering(t, "zstd", wide.Bytes()).url("/"))
	requireFails(t, res, o, failure.TransportDecode, collection.ReasonDecodeError)
}

func TestLimitIsExact(t *testing.T) {
	src := source()
	src.MaxBody = int64(len(page))
	for _, coding := range []string{"identity", "gzip", "br", "zstd"} {
		body := []byte(page)
		if coding != "identity" {
			body = compressed(t, coding, page)
		}
		res, o := get(t, Options{}, src, answering(t, coding, body).url("/"))
		requireBody(t, res, o, page)
	}
	src.MaxBody--
	for _, coding := range []string{"identity", "gzip", "br", "zstd"} {
		body := []byte(page)
		if coding != "identity" {
			body = compressed(t, coding, page)
		}
		res, o := get(t, Options{}, src, answering(t, coding, body).url("/"))
		requireFails(t, res, o, failure.TransportBodyTooLarge, collection.ReasonTooLarge)
	}
}

func TestAnnouncedSizeIsRefusedEarly(t *testing.T) {
	for _, encoding := range []string{"identity", "gzip"} {
		site := newHostile(t, func(conn net.Conn, _ *http.Request) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Encoding: "+encoding+"\r\nContent-Length: 1000000000\r\n\r\n")
			untilClosed(conn)
		})
		res, o := get(t, Options{}, source(), site.url("/"))
		requireFails(t, res, o, failure.TransportBodyTooLarge, collection.ReasonTooLarge)
		require.Zero(t, o.Bytes)
	}
}
