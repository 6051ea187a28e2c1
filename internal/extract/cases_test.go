package extract

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// C4 53: weir reads no sitemaps of its own accord, but a source may extract addresses from one, or from any markup. An
// ampersand that is written as an entity is one in the address, also several times; one that is written twice over is not.
func TestFieldCaseC4x53AmpersandsOfAddresses(t *testing.T) {
	t.Parallel()
	body := `<?xml version="1.0" encoding="UTF-8"?>
		<urlset><url><loc>https://shop.example/s.xml?yyyy=2017&amp;mm=07&amp;dd=11</loc></url>
		<url><loc> https://shop.example/?a=1&#38;b=2&#x26;c=3 </loc></url>
		<url><loc>https://shop.example/?a=1&amp;amp;b=2</loc></url></urlset>
		<a href="/p?x=1&amp;copy=2&amp;lt=3">page</a>`
	got, err := apply(t, "html", body,
		collection.Field{Name: "pages", CSS: "loc", Type: "url", List: true},
		collection.Field{Name: "link", CSS: "a", Attribute: "href", Type: "url"})
	require.NoError(t, err)
	requireFields(t, `{"pages":[
		"https://shop.example/s.xml?yyyy=2017&mm=07&dd=11",
		"https://shop.example/?a=1&b=2&c=3",
		"https://shop.example/?a=1&amp;b=2"],
		"link":"https://shop.example/p?x=1&copy=2&lt=3"}`, got.Fields)
}

// packed is text in gzip.
func packed(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

// C4 51: a body that is gzip is read, whatever it is called, and one that is only called so is read as well.
func TestFieldCaseC4x51GzipIsFoundByItsBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, text string
		field      collection.Field
	}{
		{"html", "<loc>é</loc>", collection.Field{Name: "v", CSS: "loc"}},
		{"json", `{"v":"é"}`, collection.Field{Name: "v", JQ: ".v"}},
		{"csv", "v\né\n", collection.Field{Name: "v", Column: "v"}},
	} {
		half := len(c.text) / 2
		for name, body := range map[string][]byte{
			"plain":              []byte(c.text),
			"gzip":               packed(t, c.text),
			"gzip in members":    append(packed(t, c.text[:half]), packed(t, c.text[half:])...),
			"an empty member":    append(packed(t, c.text), packed(t, "")...),
			"gzip and a comment": append(packed(t, c.text), "<!-- cached -->"...),
		} {
			for _, contentType := range []string{"", "application/gzip", "application/xml; charset=utf-8"} {
				got, err := rulesFor(t, c.kind, c.field).Apply(Input{Body: body, ContentType: contentType, URL: pageURL + ".gz"})
				require.NoError(t, err, "%s, %s", c.kind, name)
				require.Equal(t, "é", got.Fields["v"], "%s, %s", c.kind, name)
				require.Equal(t, name == "gzip and a comment", len(got.Warnings) > 0, "%v", got.Warnings)
			}
		}
	}
}

// What is not whole, or larger than may be, is said to be so.
func TestUnannouncedGzipThatCannotBeRead(t *testing.T) {
	t.Parallel()
	whole := packed(t, strings.Repeat("<h1>x</h1>", 1000))
	damaged := bytes.Clone(whole)
	damaged[len(damaged)-6] ^= 0xff
	for says, body := range map[string][]byte{
		"cut short":    whole[:len(whole)-9],
		"is damaged":   damaged,
		"than 10 MiB":  packed(t, strings.Repeat(" ", MaxUnpacked+1)),
		"is cut short": whole[:len(gzipMagic)],
	} {
		_, err := rulesFor(t, "html", collection.Field{Name: "h", CSS: "h1"}).Apply(Input{Body: body})
		require.Contains(t, requireFailure(t, err, collection.ReasonDecodeError).Detail, says)
	}
	members, err := unpack(bytes.Repeat(packed(t, ""), 50_000), &reader{})
	require.NoError(t, err)
	require.Empty(t, members)
	exact, err := unpack(packed(t, strings.Repeat(" ", MaxUnpacked)), &reader{})
	require.NoError(t, err)
	require.Len(t, exact, MaxUnpacked)
}

// FuzzUnpack: bytes of strangers never become more than they may, and what is not gzip stays as it is.
func FuzzUnpack(f *testing.F) {
	for _, seed := range [][]byte{packed(f, "x"), append(packed(f, "a"), packed(f, "b")...), append(packed(f, ""), "tail"...), gzipMagic, []byte("<p>")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		before := bytes.Clone(body)
		out, err := unpack(body, &reader{})
		require.Equal(t, before, body)
		if !bytes.HasPrefix(body, gzipMagic) {
			require.NoError(t, err)
			require.Equal(t, body, out)
		}
		if err != nil {
			requireFailure(t, err, collection.ReasonDecodeError)
			return
		}
		require.LessOrEqual(t, len(out), max(MaxUnpacked, len(body)))
	})
}

// FuzzCharset: whatever a page and its header declare, what comes out is UTF-8, the same each time, and a page that is
// UTF-8 and says nothing else comes out as it went in.
func FuzzCharset(f *testing.F) {
	for _, seed := range []string{
		"<meta charset=windows-1251>\xcf", "\xef\xbb\xbfa", "\xff\xfea\x00", "\xfe\xff\x00a", "<meta http-equiv=content-type content='text/html;charset=\"koi8-r'>\xc1",
		"<!-- <meta charset=utf-16> --><meta charset=utf-16be>x", "caf\xe9", "ünïcödé", "<meta charset=x-user-defined>\x80", "<meta charset=iso-2022-jp>\x1b$B", "<meta charset=gb18030>\x81",
	} {
		f.Add([]byte(seed), "")
		f.Add([]byte(seed), "text/html; charset=Shift_JIS")
	}
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		in := Input{Body: bytes.Clone(body), ContentType: contentType}
		text, err := decodePage(in, &reader{})
		again, errAgain := decodePage(in, &reader{})
		require.Equal(t, text, again)
		require.Equal(t, err, errAgain)
		require.Equal(t, body, in.Body, "the captured bytes stay as they are")
		require.True(t, utf8.ValidString(text))
		label, _ := cutMark(body)
		if label == "" && charsetParameter(contentType) == "" && metaCharset(body) == "" && utf8.Valid(body) {
			require.NoError(t, err)
			require.Equal(t, string(body), text)
		}
		if data, err := decodeData(in); err == nil {
			require.True(t, utf8.ValidString(data))
			require.False(t, strings.HasPrefix(string(body), "\xef\xbb\xbf") && strings.HasPrefix(data, "\ufeff") && !bytes.HasPrefix(body[3:], []byte("\xef\xbb\xbf")))
		}
	})
}
