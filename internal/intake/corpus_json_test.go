package intake_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type jsonlEdge struct {
	Name  string `json:"name"`
	Bytes []byte `json:"bytes_b64"`
	Lines []struct {
		Line  int             `json:"line"`
		Value json.RawMessage `json:"value"`
		Error string          `json:"error"`
	} `json:"lines"`
}

// jsonlDifferences are the cases to which our answer is another than the one in
// the corpus, with the reason.
var jsonlDifferences = map[string]struct {
	want []outcome
	why  string
}{
	"non_object_values": {[]outcome{
		bad(1, "must be a JSON object"), bad(2, "must be a JSON object"), bad(3, "must be a JSON object"),
		bad(4, "this one is an array"), bad(5, "must be a JSON object"),
	}, "a record is an object"},
	"duplicate_keys":  {[]outcome{bad(1, `the key "url" is given twice`)}, "either value could be meant"},
	"big_exp":         {[]outcome{{line: 1, fields: map[string]any{"n": json.Number("1e400")}}}, "numbers keep their text"},
	"lone_surrogate":  {[]outcome{bad(1, "half a surrogate pair")}, "it stands for no character"},
	"invalid_utf8":    {[]outcome{bad(1, "not UTF-8")}, "never a guess at the charset"},
	"utf16le":         {[]outcome{{line: 1, fields: map[string]any{"a": json.Number("1")}}}, "UTF-16 with a byte order mark is decoded"},
	"gzip_unlabelled": {[]outcome{{line: 1, fields: map[string]any{"a": json.Number("1")}}}, "gzip is detected"},
}

func TestCorpusJSONLEdge(t *testing.T) {
	t.Parallel()
	var cases []jsonlEdge
	corpusJSON(t, "json/jsonl_edge.json", &cases)
	require.NotEmpty(t, cases)
	used := map[string]bool{}
	for _, c := range cases {
		different, listed := jsonlDifferences[c.Name]
		used[c.Name] = listed
		t.Run(c.Name, func(t *testing.T) {
			got, err := readAll(bytes.NewReader(c.Bytes), asJSONL)
			require.NoError(t, err)
			if listed {
				requireOutcomes(t, different.want, got)
				return
			}
			require.Len(t, got, len(c.Lines))
			for i, line := range c.Lines {
				require.Equal(t, line.Line, got[i].line)
				require.Equal(t, line.Error != "", got[i].reason != "", got[i].reason)
				if line.Error == "" {
					require.Equal(t, exactObject(t, line.Value), got[i].fields)
				}
			}
		})
	}
	requireAllUsed(t, jsonlDifferences, used)
}

// exactObject is what encoding/json makes of an object, with exact numbers.
func exactObject(t require.TestingT, text []byte) map[string]any {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	require.NoError(t, decoder.Decode(&object))
	return object
}

// suiteDifferences are files of JSONTestSuite whose first letter says otherwise
// than we do: y_ objects refused, n_ files that give no error.
var suiteDifferences = map[string]string{
	"y_object_duplicated_key.json":           "is given twice",
	"y_object_duplicated_key_and_value.json": "is given twice",
	"y_object_with_newlines.json":            "not complete on its line",
	"n_single_space.json":                    "", // a blank line is skipped
	"n_structure_no_data.json":               "", // no line at all
	"n_structure_UTF8_BOM_no_data.json":      "", // a byte order mark and no line
}

// suiteUndefined are the i_ files that are objects, with our answer.
var suiteUndefined = map[string]string{
	"i_object_key_lone_2nd_surrogate.json":    "half a surrogate pair",
	"i_structure_UTF-8_BOM_empty_object.json": "",
}

// TestCorpusJSONTestSuite reads every file of the suite as a JSON Lines file: a
// valid object on one line is a row, everything else is not.
func TestCorpusJSONTestSuite(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(corpusPath(t, "json/JSONTestSuite/test_parsing"), "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	used := map[string]bool{}
	objects := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		name := filepath.Base(file)
		reason, listed := suiteDifferences[name]
		undefined, isUndefined := suiteUndefined[name]
		used[name] = listed || isUndefined
		isObject := bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))), []byte("{"))
		t.Run(name, func(t *testing.T) {
			got, err := readAll(bytes.NewReader(data), asJSONL)
			if err != nil {
				requireOnlyMark(t, name, err)
				return
			}
			switch {
			case listed && reason == "":
				require.Empty(t, got)
			case listed:
				require.Contains(t, got[0].reason, reason)
			case isUndefined:
				require.Len(t, got, 1)
				require.Contains(t, got[0].reason, undefined)
				require.Equal(t, undefined == "", got[0].reason == "")
			case strings.HasPrefix(name, "y_") && isObject:
				require.Len(t, got, 1)
				require.Equal(t, outcome{line: 1, fields: exactObject(t, data)}, got[0])
				objects++
			default: // n_, and what is valid but no object
				require.False(t, strings.HasPrefix(name, "i_") && isObject, "an undefined object needs an entry")
				require.NotEmpty(t, got)
				for _, o := range got {
					require.NotEmpty(t, o.reason, "%v", o)
				}
			}
		})
	}
	require.Equal(t, 9, objects)
	requireAllUsed(t, suiteDifferences, used)
	requireAllUsed(t, suiteUndefined, used)
}

// requireOnlyMark: no file of the suite is refused whole but UTF-16 without a
// byte order mark, which the suite leaves undefined.
func requireOnlyMark(t *testing.T, name string, err error) {
	t.Helper()
	require.Contains(t, []string{"i_string_utf16BE_no_BOM.json", "i_string_utf16LE_no_BOM.json"}, name)
	require.ErrorContains(t, err, "UTF-16 without a byte order mark")
}

// TestCorpusJSONTransform: numbers of any size keep their text, keys that look
// alike stay apart, half surrogate pairs and equal keys are refused.
func TestCorpusJSONTransform(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(corpusPath(t, "json/JSONTestSuite/test_transform"), "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			line := `{"value":` + string(bytes.TrimSpace(data)) + "}"
			got := readText(t, line, asJSONL)
			require.Len(t, got, 1)
			switch {
			case strings.Contains(name, "same_key"):
				require.Contains(t, got[0].reason, "is given twice")
			case strings.Contains(name, "escaped_invalid"):
				require.Contains(t, got[0].reason, "half a surrogate pair")
			case strings.Contains(name, "invalid_codepoint"):
				require.Contains(t, got[0].reason, "not UTF-8")
			default:
				require.Equal(t, exactObject(t, []byte(line)), got[0].fields, got[0].reason)
			}
		})
	}
}
