package intake_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/internal/intake"
)

// requireLaws holds for every file: reading ends, the lines go up, no row is
// larger than allowed, no text is other than UTF-8, every error is of a known
// type, and nothing depends on how the bytes arrive.
func requireLaws(t require.TestingT, data []byte, opts intake.Options) []outcome {
	whole, err := readAll(bytes.NewReader(data), opts)
	single, singleErr := readAll(oneByte{bytes.NewReader(data)}, opts)
	require.Equal(t, whole, single)
	require.Equal(t, err == nil, singleErr == nil)
	if err != nil {
		var file *intake.FileError
		var header *intake.HeaderError
		require.True(t, errors.As(err, &file) || errors.As(err, &header), "%T", err)
	}
	last := 0
	for _, o := range whole {
		require.Greater(t, o.line, last)
		last = o.line
		require.True(t, utf8.ValidString(o.reason), "%q", o.reason)
		require.Equal(t, o.reason == "", o.fields != nil)
		for name, value := range o.fields {
			require.True(t, utf8.ValidString(name))
			if text, ok := value.(string); ok {
				require.True(t, utf8.ValidString(text))
			}
		}
	}
	return whole
}

// isPlain holds for text that is neither compressed nor UTF-16 nor refused by
// its first bytes.
func isPlain(data []byte) bool {
	for _, magic := range []string{"PK\x03\x04", "PAR1", "%PDF-"} {
		if bytes.HasPrefix(data, []byte(magic)) {
			return false
		}
	}
	skippable := len(data) >= 4 && string(data[1:4]) == "\x2a\x4d\x18"
	return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 && !skippable
}

// requireLikeStandardCSV: what encoding/csv reads without a complaint, we read
// to the same values. Left out is what we do otherwise on purpose: CR, byte
// order marks, and the other delimiters.
func requireLikeStandardCSV(t require.TestingT, data []byte, got []outcome) {
	if !isPlain(data) || bytes.ContainsAny(data, "\r;\t|\ufeff") || bytes.HasPrefix(data, []byte("sep=")) {
		return
	}
	reader := csv.NewReader(bytes.NewReader(data))
	records, err := reader.ReadAll()
	if err != nil || len(records) == 0 {
		return
	}
	opened, err := intake.Open(bytes.NewReader(data), asCSV)
	if err != nil {
		require.ErrorAs(t, err, new(*intake.HeaderError))
		return
	}
	header := opened.Header()
	require.Len(t, got, len(records)-1)
	for i, record := range records[1:] {
		if strings.Contains(got[i].reason, "no name in the header") {
			continue
		}
		require.Empty(t, got[i].reason)
		for k, name := range header {
			if name != "" {
				require.Equal(t, record[k], got[i].fields[name])
			}
		}
	}
}

// requireLikeStandardJSON: a row we accept is what encoding/json makes of its
// line, and an object that encoding/json takes is refused for one of our own
// reasons only.
func requireLikeStandardJSON(t require.TestingT, data []byte, got []outcome) {
	if !isPlain(data) {
		return
	}
	lines := bytes.Split(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\n"))
	for _, o := range got {
		line := lines[o.line-1]
		if o.reason == "" {
			require.Equal(t, exactObject(t, line), o.fields)
			continue
		}
		var object map[string]any
		if utf8.Valid(line) && json.Unmarshal(line, &object) == nil && object != nil {
			require.Regexp(t, "given twice|half a surrogate pair|nests deeper|larger than", o.reason)
		}
	}
}

// TestCSVRoundTrip: whatever encoding/csv writes is read back, on the line on
// which it stands.
func TestCSVRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(2, 5).Draw(t, "columns")
		cell := rapid.OneOf(
			rapid.SampledFrom([]string{"", "x", `"`, ",", "\n", "a\nb", `""`, " ", "é", ";", "=1+1"}),
			rapid.StringMatching(`[a-z",;\n |\t]{0,8}`))
		delimiter := rapid.SampledFrom([]rune{',', ';', '\t', '|'}).Draw(t, "delimiter")
		header := make([]string, columns)
		for i := range header {
			header[i] = string(rune('a' + i))
		}
		var text bytes.Buffer
		w := csv.NewWriter(&text)
		w.Comma = delimiter
		require.NoError(t, w.Write(header))
		w.Flush()
		var want []outcome
		for range rapid.IntRange(0, 6).Draw(t, "rows") {
			record := rapid.SliceOfN(cell, columns, columns).Draw(t, "record")
			o := outcome{line: 1 + strings.Count(text.String(), "\n"), fields: map[string]any{}}
			for i, value := range record {
				o.fields[header[i]] = value
			}
			want = append(want, o)
			require.NoError(t, w.Write(record))
			w.Flush()
		}
		require.Equal(t, want, requireLaws(t, text.Bytes(), asCSV))
	})
}

