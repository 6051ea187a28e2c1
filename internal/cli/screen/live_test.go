package screen

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// terminal is as much of a terminal as Live needs: it goes up, erases to the end, and writes lines.
type terminal struct {
	lines []string
	row   int
}

func (m *terminal) write(text string) {
	for text != "" {
		if up, rest, ok := cursorUp(text); ok {
			m.row -= up
			text = rest
			continue
		}
		switch {
		case strings.HasPrefix(text, "\r"):
			text = text[1:]
		case strings.HasPrefix(text, "\x1b[J"):
			m.lines = m.lines[:m.row]
			text = text[len("\x1b[J"):]
		default:
			line, rest, _ := strings.Cut(text, "\n")
			m.lines = append(m.lines[:m.row], line)
			m.row++
			text = rest
		}
	}
}

func cursorUp(text string) (up int, rest string, ok bool) {
	rest, ok = strings.CutPrefix(text, "\x1b[")
	number, after, found := strings.Cut(rest, "A")
	if !ok || !found || strings.Trim(number, "0123456789") != "" || number == "" {
		return 0, "", false
	}
	for _, digit := range number {
		up = 10*up + int(digit-'0')
	}
	return up, after, true
}

// TestLive: whatever is drawn in whatever order, the terminal shows what stood before and the last block, no more.
func TestLive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var out bytes.Buffer
		s := NewTerminal(&out, 40, Options{NoColour: true})
		s.Line("before")
		live := s.NewLive()
		line := rapid.StringMatching(`[a-z ]{0,20}[a-z]`)
		var last []string
		for _, block := range rapid.SliceOfN(rapid.SliceOfN(line, 0, 5), 1, 6).Draw(t, "blocks") {
			live.Draw(block)
			last = block
		}
		var m terminal
		m.write(out.String())
		require.Equal(t, append([]string{"before"}, last...), m.lines)

		live.Clear()
		s.Line("after")
		m = terminal{}
		m.write(out.String())
		require.Equal(t, []string{"before", "after"}, m.lines)
	})
}

func TestLiveShowsNoEscapes(t *testing.T) {
	t.Parallel()
	s, out := terminalScreen(40)
	s.NewLive().Draw([]string{"a\x1b[2Jb", strings.Repeat("x", 60)})
	require.Equal(t, "a\\x1b[2Jb\n"+strings.Repeat("x", 38)+"…\n", out.String())
}
