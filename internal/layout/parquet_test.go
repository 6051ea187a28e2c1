package layout

import (
	"bytes"
	"encoding/json"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func parquetOf(t require.TestingT, table *Table, documents []Document) []byte {
	var b bytes.Buffer
	require.NoError(t, table.Parquet(&b, documents))
	return b.Bytes()
}

func TestParquetKeepsOrderAndValues(t *testing.T) {
	t.Parallel()
	all := decode(t, line("r1", `{"title":"A","price":1.5,"n":7,"ok":true,"tags":["x"]}`), line("r2", `{"title":null,"price":2,"more":"=1"}`))
	body := parquetOf(t, tableOf(nil, map[string]string{"n": "integer", "title": "string"}, all), all)
	types, rows := read(t, body)
	require.Equal(t, []string{
		"record STRING", "key STRING", "source STRING", "url STRING", "fetched_at TIMESTAMP(isAdjustedToUTC=true,unit=MICROS)",
		"title STRING?", "price DOUBLE?", "n INT(64,true)?", "ok BOOLEAN?", "tags STRING?", "more STRING?",
	}, types)
	at := time.Date(2026, 3, 1, 10, 0, 0, 123456000, time.UTC).UnixMicro()
	require.Equal(t, []map[string]any{
		{"record": "r1", "key": "k", "source": "books", "url": "https://a.example/r1", "fetched_at": at,
			"title": "A", "price": 1.5, "n": int64(7), "ok": true, "tags": `["x"]`, "more": nil},
		{"record": "r2", "key": "k", "source": "books", "url": "https://a.example/r2", "fetched_at": at,
			"title": nil, "price": 2.0, "n": nil, "ok": nil, "tags": nil, "more": "=1"},
	}, rows)
	require.NotContains(t, string(body), "version v", "the library's version is not part of the bytes")
}

// TestParquetTypes: the rules decide where the values let them, and no value is changed.
func TestParquetTypes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		declared string
		values   []string
		want     columnType
	}{
		"nothing seen":                  {"", nil, typeText},
		"nothing seen, but declared":    {"integer", []string{"null"}, typeInteger},
		"integers":                      {"", []string{"1", "2"}, typeNumber},
		"declared integers":             {"integer", []string{"1", "9223372036854775807"}, typeInteger},
		"an integer with a fraction":    {"integer", []string{"1", "1.5"}, typeNumber},
		"a number too exact":            {"number", []string{"9007199254740993"}, typeText},
		"more digits than a float has":  {"", []string{"0.12345678901234567890"}, typeText},
		"beyond any float":              {"", []string{"1e400"}, typeText},
		"beneath any float":             {"", []string{"1e-999999999"}, typeText},
		"zero":                          {"", []string{"0.00", "0e999999999", "-0"}, typeNumber},
		"negative zero is no integer":   {"integer", []string{"-0"}, typeNumber},
		"booleans":                      {"", []string{"true", "null"}, typeBool},
		"a boolean that is a string":    {"boolean", []string{`"yes"`}, typeText},
		"a string where a number stood": {"number", []string{"1", `"1"`}, typeText},
		"objects":                       {"", []string{"{}"}, typeText},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all []Document
			for _, v := range c.values {
				all = append(all, decode(t, line("r", `{"x":`+v+`}`))...)
			}
			s := NewSurvey(nil, map[string]string{"x": c.declared})
			for _, d := range all {
				s.See(d)
			}
			require.Equal(t, c.want, s.typeOf("x"))
		})
	}
}

// TestParquetReadsBack: every value is read back as what it is, whatever types the columns have got.
func TestParquetReadsBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := documents().Draw(t, "lines")
		all := decode(t, lines...)
		declared := map[string]string{"a": "integer", "b": "number", "c": "boolean"}
		table := tableOf(nil, declared, all)
		body := parquetOf(t, table, all)
		require.Equal(t, body, parquetOf(t, table, decode(t, lines...)), "the same bytes")
		_, rows := read(t, body)
		require.Len(t, rows, len(all))
		for i, d := range all {
			for _, c := range table.columns {
				if c.field != "" {
					same(t, d.values[c.field], rows[i][c.title])
				}
			}
		}
	})
}

// same compares a JSON value with what a column holds of it.
func same(t require.TestingT, value json.RawMessage, got any) {
	switch got := got.(type) {
	case nil:
		require.Equal(t, kindNull, kindOf(value))
	case bool:
		require.Equal(t, string(value), map[bool]string{true: "true", false: "false"}[got])
	case int64:
		require.Equal(t, string(value), big.NewInt(got).String())
	case float64:
		var want float64
		require.NoError(t, json.Unmarshal(value, &want))
		require.Equal(t, want, got)
	case string:
		require.Equal(t, shown(t, value), got)
	}
}

// TestParquetWithoutDocuments is a file with columns and no rows.
func TestParquetWithoutDocuments(t *testing.T) {
	t.Parallel()
	types, rows := read(t, parquetOf(t, tableOf([]string{"price"}, map[string]string{"price": "number"}, nil), nil))
	require.Equal(t, []string{"price DOUBLE?"}, types)
	require.Empty(t, rows)
}

func BenchmarkTable(b *testing.B) {
	var lines []string
	for range 10_000 {
		lines = append(lines, line("0123456789abcdef0123", `{"author":"A. N. Author","price":12.99,"stock":7,"title":"A title of some length, with a comma"}`))
	}
	all := decode(b, lines...)
	table := tableOf(nil, nil, all)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"csv":     func(w *bytes.Buffer) error { return table.CSV(w, all) },
		"parquet": func(w *bytes.Buffer) error { return table.Parquet(w, all) },
		"decode": func(w *bytes.Buffer) error {
			tableOf(nil, nil, decode(b, lines...))
			return nil
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var w bytes.Buffer
			for b.Loop() {
				w.Reset()
				require.NoError(b, write(&w))
			}
			b.ReportMetric(float64(w.Len()), "bytes/part")
		})
	}
}
