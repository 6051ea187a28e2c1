package intake_test

import (
	"compress/gzip"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/intake"
)

const (
	// streamSize is the length of the streams that must not be held, in bytes.
	streamSize = 200_000_000
	// sideStream is the same for the less likely shapes.
	sideStream = 64_000_000
	// heapGrowth is what reading any of them may hold at one time, in bytes: a
	// row, its buffers, a zstd window and the garbage between two collections.
	heapGrowth = 40 << 20
)

// repeated is a stream that repeats one text behind a start, in whole, up to
// about size bytes.
type repeated struct {
	start, text string
	left, at    int
}

func newRepeated(start, text string, size int) *repeated {
	return &repeated{start: start, text: strings.Repeat(text, 1+(64<<10)/len(text)), left: size / len(text) * len(text)}
}

// Read implements io.Reader.
func (r *repeated) Read(p []byte) (int, error) {
	if r.start != "" {
		n := copy(p, r.start)
		r.start = r.start[n:]
		return n, nil
	}
	if r.left == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.left)], r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	r.left -= n
	return n, nil
}

func skipIfShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out the long streams")
	}
}

// requireBounded reads to the end and looks at the heap on the way. It must not
// run beside other tests, whose heap it would see.
func requireBounded(t *testing.T, r io.Reader, opts intake.Options, counts func(rows, bad int)) {
	t.Helper()
	skipIfShort(t)
	runtime.GC()
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	before, peak := mem.HeapAlloc, uint64(0)
	look := func() {
		runtime.ReadMemStats(&mem)
		peak = max(peak, mem.HeapAlloc)
	}
	reader, err := intake.Open(&watched{r: r, look: look}, opts)
	require.NoError(t, err)
	rows, bad := 0, 0
	for {
		_, err := reader.Next()
		var rowErr *intake.RowError
		if err == nil {
			rows++
		} else if errors.As(err, &rowErr) {
			bad++
		} else {
			require.Equal(t, io.EOF, err)
			break
		}
	}
	require.Less(t, peak, before+heapGrowth)
	counts(rows, bad)
}

// watched calls look about every 4 MB that are read.
type watched struct {
	r    io.Reader
	look func()
	n    int
}

// Read implements io.Reader.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if w.n += n; w.n > 4<<20 {
		w.n = 0
		w.look()
	}
	return n, err
}

func TestMemoryIsBounded(t *testing.T) {
	csvLine := "https://a.example/" + strings.Repeat("x", 180) + ",\"1\"\n"
	jsonLine := `{"url":"https://a.example/` + strings.Repeat("x", 170) + "\"}\n"
	longCell := strings.Repeat("y", int(intake.DefaultMaxRow)+1)
	for _, c := range []struct {
		name, start, text string
		size              int
		opts              intake.Options
		rows, bad         int
	}{
		{"CSV", "url,n\n", csvLine, streamSize, asCSV, streamSize / len(csvLine), 0},
		{"JSONL", "", jsonLine, streamSize, asJSONL, streamSize / len(jsonLine), 0},
		{"large rows", "url\n", longCell[1:] + "\n", sideStream, asCSV, sideStream / len(longCell), 0},
		{"CSV rows too large", "url\n", longCell + "\n", sideStream, asCSV, 0, sideStream / (len(longCell) + 1)},
		{"JSONL rows too large", "", `"` + longCell + "\n", sideStream, asJSONL, 0, sideStream / (len(longCell) + 2)},
		{"blank lines of CSV", "url\n", "\r\n", sideStream, asCSV, 0, 0},
		{"blank lines of JSONL", "", " \r\n", sideStream, asJSONL, 0, 0},
		{"one line of JSONL", "", `{"a":`, sideStream, asJSONL, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			requireBounded(t, newRepeated(c.start, c.text, c.size), c.opts, func(rows, bad int) {
				require.Equal(t, []int{c.rows, c.bad}, []int{rows, bad})
			})
		})
	}
}

// TestMemoryOfCompressed: a stream is decompressed as it is read, and a bomb
// stops at its limit.
func TestMemoryOfCompressed(t *testing.T) {
	skipIfShort(t)
	line := strings.Repeat("x", 199) + "\n"
	for name, pack := range map[string]func(io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser {
			e, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
			require.NoError(t, err)
			return e
		},
	} {
		t.Run(name, func(t *testing.T) {
			var packed strings.Builder
			w := pack(&packed)
			_, err := io.Copy(w, newRepeated("url\n", line, streamSize))
			require.NoError(t, err)
			require.NoError(t, w.Close())
			requireBounded(t, strings.NewReader(packed.String()), asCSV, func(rows, bad int) {
				require.Equal(t, []int{streamSize / len(line), 0}, []int{rows, bad})
			})
			_, err = readAll(strings.NewReader(packed.String()), intake.Options{Name: "a.csv", MaxDecoded: 1 << 20})
			require.ErrorIs(t, err, intake.ErrTooLarge)
		})
	}
}
