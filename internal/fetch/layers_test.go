package fetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
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

// TestBombsWithinBombs: what one decoder gives to the next is bounded like what arrives, so that a few kilobytes do not
// become hours of work without a byte of content.
func TestBombsWithinBombs(t *testing.T) {
	empty := strings.Repeat(string(compressed(t, "gzip", "")), 1<<17)
	inner := string(compressed(t, "gzip", empty))
	for name, c := range map[string]struct{ encoding, body string }{
		"members without content, three deep": {"gzip, gzip, gzip", string(compressed(t, "gzip", strings.Repeat(inner, 200)))},
		"members without content, two deep":   {"gzip, gzip", string(compressed(t, "gzip", empty))},
		"members without content in brotli":   {"gzip, br", string(compressed(t, "br", empty))},
		"members without content in zstd":     {"gzip, zstd", string(compressed(t, "zstd", empty))},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			res, o := get(t, Options{}, source(), answering(t, c.encoding, []byte(c.body)).url("/"))
			runtime.ReadMemStats(&after)
			requireFails(t, res, o, failure.TransportBodyTooLarge, collection.ReasonTooLarge)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20))
		})
	}
}

// TestEmptyMembersBetweenLayers: an odd but honest body is read all the same.
func TestEmptyMembersBetweenLayers(t *testing.T) {
	inner := strings.Repeat(string(compressed(t, "gzip", "")), 500) + string(compressed(t, "gzip", page))
	res, o := get(t, Options{}, source(), answering(t, "gzip, br", compressed(t, "br", inner)).url("/"))
	requireBody(t, res, o, page)
}

// TestDecodersEndWithTheExchange: bytes that have all arrived may keep decoders busy for long; the exchange's end ends them.
func TestDecodersEndWithTheExchange(t *testing.T) {
	empty := string(bytes.Repeat(compressed(t, "gzip", ""), 1<<16))
	zeros := strings.Repeat("\x00", 4<<20)
	for name, c := range map[string]struct{ encoding, body string }{
		"zlib":              {"deflate", string(compressed(t, "zlib", zeros))},
		"gzip":              {"gzip", string(compressed(t, "gzip", zeros))},
		"brotli":            {"br", string(compressed(t, "br", zeros))},
		"zstd":              {"zstd", string(compressed(t, "zstd", zeros))},
		"between layers":    {"gzip, br", string(compressed(t, "br", empty))},
		"three layers deep": {"gzip, gzip, zstd", string(compressed(t, "zstd", string(compressed(t, "gzip", empty))))},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://a.example/", nil)
			require.NoError(t, err)
			arrived := io.MultiReader(strings.NewReader(c.body), endOf(cancel))
			_, err = readBody(&http.Response{
				Request: req, Header: http.Header{"Content-Encoding": {c.encoding}}, ContentLength: -1, Body: io.NopCloser(arrived),
			}, bodyLimit{most: 64 << 20, room: func(int64) error { cancel(); return nil }})
			require.ErrorIs(t, err, context.Canceled)
		})
	}
}

// endOf is a reader that calls back when it is read, and is empty.
type endOf func()

func (e endOf) Read([]byte) (int, error) {
	e()
	return 0, io.EOF
}

