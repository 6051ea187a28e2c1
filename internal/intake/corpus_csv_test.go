package intake_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/intake"
)

type csvEdge struct {
	Name    string     `json:"name"`
	Bytes   []byte     `json:"bytes_b64"`
	Records [][]string `json:"records"`
	Error   string     `json:"error"`
}

// csvEdgeAnswers are the cases whose right answer the corpus leaves open, or to
// which ours is another; why is the reason.
var csvEdgeAnswers = map[string]struct {
	want   []outcome
	header string // contained in a *HeaderError, if any
	why    string
}{
	"cp1252":               {want: []outcome{bad(2, "column 2 is not UTF-8")}, why: "never a guess at the charset"},
	"invalid_utf8":         {want: []outcome{bad(2, "column 1 is not UTF-8")}, why: "never a guess at the charset"},
	"cr_only":              {want: []outcome{row(2, "a", "1", "b", "2")}, why: "CR alone ends a line"},
	"empty_file":           {header: "the file is empty", why: "a header is required"},
	"only_bom":             {header: "the file is empty", why: "a header is required"},
	"duplicate_header":     {header: `both named "url"`, why: "either value could be meant"},
	"header_case_space":    {want: []outcome{row(2, "URL", "1", "Name", "2")}, why: "names are trimmed, their case is the caller's business"},
	"trailing_comma":       {want: []outcome{row(2, "a", "1", "b", "2")}, why: "an empty value without a name says nothing"},
	"semicolon":            {want: []outcome{row(2, "a", "1", "b", "2")}, why: "the delimiter is detected"},
	"tab":                  {want: []outcome{row(2, "a", "1", "b", "2")}, why: "the delimiter is detected"},
	"sep_line":             {want: []outcome{row(3, "a", "1", "b", "2")}, why: "the delimiter is declared"},
	"whitespace_only_line": {want: []outcome{bad(2, "has 1 values"), row(3, "a", "1", "b", "2")}, why: "a line of spaces is a value"},
	"nul_byte":             {want: []outcome{bad(2, "column 2 has a NUL byte")}, why: "a NUL is a sign of a binary file"},
	"comment_line":         {want: []outcome{bad(2, "has 2 values"), bad(3, "has 2 values")}, why: "RFC 4180 has no comments: the line is the header"},
	"unterminated_quote":   {want: []outcome{bad(2, "never closed"), row(3, "a", "3", "b", "4")}, why: "a malformed row costs one line"},
	"short_row":            {want: []outcome{bad(2, "the row has 2 values and the header has 3")}, why: "field count"},
	"long_row":             {want: []outcome{bad(2, "the row has 3 values and the header has 2")}, why: "field count"},
	"single_quotes":        {want: []outcome{bad(2, "the row has 3 values and the header has 2")}, why: "field count"},
	"bare_quote":           {want: []outcome{bad(2, "value 2 has a quote inside")}, why: "bare quote"},
	"space_before_quote":   {want: []outcome{bad(2, "value 2 has a quote inside")}, why: "bare quote"},
	"text_after_quote":     {want: []outcome{bad(2, "value 1 goes on after its closing quote")}, why: "quote in a quoted value"},
}

func TestCorpusCSVEdge(t *testing.T) {
	t.Parallel()
	var cases []csvEdge
	corpusJSON(t, "csv/csv_edge.json", &cases)
	require.NotEmpty(t, cases)
	used := map[string]bool{}
	for _, c := range cases {
		answer, listed := csvEdgeAnswers[c.Name]
		used[c.Name] = listed
		t.Run(c.Name, func(t *testing.T) {
			got, err := readAll(bytes.NewReader(c.Bytes), asCSV)
			if answer.header != "" {
				require.ErrorAs(t, err, new(*intake.HeaderError))
				require.ErrorContains(t, err, answer.header)
				return
			}
			require.NoError(t, err)
			if listed {
				requireOutcomes(t, answer.want, got)
				return
			}
			require.Empty(t, c.Error, "a case that ends in an error needs an entry with its line and reason")
			require.NotEmpty(t, c.Records, "a case that the corpus leaves open needs an entry")
			require.Len(t, got, len(c.Records)-1)
			for i, record := range c.Records[1:] {
				fields := map[string]any{}
				for k, name := range c.Records[0] {
					fields[name] = record[k]
				}
				require.Equal(t, fields, got[i].fields, got[i].reason)
			}
		})
	}
	requireAllUsed(t, csvEdgeAnswers, used)
}

