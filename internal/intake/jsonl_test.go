package intake_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/intake"
)

func TestJSONLRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []outcome
	}{
		{"rows", "{\"a\":\"1\"}\n{\"a\":\"2\"}\n", []outcome{row(1, "a", "1"), row(2, "a", "2")}},
		{"empty file", "", nil},
		{"CR LF and no final line end", "{\"a\":\"1\"}\r\n{\"a\":\"2\"}", []outcome{row(1, "a", "1"), row(2, "a", "2")}},
		{"blank lines are counted", "\n \t\r\n{\"a\":\"1\"}\n\n{}\n", []outcome{row(3, "a", "1"), row(5)}},
		{"white space around", " {\"a\" : \"1\"} \t\n", []outcome{row(1, "a", "1")}},
		{"separators of Unicode do not end a line", "{\"a\":\"\u2028\u2029\u0085\"}\n", []outcome{row(1, "a", "\u2028\u2029\u0085")}},
		{"escapes", `{"a":"\u00e9\ud83d\ude00\\ud800\n\u0000"}`, []outcome{row(1, "a", "é😀\\ud800\n\x00")}},
		{"keys differ in case", `{"URL":"1","url":"2"}`, []outcome{row(1, "URL", "1", "url", "2")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			requireOutcomes(t, c.want, readText(t, c.text, asJSONL))
		})
	}
}

// TestJSONLRecovers: each kind of malformed row fails alone (A10).
func TestJSONLRecovers(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"a":`, 64) + "[]" + strings.Repeat("}", 64)
	for _, c := range []struct {
		name, line, says string
	}{
		{"cut short", `{"a":1`, "not complete on its line"},
		{"cut inside a string", `{"a":"1`, "not complete on its line"},
		{"closing line of a pretty object", `}`, "must be a JSON object"},
		{"member line of a pretty object", `  "a": 1`, "must be a JSON object"},
		{"two objects", `{"a":1}{"a":2}`, "something follows the object"},
		{"two objects with CR between", "{\"a\":1}\r{\"a\":2}", "something follows the object"},
		{"comma behind", `{"a":1},`, "no commas between rows"},
		{"array", `[1]`, "this one is an array"},
		{"number", `1`, "must be a JSON object"},
		{"null", `null`, "must be a JSON object"},
		{"comment", `// x`, "must be a JSON object"},
		{"not JSON", `{"a":NaN}`, "the line is not JSON at byte 6"},
		{"raw tab in a string", "{\"a\":\"\t\"}", "the line is not JSON at byte 7"},
		{"key twice", `{"url":1,"b":{},"url":1}`, `the key "url" is given twice`},
		{"key twice by escape", `{"a":1,"\u0061":1}`, `the key "a" is given twice`},
		{"key twice inside", `{"a":[{"b":1,"b":1}]}`, `the key "b" is given twice`},
		{"byte order mark", "\xef\xbb\xbf{}", "byte order mark"},
		{"NUL", "{}\x00", "NUL byte"},
		{"not UTF-8", "{\"a\":\"\xff\"}", "not UTF-8"},
		{"high surrogate", `{"a":"\ud800"}`, "half a surrogate pair is escaped at byte 7"},
		{"two high surrogates", `{"a":"\ud800\ud800\udc00"}`, "half a surrogate pair"},
		{"low surrogate", `{"a":"x\uDC00"}`, "half a surrogate pair is escaped at byte 8"},
		{"high surrogate and an escape", `{"a":"\ud800\n"}`, "half a surrogate pair"},
		{"surrogate in a key", `{"\udfaa":0}`, "half a surrogate pair"},
		{"too deep", deep, "nests deeper than 64"},
		{"far too deep", strings.Repeat(`{"a":`, 20000), "the line is not JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := readText(t, "{}\n"+c.line+"\n{}\n", asJSONL)
			requireOutcomes(t, []outcome{row(1), bad(2, c.says), row(3)}, got)
		})
	}
}

func TestJSONLArrayFile(t *testing.T) {
	t.Parallel()
	got := readText(t, "\n[{\"a\":1},\n{\"a\":2}]\n[]", asJSONL)
	requireOutcomes(t, []outcome{bad(2, "the file looks like one JSON array"), bad(3, "something follows"), bad(4, "this one is an array")}, got)
}

func TestJSONLNumbersAreExact(t *testing.T) {
	t.Parallel()
	for _, n := range []string{"9007199254740993", "1e400", "-0", "0.10", "1E-999", "123456789012345678901234567890"} {
		got := readText(t, `{"n":[`+n+`]}`, asJSONL)
		require.Equal(t, []any{json.Number(n)}, got[0].fields["n"])
	}
}

func TestJSONLDepthAllowed(t *testing.T) {
	t.Parallel()
	got := readText(t, strings.Repeat(`{"a":`, 64)+"1"+strings.Repeat("}", 64), asJSONL)
	require.Len(t, got, 1)
	require.Empty(t, got[0].reason)
}

func TestJSONLMaxRow(t *testing.T) {
	t.Parallel()
	for _, size := range []int{20, 65_537, 200_000} {
		opts := intake.Options{Format: intake.FormatJSONL, MaxRow: int64(size)}
		exact := fmt.Sprintf(`{"a":"%s"}`, strings.Repeat("x", size-len(`{"a":""}`)))
		over := `{"a":"` + strings.Repeat("x", 2*size)
		for _, end := range []string{"\n", "\r\n"} {
			got, err := readAll(strings.NewReader(exact+end+exact+" "+end+over+end+"{}"+end+over), opts)
			require.NoError(t, err)
			require.Empty(t, got[0].reason)
			reason := fmt.Sprintf("larger than %d bytes", size)
			requireOutcomes(t, []outcome{bad(2, reason), bad(3, reason), row(4), bad(5, reason)}, got[1:])
		}
	}
}

func TestRowSize(t *testing.T) {
	t.Parallel()
	for text, opts := range map[string]intake.Options{
		"{ \"a\": 1 }\r\n":    asJSONL,
		"ab,c\n\"1\n\",234\n": asCSV,
	} {
		reader, err := intake.Open(strings.NewReader(text), opts)
		require.NoError(t, err)
		got, err := reader.Next()
		require.NoError(t, err)
		want := strings.TrimRight(strings.TrimPrefix(text, "ab,c\n"), "\r\n")
		require.Equal(t, len(want), got.Size)
		require.Nil(t, map[bool][]string{true: reader.Header()}[opts.Name == asJSONL.Name])
	}
}

// TestLongArray: a file that is one array on one line is told so however long the line is; what comes later in a file is not.
func TestLongArray(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	for text, reason := range map[string]string{
		" [{\"a\":\"" + long + "\"}]\n":                   "the file looks like one JSON array",
		"\n\n[\"" + long + "\"]":                          "the file looks like one JSON array",
		"{\"a\":\"" + long + "\"}\n":                      "the row is larger than 100 bytes",
		"{\"a\":1}\n[\"" + long + "\"]\n":                 "the row is larger than 100 bytes",
		strings.Repeat("{", 200) + "\n[\"" + long + "\"]": "the row is larger than 100 bytes",
	} {
		reader, err := intake.Open(strings.NewReader(text), intake.Options{Format: "jsonl", MaxRow: 100})
		require.NoError(t, err)
		var last *intake.RowError
		for {
			_, err := reader.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				require.ErrorAs(t, err, &last)
			}
		}
		require.NotNil(t, last, text)
		require.Contains(t, last.Reason, reason, text)
	}
}
