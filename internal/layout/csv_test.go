package layout

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestCSVHasEveryField: a field that only the second document has gets a column, and nothing is lost.
func TestCSVHasEveryField(t *testing.T) {
	t.Parallel()
	all := decode(t, line("r1", `{"name":"A"}`), line("r2", `{"name":"B","age":30,"tags":["x", "y,z"],"none":null,"ok":true}`))
	got := csvOf(t, tableOf(nil, nil, all), all)
	require.Equal(t, "record,key,source,url,fetched_at,name,age,tags,none,ok\r\n"+
		"r1,k,books,https://a.example/r1,2026-03-01T10:00:00.123456789Z,A,,,,\r\n"+
		"r2,k,books,https://a.example/r2,2026-03-01T10:00:00.123456789Z,B,30,\"[\"\"x\"\",\"\"y,z\"\"]\",,true\r\n", got)
}

func TestCSVColumns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		declared []string
		fields   []string
		want     []string
	}{
		"first seen":           {nil, []string{`{"b":1}`, `{"a":1,"b":2}`}, append(own[:5:5], "b", "a")},
		"declared":             {[]string{"price", "record", "title"}, []string{`{"title":"x","other":1}`}, []string{"price", "record", "title"}},
		"no documents":         {nil, nil, own},
		"a field called url":   {nil, []string{`{"url":"x"}`}, append(own[:5:5], "field_url")},
		"and one in its place": {nil, []string{`{"url":"x","field_url":"y"}`}, append(own[:5:5], "field_field_url", "field_url")},
		"a formula":            {nil, []string{`{"=HYPERLINK(\"http://x\")":1}`}, append(own[:5:5], `'=HYPERLINK("http://x")`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all []Document
			for _, f := range c.fields {
				all = append(all, decode(t, line("r", f))...)
			}
			rows := cells(t, csvOf(t, tableOf(c.declared, nil, all), all))
			require.Equal(t, c.want, rows[0])
			require.Len(t, rows, len(all)+1)
		})
	}
}

func TestHarmless(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                           "",
		"plain":                      "plain",
		"a=1":                        "a=1",
		`=HYPERLINK("http://x","y")`: `'=HYPERLINK("http://x","y")`,
		"+cmd":                       "'+cmd",
		"-2+3":                       "'-2+3",
		"@SUM(A1)":                   "'@SUM(A1)",
		"\t=1":                       "'\t=1",
		"\r=1":                       "'\r=1",
		"\n=1":                       "'\n=1",
		"＝1":                         "'＝1",
		"-5":                         "-5",
		"-0.25e-3":                   "-0.25e-3",
		"+49":                        "+49",
		"+49 170":                    "'+49 170",
		"-":                          "'-",
		"'quoted'":                   "'quoted'",
		"'=1":                        "''=1",
		"''-5":                       "'''-5",
		"'":                          "'",
		"\u00a0=1":                   "\u00a0=1",
	} {
		require.Equal(t, want, Harmless(text), "%q", text)
		require.Equal(t, text, original(want), "%q", want)
	}
}

// TestHarmlessCanBeUndone, and leaves nothing that begins a formula but numbers.
func TestHarmlessCanBeUndone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`'{0,3}[=+@\t\r\n-]?[0-9.'=e+-]{0,5}`)).Draw(t, "text")
		cell := Harmless(text)
		require.Equal(t, text, original(cell))
		if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) {
			require.Regexp(t, plainNumber, cell)
		}
	})
}

// TestCSVReadsBack: the standard library's reader sees the same values.
func TestCSVReadsBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := documents().Draw(t, "lines")
		all := decode(t, lines...)
		table := tableOf(nil, nil, all)
		body := csvOf(t, table, all)
		require.Equal(t, body, csvOf(t, table, decode(t, lines...)), "the same bytes")
		rows := cells(t, body)
		require.Len(t, rows, len(all)+1)
		for i, d := range all {
			for j, c := range table.columns {
				got := rows[i+1][j]
				want := d.own(c.title)
				if c.field != "" {
					want = shown(t, d.values[c.field])
				}
				// The reader makes one line feed of CR LF within a cell.
				require.Equal(t, strings.ReplaceAll(want, "\r\n", "\n"), undone(got, d, c))
			}
		}
	})
}

// original undoes Harmless, as its comment tells whoever reads the cells by program.
func original(cell string) string {
	if strings.HasPrefix(cell, "'") && formula.MatchString(cell) {
		return cell[1:]
	}
	return cell
}

// undone is a cell as a program reads it: only texts are made harmless.
func undone(cell string, d Document, c column) string {
	if c.field != "" && kindOf(d.values[c.field]) != kindString {
		return cell
	}
	return original(cell)
}

// shown is what a reader expects of a value, by the standard library.
func shown(t require.TestingT, value json.RawMessage) string {
	var v any
	if len(value) > 0 {
		require.NoError(t, json.Unmarshal(value, &v))
	}
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	return string(value)
}
