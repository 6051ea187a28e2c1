package screen

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFacts(t *testing.T) {
	t.Parallel()
	s, out := plainScreen()
	f := s.NewFacts()
	f.Add("state", "processing")
	f.Add("reason", "")
	f.Add("submission", "acme-1")
	f.AddCell("", Text("more of it\x1b[2J"))
	f.End()
	require.Equal(t, text(`
state       processing
submission  acme-1
            more of it\x1b[2J
`), out.String())
}

func TestFactsWrapOnATerminal(t *testing.T) {
	t.Parallel()
	s, out := terminalScreen(40)
	f := s.NewFacts()
	f.Add("meaning", "The target failed on its own side, every time it was tried.")
	f.Add("key", "https://www.example.com/a/very/long/address/that/stays/whole")
	f.End()
	require.Equal(t, text(`
meaning  The target failed on its own
         side, every time it was tried.
key      https://www.example.com/a/very/long/address/that/stays/whole
`), out.String())
}

func TestWrapLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z]{1,12}`), 1, 20).Draw(t, "words")
		columns := rapid.IntRange(12, 40).Draw(t, "columns")
		lines := Wrap(strings.Join(words, " "), columns)
		require.Equal(t, words, strings.Fields(strings.Join(lines, " ")))
		for _, line := range lines {
			require.LessOrEqual(t, Columns(line), columns)
		}
	})
}
