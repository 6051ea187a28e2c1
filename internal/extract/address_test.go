package extract

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	base, err := url.Parse("https://shop.example/a/b?c=d")
	require.NoError(t, err)
	for text, want := range map[string]string{
		"x":                                  "https://shop.example/a/x",
		" ../x#f ":                           "https://shop.example/x#f",
		"?q=1":                               "https://shop.example/a/b?q=1",
		"//cdn.example/i.jpg":                "https://cdn.example/i.jpg",
		"HTTP://Other.example/X":             "http://Other.example/X",
		"/C/CAL REG 2014.pdf":                "https://shop.example/C/CAL%20REG%202014.pdf",
		"/größe?name=größe":                  "https://shop.example/gr%C3%B6%C3%9Fe?name=gr%C3%B6%C3%9Fe",
		"?q=a b":                             "https://shop.example/a/b?q=a%20b",
		"/90%+of":                            "https://shop.example/90%25+of",
		"/a%2":                               "https://shop.example/a%252",
		"/%zz%41":                            "https://shop.example/%25zz%41",
		"https://тест.тест:33/p":             "https://xn--e1aybc.xn--e1aybc:33/p",
		"lo\nng":                             "https://shop.example/a/long",
		"mailto:shop@shop.example":           "mailto:shop@shop.example",
		"data:image/gif;base64,R0lGODlhAQAB": "data:image/gif;base64,R0lGODlhAQAB",
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
		text := rapid.StringMatching(`(https://[a-zäß]{1,5}\.example)?/?[a-zé %?&=#+/."<>]{0,20}`).Draw(t, "text")
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