// csvSpectrumDifferences are files to which our answer is another.
var csvSpectrumDifferences = map[string]outcome{
	"location_coordinates": bad(2, "value 2 has a quote inside"), // and the file is not UTF-8
}

func TestCorpusCSVSpectrum(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(corpusPath(t, "csv/csv-spectrum/csvs"), "*.csv"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	used := map[string]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".csv")
		different, listed := csvSpectrumDifferences[name]
		used[name] = listed
		t.Run(name, func(t *testing.T) {
			got, err := readAll(bytes.NewReader(corpusFile(t, "csv/csv-spectrum/csvs/"+name+".csv")), asCSV)
			require.NoError(t, err)
			if listed {
				requireOutcomes(t, []outcome{different}, got)
				return
			}
			var want []map[string]any
			require.NoError(t, json.Unmarshal(corpusFile(t, "csv/csv-spectrum/json/"+name+".json"), &want))
			require.Len(t, got, len(want))
			for i := range want {
				require.Equal(t, want[i], got[i].fields, got[i].reason)
			}
		})
	}
	requireAllUsed(t, csvSpectrumDifferences, used)
}

// csvGenerated builds what csv/generate.json describes, case by case.
var csvGenerated = map[string]func(t *testing.T){
	"wide": func(t *testing.T) {
		names, values := make([]string, 10_000), make([]string, 10_000)
		for i := range names {
			names[i], values[i] = "c"+strings.Repeat("x", i%7)+string(rune('0'+i%10))+strings.Repeat("y", i/10), "v"
		}
		got, err := readAll(strings.NewReader(strings.Join(names, ",")+"\n"+strings.Join(values, ",")+"\n"),
			intake.Options{Name: "a.csv", MaxRow: 16 << 20})
		require.NoError(t, err)
		require.Len(t, got, 1)
		require.Len(t, got[0].fields, 10_000, got[0].reason)
	},
	"long_field": func(t *testing.T) {
		value := strings.Repeat("x", 2<<20)
		text := "a\n\"" + value + "\"\n1\n"
		got, err := readAll(strings.NewReader(text), asCSV)
		require.NoError(t, err)
		requireOutcomes(t, []outcome{bad(2, "larger than 1048576 bytes"), row(3, "a", "1")}, got)
		got, err = readAll(strings.NewReader(text), intake.Options{Name: "a.csv", MaxRow: 3 << 20})
		require.NoError(t, err)
		requireOutcomes(t, []outcome{row(2, "a", value), row(3, "a", "1")}, got)
	},
	"deep_quote": func(t *testing.T) {
		// On one line it is one bad row; on many lines all but the first are rows.
		requireBounded(t, newRepeated("a\n\"", "xxxxxxxxxxxxxxxx", streamSize), asCSV, func(rows, bad int) {
			require.Equal(t, []int{0, 1}, []int{rows, bad})
		})
		line := strings.Repeat("x", 199) + "\n"
		requireBounded(t, newRepeated("a\n\"\n", line, streamSize), asCSV, func(rows, bad int) {
			require.Equal(t, []int{streamSize / len(line), 1}, []int{rows, bad})
		})
	},
	"many_rows": func(t *testing.T) {
		line := "https://a.example/\n"
		requireBounded(t, newRepeated("url\n", line, 1_000_000*len(line)), asCSV, func(rows, bad int) {
			require.Equal(t, []int{1_000_000, 0}, []int{rows, bad})
		})
	},
}

func TestCorpusCSVGenerate(t *testing.T) {
	var cases []struct{ Name, Make string }
	corpusJSON(t, "csv/generate.json", &cases)
	used := map[string]bool{}
	for _, c := range cases {
		used[c.Name] = true
		build := csvGenerated[c.Name]
		require.NotNil(t, build, "%s (%s) is not built", c.Name, c.Make)
		t.Run(c.Name, build)
	}
	requireAllUsed(t, csvGenerated, used)
}
