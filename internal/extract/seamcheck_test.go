package extract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

// Seams are told by characters that stay: however a text is cleaned, and whatever its script, they keep their places.
func TestCleaningKeepsThePlacesOfSeams(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("1٣٬,. \t\n\u00a0\u2009\u200b\ufeffx€\ufffd"))).Draw(t, "text")
		for _, changed := range []string{clean(text), asciiDigits(text), strings.TrimSpace(text)} {
			if inkOf(changed) != inkOf(text) {
				t.Fatalf("%q has %d, %q has %d", text, inkOf(text), changed, inkOf(changed))
			}
		}
		as := notation{seams: textSeams(text)}
		cleaned := asciiDigits(clean(text))
		joints := as.joints(cleaned)
		if len(joints) != len(as.seams) {
			t.Fatalf("%q: %v became %v in %q", text, as.seams, joints, cleaned)
		}
		for i, j := range joints {
			if inkOf(cleaned[:j.at]) != as.seams[i].ink || !strings.Contains(cleaned[:j.at], " ") {
				t.Fatalf("%q: %v became %v in %q", text, as.seams, joints, cleaned)
			}
		}
	})
}

// The walk that finds an element's seams goes over the text that elementText gives.
func TestSeamsAreOfTheElementsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		page := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			"1", "23", " ", "\n", ",", "x", "<b>", "</b>", "<sup>", "</sup>", "<div>", "</div>", "<br>", "<wbr>", "<!-- 4 -->", "<script>5</script>",
			"<del>", "</del>", "<template>6</template>", "&nbsp;",
		})).Draw(t, "page"), "")
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		text := elementText(root)
		var s seams
		for n := range root.ChildNodes() {
			s.node(n)
		}
		if s.ink != inkOf(text) {
			t.Fatalf("%q: %d characters, not those of %q", page, s.ink, text)
		}
		if joints := (notation{seams: s.found}).joints(text); len(joints) != len(s.found) {
			t.Fatalf("%q: %v has other places in %q: %v", page, s.found, text, joints)
		}
	})
}

func TestBehindAndInside(t *testing.T) {
	t.Parallel()
	all := []seam{{2, seamParted}, {5, seamRaised}, {7, seamBeside}}
	require.Equal(t, all, behind(all, 0))
	require.Equal(t, []seam{{3, seamRaised}, {5, seamBeside}}, behind(all, 2), "one at the very beginning parts nothing")
	require.Empty(t, behind(all, 7))
	joints := []joint{{2, seamParted}, {5, seamRaised}, {7, seamBeside}}
	require.Equal(t, []joint{{3, seamRaised}}, inside(joints, 2, 7), "those at the ends part nothing")
	require.Empty(t, inside(joints, 7, 9))
}

// Only the numbers of microdata whose digits the page keeps apart are refused, and only where they are read as numbers.
func TestJoinedRunsAreToldByTheirDigits(t *testing.T) {
	t.Parallel()
	rd := &reader{}
	root, err := html.Parse(strings.NewReader(`<p>5<br>299,00 and 7 and 1<br>2`))
	require.NoError(t, err)
	require.NoError(t, rd.keepJoined(clean(elementText(root)), root))
	require.Len(t, rd.joined, 2)
	f := &field{kind: typeNumber, decimal: ',', where: jqLocator{key: keyMicrodata}}
	for text, refused := range map[string]bool{"5 299,00": true, "5299,00": true, "7": false, "12": true, "299,00": false, "none": false} {
		require.Equal(t, refused, rd.checkJoined(f, hit{value: text}) != nil, text)
	}
	require.NoError(t, rd.checkJoined(&field{kind: typeNumber, where: jqLocator{key: keyJSONLD}}, hit{value: "12"}))
}
