package intake_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/intake"
)

func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func zstded(t *testing.T, text string, options ...zstd.EOption) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil, options...)
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Close()) }()
	return w.EncodeAll([]byte(text), nil)
}

func utf16ed(order binary.AppendByteOrder, units ...uint16) []byte {
	out := order.AppendUint16(nil, 0xfeff)
	for _, u := range units {
		out = order.AppendUint16(out, u)
	}
	return out
}

func utf16Of(text string) []uint16 { return utf16.Encode([]rune(text)) }

// TestDecode: compression and charset are found by the bytes, whatever the name.
func TestDecode(t *testing.T) {
	t.Parallel()
	text := "a\né😀\n2\n"
	want := []outcome{row(2, "a", "é😀"), row(3, "a", "2")}
	half := len("a\né")
	twoMembers := append(gzipped(t, text[:half]), gzipped(t, text[half:])...)
	skippable := append([]byte{0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'x', 'y', 'z'}, zstded(t, text)...)
	for name, data := range map[string][]byte{
		"plain":                   []byte(text),
		"byte order mark":         []byte("\xef\xbb\xbf" + text),
		"gzip":                    gzipped(t, text),
		"gzip members":            twoMembers,
		"gzip with an empty one":  append(gzipped(t, ""), gzipped(t, text)...),
		"zstd":                    zstded(t, text),
		"zstd frames":             append(zstded(t, text[:half]), zstded(t, text[half:])...),
		"zstd skippable frame":    skippable,
		"UTF-16 little-endian":    utf16ed(binary.LittleEndian, utf16Of(text)...),
		"UTF-16 big-endian":       utf16ed(binary.BigEndian, utf16Of(text)...),
		"UTF-16 in gzip":          gzipped(t, string(utf16ed(binary.BigEndian, utf16Of(text)...))),
		"byte order mark in zstd": zstded(t, "\xef\xbb\xbf"+text),
	} {
		for _, fileName := range []string{"a.csv", "a.csv.gz", "a.csv.zst", ""} {
			t.Run(name+" as "+fileName, func(t *testing.T) {
				t.Parallel()
				for _, r := range []io.Reader{bytes.NewReader(data), oneByte{bytes.NewReader(data)}, iotest.DataErrReader(bytes.NewReader(data))} {
					got, err := readAll(r, intake.Options{Name: fileName})
					require.NoError(t, err)
					requireOutcomes(t, want, got)
				}
			})
		}
	}
}

// TestUTF16LongText crosses the decoder's buffers inside surrogate pairs.
func TestUTF16LongText(t *testing.T) {
	t.Parallel()
	value := strings.Repeat("😀", 100_000)
	got, err := readAll(bytes.NewReader(utf16ed(binary.LittleEndian, utf16Of("a\nx"+value+"\n")...)), asCSV)
	require.NoError(t, err)
	requireOutcomes(t, []outcome{row(2, "a", "x"+value)}, got)
}

// TestUTF16HalfPair: what is no character must not become one.
func TestUTF16HalfPair(t *testing.T) {
	t.Parallel()
	units := append(utf16Of("a\n1\n"), 0xd800, '\n', 0xdc00, '\n', 0xd800, 0xd83d, 0xde00, '\n')
	units = append(append(units, utf16Of("2\n")...), 0xd800)
	got, err := readAll(bytes.NewReader(utf16ed(binary.BigEndian, units...)), asCSV)
	require.NoError(t, err)
	requireOutcomes(t, []outcome{row(2, "a", "1"), bad(3, "not UTF-8"), bad(4, "not UTF-8"), bad(5, "not UTF-8"), row(6, "a", "2"), bad(7, "not UTF-8")}, got)
}

// TestFormat: the option, then the name, then the first character.
func TestFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		opts intake.Options
		text string
		want int // line of the first outcome: CSV has a header
	}{
		{intake.Options{Name: "a.CSV"}, "x\n{}\n", 2},
		{intake.Options{Name: "a.tsv.gz"}, "x\n{}\n", 2},
		{intake.Options{Name: "a.ndjson"}, "{}\n{}\n", 1},
		{intake.Options{Name: "a.json.zst"}, "{}\n{}\n", 1},
		{intake.Options{Name: "a.jsonl", Format: intake.FormatCSV}, "x\n{}\n", 2},
		{intake.Options{Name: "a.csv", Format: intake.FormatJSONL}, "{}\n{}\n", 1},
		{intake.Options{Name: "upload"}, "{}\n{}\n", 1},
		{intake.Options{Name: "upload.txt"}, "x\n{}\n", 2},
		{intake.Options{}, "\r\n \t[]\n", 2},
		{intake.Options{}, strings.Repeat("\n", 4096) + "x\n1\n", 4098},
	} {
		got := readText(t, c.text, c.opts)
		require.Equal(t, c.want, got[0].line, "%v", c)
	}
	_, err := intake.Open(strings.NewReader("{}"), intake.Options{Format: "xml"})
	require.ErrorContains(t, err, `"xml" is not known`)
	_, err = intake.Open(strings.NewReader("{}"), intake.Options{MaxRow: -1})
	require.ErrorContains(t, err, "must not be negative")
}