// TestBadRowsFailAlone: malformed rows of any kind, put anywhere between good
// ones, take none of them along (A10).
func TestBadRowsFailAlone(t *testing.T) {
	t.Parallel()
	good := map[string]string{intake.FormatCSV: "1,\"2\n2\"\n", intake.FormatJSONL: "{\"a\":1}\n"}
	broken := map[string][]string{
		intake.FormatCSV:   {"1\n", "1,2,3\n", "1,2\"\n", "\"1\"2,\n", "\xff,1\n", "1,\x00\n", "1,\"2\"\"3\"x\n", strings.Repeat("x", 200) + ",\n"},
		intake.FormatJSONL: {"1\n", "{\n", "{}{}\n", "{\"a\":1,\"a\":1}\n", "\xff\n", "[]\n", strings.Repeat("x", 200) + "\n"},
	}
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.SampledFrom([]string{intake.FormatCSV, intake.FormatJSONL}).Draw(t, "format")
		var text strings.Builder
		if format == intake.FormatCSV {
			text.WriteString("a,b\n")
		}
		var lines []int
		for _, isGood := range rapid.SliceOf(rapid.Bool()).Draw(t, "rows") {
			if isGood {
				lines = append(lines, 1+strings.Count(text.String(), "\n"))
				text.WriteString(good[format])
				continue
			}
			text.WriteString(rapid.SampledFrom(broken[format]).Draw(t, "broken"))
		}
		var got []int
		for _, o := range requireLaws(t, []byte(text.String()), intake.Options{Format: format, MaxRow: 100}) {
			if o.reason == "" {
				got = append(got, o.line)
			}
		}
		require.Equal(t, lines, got)
	})
}

func FuzzCSV(f *testing.F) {
	for _, seed := range []string{
		"a,b\n1,2\n", "a;b\r\n\"1\n2\";3\r\n", "a\r1\r\"2", "\xef\xbb\xbfa,,\n1,\"\"\"\",\n", "sep=|\na|b\n1|2\n", "\xff\xfea\x00\n\x001\x00",
		"a\n\"1\n2\n3\"x\n4\n", "a,b\n1\n,,,\n\"", "\x1f\x8b\x08", "a,a\n", "\x28\xb5\x2f\xfd\x00",
	} {
		f.Add([]byte(seed), uint8(0))
		f.Add([]byte(seed), uint8(5))
	}
	f.Fuzz(func(t *testing.T, data []byte, maxRow uint8) {
		got := requireLaws(t, data, intake.Options{Name: "a.csv", MaxRow: int64(maxRow), MaxDecoded: 1 << 20})
		if maxRow == 0 {
			requireLikeStandardCSV(t, data, got)
		}
	})
}

func FuzzJSONL(f *testing.F) {
	for _, seed := range []string{
		"{\"a\":1}\n{}\n", "{\"a\":\"\\ud83d\\ude00\"}\r\n", "[{\"a\":1}]", "{\"a\":{\"b\":[1,null,true,\"x\"]}}", "{\"a\":1,\"a\":2}",
		"\xef\xbb\xbf{}\n\n \n{", "{}{}\n{},\n", "{\"\\ud800\":1}", "\xfe\xff\x00{\x00}", "{\"a\":1e400}",
	} {
		f.Add([]byte(seed), uint8(0))
		f.Add([]byte(seed), uint8(5))
	}
	f.Fuzz(func(t *testing.T, data []byte, maxRow uint8) {
		got := requireLaws(t, data, intake.Options{Name: "a.jsonl", MaxRow: int64(maxRow), MaxDecoded: 1 << 20})
		requireLikeStandardJSON(t, data, got)
	})
}
