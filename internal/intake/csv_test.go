package intake_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/internal/intake"
)

func TestCSVRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []outcome
	}{
		{"rows", "a,b\n1,2\n3,4\n", []outcome{row(2, "a", "1", "b", "2"), row(3, "a", "3", "b", "4")}},
		{"header only", "a,b\n", nil},
		{"no final line end", "a,b\n1,2", []outcome{row(2, "a", "1", "b", "2")}},
		{"CR LF", "a,b\r\n1,2\r\n3,4\r\n", []outcome{row(2, "a", "1", "b", "2"), row(3, "a", "3", "b", "4")}},
		{"CR alone", "a,b\r1,2\r\r3,4", []outcome{row(2, "a", "1", "b", "2"), row(4, "a", "3", "b", "4")}},
		{"mixed line ends", "a\r\n1\n2\r3\r\n\n4", []outcome{row(2, "a", "1"), row(3, "a", "2"), row(4, "a", "3"), row(6, "a", "4")}},
		{"blank lines are counted", "\n\na\n\n1\n\n\n2\n\n", []outcome{row(5, "a", "1"), row(8, "a", "2")}},
		{"line breaks in quotes are kept and counted", "a,b\n\"1\n2\r\n3\r4\",5\n6,7\n", []outcome{row(2, "a", "1\n2\r\n3\r4", "b", "5"), row(6, "a", "6", "b", "7")}},
		{"a CR that ends a quoted value", "a\n\"1\r\"\r\n2\n", []outcome{row(2, "a", "1\r"), row(4, "a", "2")}},
		{"quoted header over two lines", "\"a\nb\",c\n1,2\n", []outcome{row(3, "a\nb", "1", "c", "2")}},
		{"doubled quotes", "a\n\"say \"\"hi\"\"\"\n\"\"\"\"\n", []outcome{row(2, "a", `say "hi"`), row(3, "a", `"`)}},
		{"empty values", "a,b\n,\n\"\",\n", []outcome{row(2, "a", "", "b", ""), row(3, "a", "", "b", "")}},
		{"values are not trimmed", "a,b\n 1 ,\t2\n", []outcome{row(2, "a", " 1 ", "b", "\t2")}},
		{"names are trimmed", " A ,\u00a0b\u200b\n1,2\n", []outcome{row(2, "A", "1", "b", "2")}},
		{"two byte order marks", "\xef\xbb\xbf\xef\xbb\xbfa\n1\n", []outcome{row(2, "a", "1")}},
		{"control characters are data", "a\n\x01\v\x7f\n", []outcome{row(2, "a", "\x01\v\x7f")}},
		{"semicolon", "a;b,c;d\n1;2;3\n", []outcome{row(2, "a", "1", "b,c", "2", "d", "3")}},
		{"tab", "a\tb\n1\t2\n", []outcome{row(2, "a", "1", "b", "2")}},
		{"bar", "a|b\n1|2\n", []outcome{row(2, "a", "1", "b", "2")}},
		{"delimiters in quotes do not count", "\"a;b;c\",d\n1,2\n", []outcome{row(2, "a;b;c", "1", "d", "2")}},
		{"a tie goes to the comma", "a;b,c\n1,2\n", []outcome{row(2, "a;b", "1", "c", "2")}},
		{"declared delimiter", "sep=;\r\na;b\r\n1;2\r\n", []outcome{row(3, "a", "1", "b", "2")}},
		{"an unknown declared delimiter is a name", "sep=x\n1\n", []outcome{row(2, "sep=x", "1")}},
		{"a name that only starts like it", "sep=;b\n1;2\n", []outcome{row(2, "sep=", "1", "b", "2")}},
		{"nameless column", "a,,\n1,,\n2,x,\n3,,\n", []outcome{row(2, "a", "1"), bad(3, "column 2 has a value and no name"), row(4, "a", "3")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			requireOutcomes(t, c.want, readText(t, c.text, asCSV))
		})
	}
}

// TestCSVRecovers: each kind of malformed row fails alone (A10).
func TestCSVRecovers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		want       []outcome
	}{
		{"short row", "1\n", []outcome{bad(2, "the row has 1 values and the header has 2")}},
		{"long row", "1,2,3\n", []outcome{bad(2, "the row has 3 values")}},
		{"white space only", "   \n", []outcome{bad(2, "the row has 1 values")}},
		{"long row over two lines", "\"1\n2\",3,4\n", []outcome{bad(2, "the row has 3 values")}},
		{"quote inside", "1,5\" disk\n", []outcome{bad(2, "value 2 has a quote inside")}},
		{"space before a quote", "1, \"2\"\n", []outcome{bad(2, "value 2 has a quote inside")}},
		{"text after a quote", "\"1\"x,2\n", []outcome{bad(2, "value 1 goes on after its closing quote")}},
		{"NUL", "1,\x002\n", []outcome{bad(2, "column 2 has a NUL byte")}},
		{"NUL in a value too many", "1,2,\x00\n", []outcome{bad(2, "NUL byte")}},
		{"not UTF-8", "1,caf\xe9\n", []outcome{bad(2, "column 2 is not UTF-8")}},
		{"byte order mark", "\xef\xbb\xbf1,2\n", []outcome{bad(2, "byte order mark")}},
		{"broken over two lines", "\"1\n2\" x,3\n", []outcome{bad(2, "value 1 goes on"), bad(3, "value 1 has a quote inside")}},
		{"lines inside a broken row are rows", "\"1,2\n3,4\n5,\"x\"\n", []outcome{bad(2, "goes on"), row(3, "a", "3", "b", "4"), row(4, "a", "5", "b", "x")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, end := range []string{"\n", "\r\n", "\r"} {
				text := strings.ReplaceAll("a,b\n"+c.text+"8,9\n", "\n", end)
				next := 2 + strings.Count(c.text, "\n")
				want := append(append([]outcome(nil), c.want...), row(next, "a", "8", "b", "9"))
				requireOutcomes(t, want, readText(t, text, asCSV))
			}
		})
	}
}

