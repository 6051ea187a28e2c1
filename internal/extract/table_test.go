package extract

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

const prices = "sku,name,price\n1,Anvil,\"1,299.50\"\n2,\"Big\nbox\",5\n3,,7\n"

func TestCSVFields(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field collection.Field
		want  string
	}{
		{collection.Field{Column: "name"}, `"Anvil"`},
		{collection.Field{Column: "price", Type: "number"}, `1299.50`},
		{collection.Field{Column: "price", Type: "number", List: true}, `[1299.50,5,7]`},
		{collection.Field{Column: " name ", List: true}, `["Anvil","Big box"]`},
		{collection.Field{Type: "object", Fields: []collection.Field{{Name: "n", Column: "name"}}}, `{"n":"Anvil"}`},
		{collection.Field{Type: "object", List: true, Fields: []collection.Field{
			{Name: "sku", Column: "sku"}, {Name: "name", Column: "name"}, {Name: "other", Column: "other"},
		}}, `[{"sku":"1","name":"Anvil"},{"sku":"2","name":"Big box"},{"sku":"3"}]`},
	} {
		c.field.Name = "f"
		got, err := apply(t, "csv", prices, c.field)
		require.NoError(t, err, c.want)
		requireFields(t, `{"f":`+c.want+`}`, got.Fields)
	}
	got, err := apply(t, "csv", prices, collection.Field{Name: "r", Type: "object", List: true,
		Fields: []collection.Field{{Name: "sku", Column: "sku"}}})
	require.NoError(t, err)
	require.Equal(t, map[string]string{"r": "row", "r.sku": "column sku"}, got.Provenance)
}

func TestCSVDelimiters(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"a;price\n1;\"1.299,00\"\n", "a\tprice\r\n1\t1.299,00\r\n", "a;price\r1;1.299,00\r", "\ufeffa;price\n1;1.299,00"} {
		got, err := apply(t, "csv", body, collection.Field{Name: "p", Column: "price", Type: "number", Decimal: ","},
			collection.Field{Name: "a", Column: "a"})
		require.NoError(t, err, body)
		requireFields(t, `{"a":"1","p":1299.00}`, got.Fields)
	}
}

func TestCSVFailures(t *testing.T) {
	t.Parallel()
	required := collection.Field{Name: "f", Column: "x", Required: true}
	for body, c := range map[string]struct {
		reason collection.Reason
		why    string
	}{
		"":                    {collection.ReasonParseEmpty, ""},
		"x,y\n":               {collection.ReasonParseEmpty, ""},
		"y\n1\n":              {collection.ReasonParseEmpty, ""},
		"x,x\n1,2\n":          {collection.ReasonDecodeError, `the column "x" stands twice`},
		"x,y\n1,2\n\n1,2,3\n": {collection.ReasonDecodeError, "line 4 of the CSV document has 3 cells, its header has 2"},
		"x,y\n1\n":            {collection.ReasonDecodeError, "line 2"},
		"x\na\"b\n":           {collection.ReasonDecodeError, "not CSV"},
		"x\n\"open\n":         {collection.ReasonDecodeError, "not CSV"},
		"x\ncaf\xe9\n":        {collection.ReasonDecodeError, "not valid utf-8"},
	} {
		_, err := rulesFor(t, "csv", required).Apply(Input{Body: []byte(body)})
		failure := requireFailure(t, err, c.reason)
		require.Contains(t, failure.Detail, c.why, body)
	}
	_, err := apply(t, "csv", "a,x\n1,\n", required, collection.Field{Name: "a", Column: "a"})
	failure := requireFailure(t, err, collection.ReasonParseInvalid)
	require.Equal(t, []string{"f"}, failure.Fields)
}

// rowsOf reads a document whole, as its own header names the columns.
func rowsOf(t *testing.T, body []byte, columns []string) (Result, error) {
	t.Helper()
	var fields []collection.Field
	no := false
	for _, c := range columns {
		fields = append(fields, collection.Field{Name: c, Column: c, Trim: &no})
	}
	return rulesFor(t, "csv", collection.Field{Name: "rows", Type: "object", List: true, Fields: fields}).Apply(Input{Body: body})
}

func TestCorpusCSVSpectrum(t *testing.T) {
	t.Parallel()
	for _, name := range glob(t, "csv/csv-spectrum/csvs/*.csv") {
		base := strings.TrimSuffix(path.Base(name), ".csv")
		if base == "location_coordinates" {
			_, err := rowsOf(t, corpus(t, name), []string{"x"})
			requireFailure(t, err, collection.ReasonDecodeError) // the file is not UTF-8
			continue
		}
		var want []map[string]string
		corpusJSON(t, "csv/csv-spectrum/json/"+base+".json", &want)
		columns := slices.Sorted(maps.Keys(want[0]))
		for _, row := range want {
			maps.DeleteFunc(row, func(_, value string) bool { return value == "" }) // an empty cell is a missing value
			for column, value := range row {
				row[column] = strings.ReplaceAll(value, "\r\n", "\n") // encoding/csv reads line ends in quotes as "\n"
			}
		}
		got, err := rowsOf(t, corpus(t, name), columns)
		require.NoError(t, err, base)
		wanted, err := json.Marshal(want)
		require.NoError(t, err)
		requireFields(t, string(wanted), got.Fields["rows"])
	}
}

// edgeDifferences are cases whose records are other ones here, and why.
var edgeDifferences = map[string]string{
	"duplicate_header":  "a column that is asked for must stand once",
	"header_case_space": "headers are cleaned of white space",
	"header_only":       "no row is an empty parse",
	"trailing_comma":    "a column without a name cannot be asked for",
	"quoted_crlf":       "encoding/csv reads line ends in quotes as \\n",
	"empty_quoted":      "an empty cell is a missing value",
	"semicolon":         "semicolons part cells where commas do not give the columns",
	"tab":               "so do tabs",
}

func TestCorpusCSVEdges(t *testing.T) {
	t.Parallel()
	var cases []struct {
		Name    string
		Body    string `json:"bytes_b64"`
		Records [][]string
	}
	corpusJSON(t, "csv/csv_edge.json", &cases)
	compared := 0
	for _, c := range cases {
		if len(c.Records) < 2 || edgeDifferences[c.Name] != "" {
			continue
		}
		compared++
		body, err := base64.StdEncoding.DecodeString(c.Body)
		require.NoError(t, err)
		got, err := rowsOf(t, body, c.Records[0])
		require.NoError(t, err, c.Name)
		rows := got.Fields["rows"].([]any)
		require.Len(t, rows, len(c.Records)-1, c.Name)
		for i, record := range c.Records[1:] {
			for j, value := range record {
				require.Equal(t, value, rows[i].(map[string]any)[c.Records[0][j]], c.Name)
			}
		}
	}
	require.Greater(t, compared, 10)
}
