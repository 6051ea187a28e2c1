package extract

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/charset"

	"github.com/weir-collect/weir/collection"
)

func TestMetaCharset(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		``:                                   "",
		`<title>x</title>`:                   "",
		`<meta charset=koi8-r>`:              "koi8-r",
		`<meta charset=" KOI8-R ">`:          "koi8-r",
		`<meta charset=utf-16le>`:            "utf-8", // it could not have been read if it were true
		`<meta charset=x-user-defined>`:      "x-user-defined",
		`<!-- <meta charset=koi8-r> -->`:     "",
		`<title><meta charset=koi8-r>`:       "",
		`<script>"<meta charset=koi8-r>"`:    "",
		`<body><meta charset=koi8-r>`:        "",
		`<meta charset=koi8-r charset=big5>`: "koi8-r",
		`<meta charset=none><meta http-equiv=content-type content="text/html;charset=big5">`: "big5",
		`<meta http-equiv=refresh content="0;charset=big5">`:                                 "",
		`<meta http-equiv=content-type content="text/html">`:                                 "",
		`<meta http-equiv=content-type content="charset = 'big5' x">`:                        "big5",
		`<meta http-equiv=content-type content="charset='big5">`:                             "",
		`<meta http-equiv=content-type content="charset=">`:                                  "",
		"<!--" + strings.Repeat("x", maxHead) + "--><meta charset=koi8-r>":                   "",
	} {
		require.Equal(t, want, metaCharset([]byte(page)), page)
	}
}

func TestCorpusXNetMeta(t *testing.T) {
	t.Parallel()
	var cases struct {
		Meta []struct {
			Content string `json:"meta_content"`
			Charset string
		}
	}
	corpusJSON(t, "charset/x-net/cases.json", &cases)
	require.NotEmpty(t, cases.Meta)
	for _, c := range cases.Meta {
		require.Equal(t, c.Charset, charsetOfContent(c.Content), c.Content)
	}
}

// bodyDifferences are pages in which w3lib sees a charset by looser rules than HTML's.
var bodyDifferences = map[string]string{
	`http-equiv="Fake-Content-Type-Header"`: "http-equiv must be content-type",
	`httpequiv="ContentType"`:               "http-equiv must be content-type",
	`< meta http-equiv`:                     "a tag has no space behind its <",
	`<?xml`:                                 "an XML declaration is a comment in HTML",
}

func TestCorpusW3libBodies(t *testing.T) {
	t.Parallel()
	var cases struct {
		Declared []struct {
			Body     string `json:"body_b64"`
			Encoding *string
		} `json:"declared_in_body"`
	}
	corpusJSON(t, "charset/w3lib/w3lib_encoding.json", &cases)
	require.NotEmpty(t, cases.Declared)
	for _, c := range cases.Declared {
		body, err := base64.StdEncoding.DecodeString(c.Body)
		require.NoError(t, err)
		want := ""
		if c.Encoding != nil {
			want = *c.Encoding
		}
		for part, why := range bodyDifferences {
			if strings.Contains(string(body), part) {
				require.NotEmpty(t, want, why)
				want = ""
			}
		}
		require.Equal(t, want, metaCharset(body), string(body))
	}
}

func TestCorpusXNetDecoding(t *testing.T) {
	t.Parallel()
	var cases struct {
		Decode []struct {
			Encoding string
			Bytes    string `json:"bytes_b64"`
			Text     string
		}
	}
	corpusJSON(t, "charset/x-net/cases.json", &cases)
	compared := 0
	for _, c := range cases.Decode {
		if e, _ := charset.Lookup(c.Encoding); e == nil {
			continue
		}
		compared++
		body, err := base64.StdEncoding.DecodeString(c.Bytes)
		require.NoError(t, err)
		got, err := decodeData(Input{Body: body, ContentType: `text/csv; charset="` + c.Encoding + `"`})
		if strings.Contains(c.Text, "\ufffd") {
			requireFailure(t, err, collection.ReasonDecodeError) // a page would bear it; data may not
			continue
		}
		require.NoError(t, err, c.Encoding)
		require.Equal(t, c.Text, got, c.Encoding)
	}
	require.Greater(t, compared, 20)
}

func TestCharsetParameter(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		``:                                 "",
		`text/html`:                        "",
		`text/html;`:                       "",
		`text/html; charset`:               "",
		`text/html; charset; charset=big5`: "big5",
		`text/html;CHARSET=Big5`:           "Big5",
		`text/html; a="\"; charset=x"; charset=b`: "b",
		`text/html; charset="b\i\g5"`:             "big5",
		`text/html; charset=big5, text/plain`:     "big5",
		`charset=big5`:                            "",
	} {
		require.Equal(t, want, charsetParameter(header), header)
	}
}