// TestCSVUnclosedQuote: a quote that is never closed costs one line, not the
// rest of the file.
func TestCSVUnclosedQuote(t *testing.T) {
	t.Parallel()
	got := readText(t, "a,b\n1,2\n\"3,4\n5,6\n7,8", asCSV)
	requireOutcomes(t, []outcome{
		row(2, "a", "1", "b", "2"), bad(3, "the quote that opens value 1 is never closed"),
		row(4, "a", "5", "b", "6"), row(5, "a", "7", "b", "8"),
	}, got)
}

func TestCSVMaxRow(t *testing.T) {
	t.Parallel()
	opts := intake.Options{Format: intake.FormatCSV, MaxRow: 9}
	fits := "\"1234567\""
	for _, c := range []struct {
		name, text string
		want       []outcome
	}{
		{"fits", "a\n123456789\r\n" + fits + "\n2", []outcome{row(2, "a", "123456789"), row(3, "a", "1234567"), row(4, "a", "2")}},
		{"plain", "a\n1234567890\r\n2", []outcome{bad(2, "larger than 9 bytes"), row(3, "a", "2")}},
		{"quoted", "a\n\"12345678\"\r2", []outcome{bad(2, "larger than 9 bytes"), row(3, "a", "2")}},
		{"many values", "a\n,,,,,,,,,,\n2", []outcome{bad(2, "larger than 9 bytes"), row(3, "a", "2")}},
		{"over lines", "a\n\"1\n2\n3\n4\n5\"\n", []outcome{bad(2, "larger than 9 bytes"), row(3, "a", "2"), row(4, "a", "3"), row(5, "a", "4"), bad(6, "quote inside")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			requireOutcomes(t, c.want, readText(t, c.text, opts))
		})
	}
	// Far beyond every buffer the answer is the same.
	long := strings.Repeat("x", 300<<10)
	large := intake.Options{Format: intake.FormatCSV, MaxRow: 100 << 10}
	for text, reason := range map[string]string{
		"a\n" + long + "\n2\n":               "larger than 102400 bytes",
		"a\n\"" + long + "\n2\n":             "the quote that opens value 1 is not closed before",
		"a\n\"" + long + "\n2\n\"" + "x\"\n": "the quote that opens value 1 is not closed before",
	} {
		got, err := readAll(strings.NewReader(text), large)
		require.NoError(t, err)
		requireOutcomes(t, []outcome{bad(2, reason), row(3, "a", "2")}, got[:2])
	}
}

func TestCSVHeaderErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		line       int
		says       string
	}{
		{"empty file", "", 1, "the file is empty"},
		{"only a byte order mark", "\xef\xbb\xbf", 1, "the file is empty"},
		{"only blank lines", "\n\r\n", 3, "the file is empty"},
		{"only a declared delimiter", "sep=;\n", 2, "the file is empty"},
		{"name twice", "url,id, url\n", 1, `columns 1 and 3 are both named "url"`},
		{"no names", "\n, ,\n", 2, "no column of the header has a name"},
		{"URL in place of a header", "https://a.example/\n", 1, "write the column names"},
		{"JSON", `{"a":1}`, 1, "looks like JSON"},
		{"quote inside", "a,b\"c\n", 1, "quote inside"},
		{"unclosed quote", "\"a,b\n1,2\n", 1, "never closed"},
		{"not UTF-8", "caf\xe9\n", 1, "not UTF-8"},
		{"NUL", "a\x00\n", 1, "NUL"},
		{"too many columns", strings.Repeat("a,", 16384) + "b\n", 1, "has 16385 columns"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := readAll(strings.NewReader(c.text), asCSV)
			var header *intake.HeaderError
			require.ErrorAs(t, err, &header)
			require.Equal(t, "a.csv", header.Name)
			require.Equal(t, c.line, header.Line)
			require.Contains(t, header.Error(), "a.csv: line ")
			require.Contains(t, header.Error(), c.says)
		})
	}
}

func TestCSVHeaderNames(t *testing.T) {
	t.Parallel()
	reader, err := intake.Open(strings.NewReader("URL , url,,\n"), asCSV)
	require.NoError(t, err)
	require.Equal(t, []string{"URL", "url", "", ""}, reader.Header())
}
