package layout

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// line is a document as a delivery writes it; fields are JSON.
func line(record, fields string) string {
	return fmt.Sprintf(`{"record":%q,"key":"k","source":"books","url":"https://a.example/%s","fetched_at":"2026-03-01T10:00:00.123456789Z","fields":%s}`,
		record, record, fields)
}

func decode(t require.TestingT, lines ...string) []Document {
	var all []Document
	for _, l := range lines {
		d, err := Decode([]byte(l))
		require.NoError(t, err, l)
		all = append(all, d)
	}
	return all
}

// tableOf surveys documents.
func tableOf(columns []string, types map[string]string, documents []Document) *Table {
	s := NewSurvey(columns, types)
	for _, d := range documents {
		s.See(d)
	}
	return s.Table()
}

// csvOf writes documents and returns the bytes.
func csvOf(t require.TestingT, table *Table, documents []Document) string {
	var b bytes.Buffer
	require.NoError(t, table.CSV(&b, documents))
	return b.String()
}

// cells reads CSV by the standard library, which knows nothing of ours.
func cells(t require.TestingT, text string) [][]string {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err, "%q", text)
	return rows
}

// read is a Parquet file as another program sees it: its columns' types, and its rows by column.
func read(t require.TestingT, body []byte) (types []string, rows []map[string]any) {
	f, err := parquet.OpenFile(bytes.NewReader(body), int64(len(body)))
	require.NoError(t, err)
	var names []string
	for _, c := range f.Root().Columns() {
		names = append(names, c.Name())
		optional := ""
		if c.Optional() {
			optional = "?"
		}
		types = append(types, c.Name()+" "+c.Type().String()+optional)
	}
	for _, group := range f.RowGroups() {
		reader := group.Rows()
		buffer := make([]parquet.Row, 1)
		for {
			n, err := reader.ReadRows(buffer)
			if n == 1 {
				rows = append(rows, named(names, buffer[0]))
			}
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
		}
		require.NoError(t, reader.Close())
	}
	return types, rows
}

func named(names []string, row parquet.Row) map[string]any {
	out := map[string]any{}
	for _, v := range row {
		name := names[v.Column()]
		switch {
		case v.IsNull():
			out[name] = nil
		case v.Kind() == parquet.Boolean:
			out[name] = v.Boolean()
		case v.Kind() == parquet.Int64:
			out[name] = v.Int64()
		case v.Kind() == parquet.Double:
			out[name] = v.Double()
		default:
			out[name] = string(v.ByteArray())
		}
	}
	return out
}

// value draws a JSON value as Go's encoder writes one.
func value() *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 7).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return rapid.Int64().Draw(t, "integer")
		case 3:
			return rapid.Float64().Draw(t, "number")
		case 4:
			return []any{rapid.String().Draw(t, "item"), 1, nil}
		case 5:
			return rapid.StringMatching(`'{0,2}[=+@\t\r\n-]?[0-9."', \r\n]{0,6}`).Draw(t, "formula")
		}
		return rapid.String().Draw(t, "string")
	})
}

// documents draws lines whose fields come and go.
func documents() *rapid.Generator[[]string] {
	return rapid.Custom(func(t *rapid.T) []string {
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[=a-c]{1,3}|url|field_url|key`), 1, 5, rapid.ID).Draw(t, "names")
		var lines []string
		for i := range rapid.IntRange(0, 6).Draw(t, "documents") {
			fields := map[string]any{}
			for _, name := range names {
				if rapid.Bool().Draw(t, "there") {
					fields[name] = value().Draw(t, name)
				}
			}
			body, err := json.Marshal(fields)
			require.NoError(t, err)
			lines = append(lines, line(fmt.Sprintf("r%d", i), string(body)))
		}
		return lines
	})
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                          "not a document",
		`[]`:                        "not a document",
		`{}`:                        "names no record",
		`{"record":"r","fields":3}`: "fields are no object",
		`{"record":"r"`:             "not a document",
		`{"record":"r","fetched_at":"yesterday"}`: "not a document",
	} {
		_, err := Decode([]byte(text))
		require.ErrorContains(t, err, want, text)
	}
	for _, text := range []string{`{"record":"r"}`, `{"record":"r","fields":null}`, `{"record":"r","fields":{}}`} {
		d, err := Decode([]byte(text))
		require.NoError(t, err)
		require.Empty(t, d.names)
	}
}

// FuzzDecode: whatever a line holds, decoding ends, and what it yields can be written in both forms.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(line("r", `{"a":1e999999999,"b":[{}],"a":"=1"}`)))
	f.Add([]byte(`{"record":"r","fields":{"\ud800":0.1}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := Decode(body)
		if err != nil {
			return
		}
		table := tableOf(nil, nil, []Document{d})
		require.NoError(t, table.CSV(io.Discard, []Document{d}))
		require.NoError(t, table.Parquet(io.Discard, []Document{d}))
	})
}
