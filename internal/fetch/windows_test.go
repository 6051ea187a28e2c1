package fetch

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/failure"
)

// noise is a body that hardly gets smaller.
func noise(n int) []byte {
	out := make([]byte, n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range out {
		out[i] = byte(r.IntN(200))
	}
	return out
}

// packed is a body in a coding, with a window of 1<<bits bytes.
func packed(t testing.TB, coding string, bits int, content []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser = brotli.NewWriterOptions(&out, brotli.WriterOptions{Quality: 1, LGWin: bits})
	if coding == "zstd" {
		var err error
		w, err = zstd.NewWriter(&out, zstd.WithWindowSize(1<<bits), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithSingleSegment(false))
		require.NoError(t, err)
	}
	_, err := w.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

// encoded is a source of one body in a coding.
func encoded(t *testing.T, coding string, body []byte) collection.Source {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", coding)
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	src := source()
	src.MaxBody, src.Request.URL = 4<<20, server.URL+"/"
	return src
}

// TestRoomForWindows: a large window is asked room for together with the body, before it is taken; a page that is small in
// its coding needs neither, whatever its header says.
func TestRoomForWindows(t *testing.T) {
	t.Parallel()
	page := []byte(strings.Repeat("<p>page</p>", 20_000))
	for _, c := range []struct {
		coding  string
		bits    int
		content []byte
		asked   []int64
	}{
		{"zstd", 23, page, nil},
		{"zstd", 23, noise(300 << 10), []int64{4<<20 + 8<<20}},
		{"zstd", 21, noise(300 << 10), []int64{4<<20 + 2<<20}},
		{"zstd", 20, noise(300 << 10), nil},
		{"zstd", 20, noise(2 << 20), []int64{4 << 20}},
		{"zstd", 23, bytes.Repeat([]byte("x"), 3<<20), []int64{4<<20 + 8<<20}},
		{"br", 24, page, nil},
		{"br", 24, noise(300 << 10), []int64{4<<20 + 16<<20}},
		{"br", 19, noise(300 << 10), nil},
		{"br", 19, noise(2 << 20), []int64{4 << 20}},
	} {
		client := New(Options{})
		var asked []int64
		res, o := client.Fetch(t.Context(), encoded(t, c.coding, packed(t, c.coding, c.bits, c.content)), collection.Record{}, collection.Via{
			Room: func(_ context.Context, n int64) error {
				asked = append(asked, n)
				return nil
			},
		})
		require.NotNil(t, res, o.Message)
		require.True(t, bytes.Equal(c.content, res.Body))
		require.Equal(t, c.asked, asked, "%s, a window of 2^%d, %d bytes", c.coding, c.bits, len(c.content))
		client.Close()
	}
}

// TestRoomForWindowsUponWindows: room is asked for once also where two codings have windows: whoever waits for it holds none.
func TestRoomForWindowsUponWindows(t *testing.T) {
	t.Parallel()
	client := New(Options{})
	defer client.Close()
	content := noise(2 << 20)
	body := packed(t, "br", 24, packed(t, "zstd", 23, content))
	var asked []int64
	res, o := client.Fetch(t.Context(), encoded(t, "zstd, br", body), collection.Record{}, collection.Via{
		Room: func(_ context.Context, n int64) error {
			asked = append(asked, n)
			return nil
		},
	})
	require.NotNil(t, res, o.Message)
	require.True(t, bytes.Equal(content, res.Body))
	require.Equal(t, []int64{4<<20 + 2*maxBrotliWindow}, asked)
}

// TestNoRoomForAWindow: without it the fetch ends as one that our own side broke off.
func TestNoRoomForAWindow(t *testing.T) {
	t.Parallel()
	client := New(Options{})
	defer client.Close()
	src := encoded(t, "zstd", packed(t, "zstd", 23, noise(300<<10)))
	_, o := client.Fetch(t.Context(), src, collection.Record{}, collection.Via{
		Room: func(context.Context, int64) error { return errors.New("stopping") },
	})
	require.Equal(t, failure.TransportCancelled, o.Transport)
	require.Contains(t, o.Message, "room for a large body")
}

// TestLaterFrameWithALargerWindow: a frame may not take more than the first has room for.
func TestLaterFrameWithALargerWindow(t *testing.T) {
	t.Parallel()
	client := New(Options{})
	defer client.Close()
	body := append(packed(t, "zstd", 17, noise(300<<10)), packed(t, "zstd", 23, noise(300<<10))...)
	_, o := client.Fetch(t.Context(), encoded(t, "zstd", body), collection.Record{}, collection.Via{})
	require.Equal(t, collection.ReasonDecodeError, failure.Classify(o), o.Message)

	body = append(packed(t, "zstd", 23, noise(300<<10)), packed(t, "zstd", 17, noise(300<<10))...)
	res, o := client.Fetch(t.Context(), encoded(t, "zstd", body), collection.Record{}, collection.Via{})
	require.NotNil(t, res, o.Message)
	require.Len(t, res.Body, 600<<10)
}

// TestWindowOf: what a header does not say counts as the largest.
func TestWindowOf(t *testing.T) {
	t.Parallel()
	skipped := binary.LittleEndian.AppendUint32([]byte{0x50, 0x2a, 0x4d, 0x18}, 4)
	require.Equal(t, int64(maxZstdWindow), windowOf("zstd", skipped))
	require.Equal(t, int64(maxZstdWindow), windowOf("zstd", nil))
	require.Equal(t, int64(maxBrotliWindow), windowOf("br", nil))
	for bits := 18; bits <= 24; bits++ {
		require.Equal(t, int64(1)<<bits, windowOf("br", packed(t, "br", bits, noise(100))), "%d", bits)
	}
	// The table of RFC 7932, section 9.1.
	for first, bits := range map[byte]int{0b0: 16, 0b0000001: 17, 0b0011: 18, 0b1111: 24, 0b0100001: 10, 0b1110001: 15} {
		require.Equal(t, int64(1)<<bits, windowOf("br", []byte{first}), "%07b", first)
	}
	for bits := 10; bits <= 23; bits++ {
		require.Equal(t, int64(1)<<bits, windowOf("zstd", packed(t, "zstd", bits, noise(300<<10))), "%d", bits)
	}
}

func FuzzUnpackWhole(f *testing.F) {
	for _, coding := range []string{"br", "zstd"} {
		f.Add(coding == "br", packed(f, coding, 18, []byte("page")))
	}
	f.Fuzz(func(t *testing.T, br bool, body []byte) {
		coding := "zstd"
		if br {
			coding = "br"
		}
		content, err := unpack(body, coding)
		if err == nil {
			require.LessOrEqual(t, len(content), maxZstdWindow)
		}
	})
}

// TestMemoryWhileWaitingForRoom logs what a fetch holds that waits for room: the figure that the README states.
func TestMemoryWhileWaitingForRoom(t *testing.T) {
	const fetches = 40
	content := noise(3 << 20)
	for name, c := range map[string]struct {
		coding string
		bits   int
	}{"plain": {"identity", 0}, "zstd with a small window": {"zstd", 20}, "zstd": {"zstd", 23}, "br": {"br", 24}, "br with a small window": {"br", 20}} {
		body := content
		if c.bits > 0 {
			body = packed(t, c.coding, c.bits, content)
		}
		held := holding(t, encoded(t, c.coding, body), fetches)
		t.Logf("figure: %s: %d fetches that wait for room hold %d KiB each, the server's part included", name, fetches, held>>10)
		require.Less(t, held, int64(8<<20), "a window was taken without room")
	}
}

// holding is what each of some fetches holds while they wait for room.
func holding(t *testing.T, src collection.Source, fetches int) int64 {
	t.Helper()
	client := New(Options{})
	defer client.Close()
	src.Ceiling = fetches
	ctx, cancel := context.WithCancel(t.Context())
	before := inUse()
	var all, waiting sync.WaitGroup
	waiting.Add(fetches)
	for range fetches {
		all.Go(func() {
			_, _ = client.Fetch(ctx, src, collection.Record{}, collection.Via{Room: func(ctx context.Context, _ int64) error {
				waiting.Done()
				<-ctx.Done()
				return ctx.Err()
			}})
		})
	}
	waiting.Wait()
	held := (inUse() - before) / int64(fetches)
	cancel()
	all.Wait()
	return held
}

func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse)
}

