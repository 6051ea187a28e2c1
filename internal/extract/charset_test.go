package extract

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"

	"github.com/weir-collect/weir/collection"
)

// The field cases on charsets, in the order of precedence: byte order mark, header, meta element, the bytes themselves.

func heading(t *testing.T, contentType string, body []byte) (string, []string) {
	t.Helper()
	got, err := rulesFor(t, "html", collection.Field{Name: "h", CSS: "h1"}).Apply(Input{Body: body, ContentType: contentType})
	require.NoError(t, err)
	return got.Fields["h"].(string), got.Warnings
}

func in(t *testing.T, label, text string) []byte {
	t.Helper()
	e, _ := charset.Lookup(label)
	require.NotNil(t, e, label)
	encoded, err := e.NewEncoder().Bytes([]byte(text))
	require.NoError(t, err)
	return encoded
}

func TestCase54MarkOutweighsHeader(t *testing.T) {
	t.Parallel()
	got, warnings := heading(t, "text/html; charset=cp1251", []byte("\xef\xbb\xbf<h1>Привет!</h1>"))
	require.Equal(t, "Привет!", got)
	require.Empty(t, warnings)
}

func TestHeaderOutweighsMeta(t *testing.T) {
	t.Parallel()
	body := in(t, "windows-1251", "<meta charset=utf-8><h1>Привет!</h1>")
	got, _ := heading(t, "text/html; charset=windows-1251", body)
	require.Equal(t, "Привет!", got)
}

func TestCase56CharsetOfAScriptIsNotThePages(t *testing.T) {
	t.Parallel()
	page := `<script charset="utf-8" src="x.js"></script>
		<meta http-equiv=Content-Type content="text/html; charset=ISO-8859-15"><h1>5 €</h1>`
	got, _ := heading(t, "text/html", in(t, "iso-8859-15", page))
	require.Equal(t, "5 €", got)
}

func TestCase57MetaInAnyOrder(t *testing.T) {
	t.Parallel()
	for _, meta := range []string{
		`<meta content="text/html; charset=windows-1251" http-equiv="Content-Type">`,
		`<META HTTP-EQUIV=content-type CONTENT='text/html;charset="windows-1251"'>`,
		`<meta charset = "Windows-1251">`,
		`<meta charset="no-such"><meta charset=windows-1251>`,
		`<meta name=description content="charset=koi8-r"><meta charset=windows-1251>`,
	} {
		got, warnings := heading(t, "text/html", in(t, "windows-1251", meta+"<h1>Привет!</h1>"))
		require.Equal(t, "Привет!", got, meta)
		require.Empty(t, warnings)
	}
}

// Contested: WHATWG's prescan ends at byte 1024. The whole head is read here, as browsers end up doing.
func TestCase59MetaBehindByte1024(t *testing.T) {
	t.Parallel()
	far := "<head><!--" + strings.Repeat("x", 2000) + "--><meta charset=windows-1251></head><h1>Привет!</h1>"
	got, _ := heading(t, "text/html", in(t, "windows-1251", far))
	require.Equal(t, "Привет!", got)

	body := "<body>" + strings.Repeat("x", 2000) + "<meta charset=utf-8><h1>Привет!</h1>"
	got, warnings := heading(t, "text/html", in(t, "windows-1251", body))
	require.Equal(t, mojibake(t, "Привет!"), got, "a meta element in the body declares nothing")
	require.NotEmpty(t, warnings)
}

func mojibake(t *testing.T, text string) string {
	t.Helper()
	out, err := charmap.Windows1252.NewDecoder().Bytes(in(t, "windows-1251", text))
	require.NoError(t, err)
	return string(out)
}

func TestCase60CharacterAcrossByte1024(t *testing.T) {
	t.Parallel()
	for offset := 1020; offset <= 1026; offset++ {
		lead := "<h1>" + strings.Repeat("x", offset-len("<h1>"))
		got, warnings := heading(t, "text/html", []byte(lead+"é</h1>"))
		require.True(t, strings.HasSuffix(got, "é"), offset)
		require.Empty(t, warnings)
	}
}

func TestUTF8FarBehindASCII(t *testing.T) {
	t.Parallel()
	got, _ := heading(t, "text/html", []byte("<!--"+strings.Repeat("x", 5000)+"--><h1>£51.77</h1>"))
	require.Equal(t, "£51.77", got)
}

func TestUndeclared(t *testing.T) {
	t.Parallel()
	got, warnings := heading(t, "", []byte("<h1>caf\xe9</h1>"))
	require.Equal(t, "café", got)
	require.Len(t, warnings, 1)

	got, warnings = heading(t, "", []byte("<h1>äöüß \xff</h1>"))
	require.Equal(t, "äöüß \ufffd", got, "one bad byte does not turn UTF-8 into windows-1252")
	require.Equal(t, []string{"1 byte sequences are not valid utf-8 and were replaced"}, warnings)

	got, warnings = heading(t, "text/html; charset=none", []byte("<h1>äö</h1>"))
	require.Equal(t, "äö", got)
	require.Equal(t, []string{`the Content-Type header names an unknown charset "none"`}, warnings)
}