// TestLengthLies: a length that is larger than what arrives is a lie only where a checksum at the end of the bytes says that
// they are whole. Then they are taken, flagged, and not by a source that wants the length to be right.
func TestLengthLies(t *testing.T) {
	strict := source()
	strict.RequireLength = true
	for _, tt := range []struct {
		name, encoding string
		body           []byte
		taken          bool
	}{
		{"gzip", "gzip", compressed(t, "gzip", page), true},
		{"zlib", "deflate", compressed(t, "zlib", page), true},
		{"gzip around brotli", "br, gzip", compressed(t, "gzip", string(compressed(t, "br", page))), true},
		{"gzip around gzip", "gzip, gzip", compressed(t, "gzip", string(compressed(t, "gzip", page))), true},
		{"several members, of which one more may be missing", "gzip", append(compressed(t, "gzip", page[:9]), compressed(t, "gzip", page[9:])...), false},
		{"a second member cut within its magic number", "gzip", append(compressed(t, "gzip", page[:9]), 0x1f), false},
		{"a second member cut behind its magic number", "gzip", append(compressed(t, "gzip", page[:9]), 0x1f, 0x8b), false},
		{"gzip cut before its checksum", "gzip", compressed(t, "gzip", page)[:40], false},
		{"bare deflate has no checksum", "deflate", compressed(t, "flate", page), false},
		{"brotli has none", "br", compressed(t, "br", page), false},
		{"zstd need not have one", "zstd", compressed(t, "zstd", page), false},
		{"plain, said to be gzip", "gzip", []byte(page), false},
		{"plain", "identity", []byte(page), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lying := says(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", tt.encoding, len(tt.body)+5, tt.body))
			res, o := get(t, Options{}, source(), newHostile(t, lying).url("/"))
			if !tt.taken {
				requireFails(t, res, o, failure.TransportTruncated, collection.ReasonTruncated)
				return
			}
			requireBody(t, res, o, page)
			require.Equal(t, []failure.Warning{failure.WarningLengthUnverified}, o.Warnings)
			res, o = get(t, Options{}, strict, newHostile(t, lying).url("/"))
			requireFails(t, res, o, failure.TransportTruncated, collection.ReasonTruncated)
		})
	}
}

// TestLengthLiesBehindTrailingBytes: what follows a whole body may itself have been cut, which a source may want to know.
func TestLengthLiesBehindTrailingBytes(t *testing.T) {
	body := append(compressed(t, "gzip", page), "<!-- "...)
	lying := says(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", len(body)+5, body))
	res, o := get(t, Options{}, source(), newHostile(t, lying).url("/"))
	requireBody(t, res, o, page)
	require.Equal(t, []failure.Warning{failure.WarningTrailingGarbage, failure.WarningLengthUnverified}, o.Warnings)
	strict := source()
	strict.RequireLength = true
	res, o = get(t, Options{}, strict, newHostile(t, lying).url("/"))
	requireFails(t, res, o, failure.TransportTruncated, collection.ReasonTruncated)
}

// TestOuterCodingWithoutAnEnd: what an inner coding holds to be whole is not, as long as the one around it has no end.
func TestOuterCodingWithoutAnEnd(t *testing.T) {
	var cut bytes.Buffer
	w := brotli.NewWriter(&cut)
	_, err := w.Write(compressed(t, "gzip", page))
	require.NoError(t, err)
	require.NoError(t, w.Flush())
	res, o := get(t, Options{}, source(), answering(t, "gzip, br", cut.Bytes()).url("/"))
	requireFails(t, res, o, failure.TransportTruncated, collection.ReasonTruncated)
}

// TestClippedZstd: of a file of which the beginning is enough, only that counts, whatever its frame announces.
func TestClippedZstd(t *testing.T) {
	announcing, err := zstd.NewWriter(nil, zstd.WithWindowSize(8<<20))
	require.NoError(t, err)
	var streamed bytes.Buffer
	w, err := zstd.NewWriter(&streamed, zstd.WithWindowSize(8<<20))
	require.NoError(t, err)
	file := strings.Repeat("Disallow: /x\n", 1<<20)
	_, err = io.WriteString(w, file)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	src := source()
	src.MaxBody = 64 << 10
	for name, body := range map[string][]byte{"announced": announcing.EncodeAll([]byte(file), nil), "streamed": streamed.Bytes()} {
		t.Run(name, func(t *testing.T) {
			client := New(Options{})
			defer client.Close()
			site := newHostile(t, func(conn net.Conn, _ *http.Request) {
				_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
			})
			res, o := client.Fetch(t.Context(), src, record(site.url("/robots.txt")), collection.Via{Clip: true})
			requireBody(t, res, o, file[:64<<10])
			res, o = client.Fetch(t.Context(), src, record(site.url("/robots.txt")), collection.Via{})
			requireFails(t, res, o, failure.TransportBodyTooLarge, collection.ReasonTooLarge)
		})
	}
}
