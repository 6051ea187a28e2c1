package extract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                     "",
		" \t\r\n\u00a0\u2003 ": "",
		"a\u00a0 b":            "a b",
		"\u200b x \ufeff":      "x",
		"\u200b\u00a0\u200b":   "",
		"می\u200cخواهم":        "می\u200cخواهم", // a mark inside a word belongs to it
		"👨\u200d👩":             "👨\u200d👩",
		"line\none":            "line one",
	} {
		require.Equal(t, want, clean(text), "%q", text)
	}
}

func TestCleanIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab \t\n\u00a0\u200b\ufeff\u2003"))).Draw(t, "text")
		once := clean(text)
		if clean(once) != once || strings.TrimSpace(once) != once {
			t.Fatalf("%q gives %q, then %q", text, once, clean(once))
		}
	})
}

func TestElementText(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		`<ul><li>a<li>b</ul>`:                    "a b",
		`<table><tr><td>a<td>b<tr><th>c</table>`: "a b c",
		`a<br>b<hr>c`:                            "a b c",
		`<b>a</b><i>b</i>`:                       "ab",
		`<p>a<p>b`:                               "a b",
		`<span>a</span> <span>b</span>`:          "a b",
		`a<!-- c --><style>x{}</style><template>t</template>b<iframe>f</iframe>`: "ab",
		`<h1>&lt;b&gt; &amp; &eacute;</h1>`:                                      "<b> & é",
		`<textarea>a</textarea><select><option>b<option>c</select>`:              "a b c",
	} {
		root, err := html.Parse(strings.NewReader(page))
		require.NoError(t, err)
		require.Equal(t, want, clean(elementText(root)), page)
	}
}