func TestUndecodableCharset(t *testing.T) {
	t.Parallel()
	_, err := rulesFor(t, "html", collection.Field{Name: "h", CSS: "h1"}).Apply(
		Input{Body: []byte("<h1>x</h1>"), ContentType: "text/html; charset=iso-2022-kr"})
	requireFailure(t, err, collection.ReasonDecodeError)
}

func TestCorpusXNetSniffing(t *testing.T) {
	t.Parallel()
	var cases struct {
		Sniff []struct{ File, Declared, Encoding string }
	}
	corpusJSON(t, "charset/x-net/cases.json", &cases)
	require.NotEmpty(t, cases.Sniff)
	for _, c := range cases.Sniff {
		body := corpus(t, "charset/x-net/"+c.File)
		e, _ := charset.Lookup(c.Encoding)
		want, err := e.NewDecoder().Bytes(body)
		require.NoError(t, err)
		got, err := decodePage(Input{Body: body, ContentType: c.Declared}, &reader{})
		require.NoError(t, err)
		require.Equal(t, strings.TrimPrefix(string(want), "\ufeff"), got, c.File)
	}
}

// headerDifferences are headers in which w3lib sees no charset, and WHATWG's reading, which browsers follow, sees UTF-8.
var headerDifferences = map[string]string{
	`text/html; charset = utf-8`:      "white space around the equals sign is trimmed",
	`text/html; charset="utf-8`:       "a quoted string may end with the header",
	`text/html; charset="utf-8"x`:     "what follows the quotes is passed over",
	`text/html; charset="utf-8"extra`: "what follows the quotes is passed over",
}

func TestCorpusW3libHeaders(t *testing.T) {
	t.Parallel()
	var cases struct {
		Header []struct {
			ContentType string  `json:"content_type"`
			Encoding    *string `json:"encoding"`
		} `json:"http_header"`
	}
	corpusJSON(t, "charset/w3lib/w3lib_encoding.json", &cases)
	require.NotEmpty(t, cases.Header)
	for _, c := range cases.Header {
		label := charsetParameter(strings.TrimPrefix(c.ContentType, "Content-Type: "))
		if why, ok := headerDifferences[c.ContentType]; ok {
			require.Nil(t, c.Encoding, why)
			require.Equal(t, "utf-8", label, why)
			continue
		}
		require.Equal(t, c.Encoding != nil, known(label), "%s gives %q", c.ContentType, label)
	}
}

func TestCorpusW3libPages(t *testing.T) {
	t.Parallel()
	var cases struct {
		Pages []struct {
			ContentType string `json:"content_type"`
			Body        string `json:"body_b64"`
			Encoding    string
			Text        any
		} `json:"html_to_unicode"`
	}
	corpusJSON(t, "charset/w3lib/w3lib_encoding.json", &cases)
	compared := 0
	for _, c := range cases.Pages {
		body, err := base64.StdEncoding.DecodeString(c.Body)
		require.NoError(t, err)
		texts, _ := c.Text.([]any)
		if text, ok := c.Text.(string); ok {
			texts = []any{text}
		}
		if texts == nil || strings.HasPrefix(c.Encoding, "utf-32") || string(body) == "\x00h\x00i" {
			continue // UTF-32 is none of the web's encodings; "utf-16" without a mark is little-endian on the web
		}
		compared++
		got, err := decodePage(Input{Body: body, ContentType: c.ContentType}, &reader{})
		require.NoError(t, err)
		require.Contains(t, texts, got, c)
	}
	require.Greater(t, compared, 10)
}

func TestDataMustBeValid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		contentType, body, want string
	}{
		"utf-8":             {"", `{"a":"é"}`, "é"},
		"mark":              {"", "\xef\xbb\xbf" + `{"a":"é"}`, "é"},
		"declared":          {"application/json; charset=windows-1252", "{\"a\":\"\xe9\"}", "é"},
		"utf-16 by mark":    {"", "\xff\xfe{\x00\"\x00a\x00\"\x00:\x00\"\x00\xe9\x00\"\x00}\x00", "é"},
		"replacement kept":  {"", "{\"a\":\"\ufffd\"}", "\ufffd"},
		"not utf-8":         {"", "{\"a\":\"\xe9\"}", ""},
		"not what it says":  {"application/json; charset=utf-8", "{\"a\":\"\xe9\"}", ""},
		"odd byte of utf16": {"", "\xff\xfe{", ""},
	} {
		got, err := rulesFor(t, "json", collection.Field{Name: "a", JQ: ".a"}).Apply(
			Input{Body: []byte(c.body), ContentType: c.contentType})
		if c.want == "" {
			requireFailure(t, err, collection.ReasonDecodeError)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.want, got.Fields["a"], name)
	}
}