// TestFileErrors: what ends a file names it, where it ended and why; the rows
// before it are read.
func TestFileErrors(t *testing.T) {
	t.Parallel()
	text := "a\n" + strings.Repeat("some value that compresses\n", 5000)
	packed, zpacked := gzipped(t, text), zstded(t, text)
	wrongSum := append([]byte(nil), packed...)
	wrongSum[len(wrongSum)-6] ^= 1
	for _, c := range []struct {
		name string
		data []byte
		rows int // at least
		says string
		is   error
	}{
		{"gzip cut short", packed[:len(packed)-4], 4000, "the gzip data is cut short", io.ErrUnexpectedEOF},
		{"gzip cut in its header", packed[:9], 0, "the gzip data is cut short", io.ErrUnexpectedEOF},
		{"gzip with a wrong checksum", wrongSum, 4000, "the gzip data is damaged", gzip.ErrChecksum},
		{"gzip with rubbish behind", append(gzipped(t, text), "rubbish behind it"...), 4000, "the gzip data is damaged", gzip.ErrHeader},
		{"zstd cut short", zpacked[:len(zpacked)-4], 0, "the zstd data is cut short", io.ErrUnexpectedEOF},
		{"zstd cut in its header", zpacked[:5], 0, "the zstd data is cut short", io.ErrUnexpectedEOF},
		{"zstd with rubbish behind", append(zstded(t, text), "rubbish behind it"...), 4000, "the zstd data is damaged", zstd.ErrMagicMismatch},
		{"zstd with a large window", zstdWide(t), 0, "compress it with level 19 or less", nil},
		{"compressed twice", gzipped(t, string(zpacked)), 0, "compressed twice", nil},
		{"Excel", []byte("PK\x03\x04rest of it"), 0, "an Excel workbook", nil},
		{"PDF in gzip", gzipped(t, "%PDF-1.7"), 0, "a PDF document", nil},
		{"UTF-32", []byte("\xff\xfe\x00\x00a\x00\x00\x00"), 0, "UTF-32", nil},
		{"UTF-16 without mark", []byte("a\x00\n\x001\x00"), 0, "UTF-16 without a byte order mark", nil},
		{"UTF-16 big-endian without mark", []byte("\x00a\x00\n\x001"), 0, "UTF-16 without a byte order mark", nil},
		{"UTF-16 cut in half", []byte("\xff\xfea\x00\n\x001\x00\n\x00\n"), 1, "cut in the middle of a character", io.ErrUnexpectedEOF},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := readAll(bytes.NewReader(c.data), asCSV)
			requireFileError(t, err, c.says)
			require.GreaterOrEqual(t, len(got), c.rows)
			if c.is != nil {
				require.ErrorIs(t, err, c.is)
			}
		})
	}
}

// requireFileError: the file itself is at fault.
func requireFileError(t *testing.T, err error, says string) {
	t.Helper()
	var file *intake.FileError
	require.ErrorAs(t, err, &file)
	require.False(t, file.ReadFailed)
	require.Equal(t, "a.csv", file.Name)
	require.Positive(t, file.Line)
	require.Positive(t, file.Bytes)
	require.Contains(t, err.Error(), fmt.Sprintf("a.csv: the file cannot be used from line %d on", file.Line))
	require.Contains(t, err.Error(), says)
}

// zstdWide needs a window of 64 MiB, as "zstd --long" may.
func zstdWide(t *testing.T) []byte {
	t.Helper()
	return []byte{
		0x28, 0xb5, 0x2f, 0xfd, // magic
		0x00,                  // no single segment: a window follows
		16 << 3,               // 1 KiB << 16
		0x09, 0x00, 0x00, 'a', // last raw block of one byte
	}
}

