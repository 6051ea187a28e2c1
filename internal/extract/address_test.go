package extract

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	base, err := url.Parse("https://shop.example/a/b?c=d")
	require.NoError(t, err)
	for text, want := range map[string]string{
		"x":                           "https://shop.example/a/x",
		" ../x#f ":                    "https://shop.example/x#f",
		"?q=1":                        "https://shop.example/a/b?q=1",
		"//cdn.example/i.jpg":         "https://cdn.example/i.jpg",
		"HTTP://Other.example/X":      "http://Other.example/X",
		"/C/CAL REG 2014.pdf":         "https://shop.example/C/CAL%20REG%202014.pdf",
		"/größe?name=größe":           "https://shop.example/gr%C3%B6%C3%9Fe?name=gr%C3%B6%C3%9Fe",
		"?q=a b":                      "https://shop.example/a/b?q=a%20b",
		"/90%+of":                     "https://shop.example/90%25+of",
		"/a%2":                        "https://shop.example/a%252",
		"/%zz%41":                     "https://shop.example/%25zz%41",
		"https://тест.тест:33/p":      "https://xn--e1aybc.xn--e1aybc:33/p",
		"lo\nng":                      "https://shop.example/a/long",
		`\\cdn.example\img.png`:       "https://cdn.example/img.png",
		`/\cdn.example/img.png`:       "https://cdn.example/img.png",
		`/a\b.png`:                    "https://shop.example/a/b.png",
		`..\x.png?back\slash`:         `https://shop.example/x.png?back\slash`,
		`https:\\other.example\x#a\b`: `https://other.example/x#a%5Cb`,
		"/x?to=javascript:void(0)":    "https://shop.example/x?to=javascript:void(0)",
		"/x?to=https:///y":            "https://shop.example/x?to=https:///y",
	} {
		got, err := resolve(text, base)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"http://[x", "http://a b/", "://x", "https://xn--a\u00ad-/"} {
		_, err := resolve(text, base)
		require.ErrorContains(t, err, "is not a URL", text)
	}
}

// Only what a browser would ask a web server for is an address.
func TestResolveRefusesWhatIsNoWebAddress(t *testing.T) {
	t.Parallel()
	base, err := url.Parse("https://shop.example/a/b?c=d")
	require.NoError(t, err)
	for text, why := range map[string]string{
		"https:///path":                      "names no host",
		"http://":                            "names no host",
		"https://:443/x":                     "names no host",
		"https://user@/x":                    "names no host",
		"http:foo":                           "names no host",
		"http:/foo":                          "names no host",
		"///cdn.example/x":                   "names no host",
		`\\\cdn.example/x`:                   "names no host",
		"//?q":                               "names no host",
		"javascript:void(0)":                 "javascript: address",
		"java\nscript:void(0)":               "javascript: address",
		"JavaScript:void(0)":                 "javascript: address",
		"mailto:shop@shop.example":           "type string",
		"tel:+44123":                         "tel: address",
		"data:image/gif;base64,R0lGODlhAQAB": "data: address",
		"ftp://shop.example/x":               "ftp: address",
		"about:blank":                        "about: address",
	} {
		got, err := resolve(text, base)
		require.ErrorContains(t, err, why, "%s gives %v", text, got)
	}
}

// The base of a page is taken as a browser takes it: no base of scripts, and with its backslashes as slashes.
func TestBaseOfAPage(t *testing.T) {
	t.Parallel()
	for href, want := range map[string]string{
		`\\cdn.example\img\`:         "https://cdn.example/img/x",
		"//cdn.example/img/":         "https://cdn.example/img/x",
		"javascript:void(0)":         "https://shop.example/catalogue/x",
		"data:text/plain,":           "https://shop.example/catalogue/x",
		"https:///img/":              "https://shop.example/catalogue/x",
		" https://other.example/b/ ": "https://other.example/b/x",
	} {
		got, err := apply(t, "html", `<base href="`+href+`"><a href=x>`, collection.Field{Name: "v", CSS: "a", Attribute: "href", Type: "url"})
		require.NoError(t, err, href)
		require.Equal(t, want, got.Fields["v"], href)
	}
}

// A microdata address that is none of the web stays what the page says, and is refused as a url.
func TestMicrodataAddresses(t *testing.T) {
	t.Parallel()
	body := `<div itemscope itemid="urn:isbn:1"><a itemprop=u href="mailto:a@shop.example">x</a><a itemprop=w href="\\cdn.example\x">y</a></div>`
	got, err := apply(t, "html", body,
		collection.Field{Name: "id", Microdata: ".[0].id"},
		collection.Field{Name: "mail", Microdata: ".[0].properties.u[0]"},
		collection.Field{Name: "web", Microdata: ".[0].properties.w[0]", Type: "url"})
	require.NoError(t, err)
	requireFields(t, `{"id":"urn:isbn:1","mail":"mailto:a@shop.example","web":"https://cdn.example/x"}`, got.Fields)
	_, err = apply(t, "html", body, collection.Field{Name: "mail", Microdata: ".[0].properties.u[0]", Type: "url"})
	require.Contains(t, requireFailure(t, err, collection.ReasonParseInvalid).Detail, "mailto: address")
}

func TestResolveWithoutBase(t *testing.T) {
	t.Parallel()
	_, err := resolve("/x", nil)
	require.ErrorContains(t, err, "relative URL")
	_, err = resolve("/x", &url.URL{Path: "relative"})
	require.ErrorContains(t, err, "relative URL")
	got, err := resolve("https://a.example/x", nil)
	require.NoError(t, err)
	require.Equal(t, "https://a.example/x", got)
}

// An address that was made absolute is absolute, ASCII, and stays as it is when it is resolved again.
func TestResolveIsStable(t *testing.T) {
	t.Parallel()
	base, err := url.Parse(pageURL)
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(https://[a-zäß]{1,5}\.example)?/?[a-zé %?&=#+/."<>\\:]{0,20}`).Draw(t, "text")
		once, err := resolve(text, base)
		if err != nil {
			t.Skip("refused")
		}
		for _, c := range []byte(once.(string)) {
			if c <= ' ' || c > '~' {
				t.Fatalf("%q gives %q", text, once)
			}
		}
		twice, err := resolve(once.(string), nil)
		if err != nil || twice != once {
			t.Fatalf("%q gives %q, then %q, %v", text, once, twice, err)
		}
	})
}

// FuzzResolve: what strangers write as an address becomes one of the web that names its host and stays as it is, or is refused.
func FuzzResolve(f *testing.F) {
	for _, seed := range []string{
		`\\cdn.example\x`, "https:///x", "http:x", "//", "/\\/x", "javascript:x", "?q= #<", "https://u:p@h.example:8/%zz", "https://тест.тест", "http://[::1%25a]/", "ht\ntp://x.example", "#", "https://%41.example/",
	} {
		f.Add(seed)
	}
	base, err := url.Parse(pageURL)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := resolve(text, base)
		if err != nil {
			return
		}
		u, err := url.Parse(got.(string))
		require.NoError(t, err, "%q gives %q", text, got)
		require.Contains(t, []string{"http", "https"}, u.Scheme)
		require.NotEmpty(t, u.Hostname(), "%q gives %q", text, got)
	})
}