// TestKeptWaiting: a target that gives up while a body waits for room is not charged for our memory; one that breaks off
// without having been kept waiting is.
func TestKeptWaiting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		length string
		wait   time.Duration
		reason collection.Reason
	}{
		{"Content-Length: 8000000", patienceOfTargets + 100*time.Millisecond, collection.ReasonLeaseLost},
		{"Content-Length: 8000000", 0, collection.ReasonTruncated},
	} {
		t.Run(fmt.Sprint(c.wait), func(t *testing.T) {
			t.Parallel()
			part := bytes.Repeat([]byte("x"), 2<<20)
			site := newHostile(t, says("HTTP/1.1 200 OK\r\n"+c.length+"\r\n\r\n"+string(part)))
			src := source()
			src.MaxBody = 10 << 20
			client := New(Options{})
			defer client.Close()
			_, o := client.Fetch(t.Context(), src, record(site.url("/")), collection.Via{Room: func(context.Context, int64) error {
				time.Sleep(c.wait)
				return nil
			}})
			reason := failure.Classify(o)
			require.Equal(t, c.reason, reason, o.Message)
			if c.wait > 0 {
				require.False(t, failure.Lookup(reason).Charged)
				require.Contains(t, o.Message, "kept waiting")
			}
		})
	}
}