// TestReadFailure: the medium failed, so reading again may help; rows before it
// are whole, and a half row is never passed off as one.
func TestReadFailure(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	jsonRows := strings.Repeat("{\"a\":\"12345678901234567890\"}\n", 5_000)
	csvRows := "a\n" + strings.Repeat("\"12345678901234567890\"\n", 5_000)
	for name, c := range map[string]struct {
		data []byte
		opts intake.Options
	}{
		"plain CSV":     {[]byte(csvRows), asCSV},
		"gzip CSV":      {gzipped(t, csvRows), asCSV},
		"zstd CSV":      {zstded(t, csvRows), asCSV},
		"plain JSONL":   {[]byte(jsonRows), asJSONL},
		"gzip JSONL":    {gzipped(t, jsonRows), asJSONL},
		"UTF-16 CSV":    {utf16ed(binary.LittleEndian, utf16Of(csvRows)...), asCSV},
		"header, no LF": {[]byte("abc"), asCSV},
		"nothing":       {nil, asJSONL},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, cause := range []error{broken, io.ErrUnexpectedEOF} {
				// Cut in the middle of a row.
				r := io.MultiReader(bytes.NewReader(c.data[:len(c.data)*3/4]), iotest.ErrReader(cause))
				got, err := readAll(r, c.opts)
				var file *intake.FileError
				require.ErrorAs(t, err, &file)
				require.True(t, file.ReadFailed)
				require.ErrorIs(t, err, cause)
				require.Contains(t, err.Error(), "reading failed")
				for _, o := range got {
					require.Equal(t, row(o.line, "a", "12345678901234567890"), o)
				}
			}
		})
	}
}

// TestErrorsAreFinal: the end stays the end.
func TestErrorsAreFinal(t *testing.T) {
	t.Parallel()
	packed := gzipped(t, "{}\n{}\n")
	for _, data := range [][]byte{packed, packed[:len(packed)-2]} {
		reader, err := intake.Open(bytes.NewReader(data), asJSONL)
		require.NoError(t, err)
		for err == nil {
			_, err = reader.Next()
		}
		_, again := reader.Next()
		require.Equal(t, err, again)
	}
}

// TestReaderThatGivesNothing must not be asked for ever.
func TestReaderThatGivesNothing(t *testing.T) {
	t.Parallel()
	_, err := readAll(stuck{}, asCSV)
	require.ErrorIs(t, err, io.ErrNoProgress)
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestMaxDecoded(t *testing.T) {
	t.Parallel()
	text := "a\n" + strings.Repeat("12345\n", 1000)
	for _, data := range [][]byte{[]byte(text), gzipped(t, text), zstded(t, text)} {
		got, err := readAll(bytes.NewReader(data), intake.Options{Name: "a.csv", MaxDecoded: int64(len(text))})
		require.NoError(t, err)
		require.Len(t, got, 1000)

		got, err = readAll(bytes.NewReader(data), intake.Options{Name: "a.csv", MaxDecoded: int64(len(text)) - 1})
		require.ErrorIs(t, err, intake.ErrTooLarge)
		requireFileError(t, err, "it has over 6001 bytes, split it")
		require.Len(t, got, 999)
	}
}

func TestPosition(t *testing.T) {
	t.Parallel()
	text := "a\n\n1\n1,2\n2\n"
	reader, err := intake.Open(strings.NewReader(text), asCSV)
	require.NoError(t, err)
	require.Equal(t, intake.Position{Rows: 0, Line: 2, Bytes: int64(len(text))}, reader.Position())
	_, err = reader.Next()
	require.NoError(t, err)
	require.Equal(t, intake.Position{Rows: 1, Line: 4, Bytes: int64(len(text))}, reader.Position())
	_, err = reader.Next()
	require.EqualError(t, err, "line 4: the row has 2 values and the header has 1 columns")
	require.Equal(t, intake.Position{Rows: 2, Line: 5, Bytes: int64(len(text))}, reader.Position())

	// Of a compressed file the stored bytes count.
	packed := gzipped(t, strings.Repeat("{}\n", 20_000))
	reader, err = intake.Open(bytes.NewReader(packed), asJSONL)
	require.NoError(t, err)
	for err == nil {
		_, err = reader.Next()
	}
	require.Equal(t, io.EOF, err)
	require.Equal(t, intake.Position{Rows: 20_000, Line: 20_001, Bytes: int64(len(packed))}, reader.Position())
}
