package stack

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// However the bytes arrive, the lines are the same.
func TestLineSplitterIgnoresHowBytesArrive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOf(rapid.StringMatching(`[a-z ]{0,20}`)).Draw(t, "lines")
		text := strings.Join(lines, "\n")
		var got []string
		splitter := lineSplitter{line: func(s string) { got = append(got, s) }}
		for rest := text + "\n"; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			written, err := splitter.Write([]byte(rest[:n]))
			if err != nil || written != n {
				t.Fatalf("wrote %d of %d: %v", written, n, err)
			}
			rest = rest[n:]
		}
		if strings.Join(got, "\n") != text {
			t.Fatalf("got %q, want %q", got, lines)
		}
	})
}

func TestLineSplitterBoundsALineWithoutEnd(t *testing.T) {
	t.Parallel()
	var got string
	splitter := lineSplitter{line: func(s string) { got = s }}
	for range 3 {
		n, err := splitter.Write(bytes.Repeat([]byte("x"), maxLine))
		require.NoError(t, err)
		require.Equal(t, maxLine, n)
	}
	splitter.flush()
	require.Len(t, got, maxLine)
}

func TestTailKeepsTheLastLines(t *testing.T) {
	t.Parallel()
	var said tail
	for i := range keptLines + 10 {
		fmt.Fprintf(&said, "line %d\r\n\n", i)
	}
	fmt.Fprint(&said, "unfinished")
	require.Equal(t, []string{"line 58", "line 59", "unfinished"}, said.last(3))
	require.Len(t, said.last(1000), keptLines)
}

// lineChannel is a writer that hands each write to whoever listens, and drops what nobody takes.
type lineChannel chan string

func (c lineChannel) Write(b []byte) (int, error) {
	select {
	case c <- string(b):
	default:
	}
	return len(b), nil
}

func TestProgressOnALog(t *testing.T) {
	t.Parallel()
	said := make(lineChannel, 3)
	done := reporter{out: said, interval: time.Millisecond}.during("building")
	for range 3 {
		require.Regexp(t, `^building … \d+ s\n$`, <-said)
	}
	done()

	require.Equal(t, plainInterval, newReporter(said).interval)
	require.False(t, newReporter(said).terminal)
	newReporter(nil).during("nobody listens")()
}

func TestProgressOnATerminal(t *testing.T) {
	t.Parallel()
	var screen bytes.Buffer
	onTerminal := reporter{out: &screen, terminal: true, interval: time.Hour}
	onTerminal.during("building")()
	require.Equal(t, "\rbuilding … 0 s\x1b[K\n", screen.String(), "the line is left when it is over")
	screen.Reset()
	onTerminal.print("building", 42*time.Second+900*time.Millisecond)
	require.Equal(t, "\rbuilding … 42 s\x1b[K", screen.String())
}
