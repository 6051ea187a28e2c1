package screen

import (
	"fmt"
	"io"
	"strings"
)

// Live is a block of lines at the end of a terminal that is drawn again and again.
type Live struct {
	screen *Screen
	drawn  int
}

// NewLive begins a block. It is meant for a terminal.
func (s *Screen) NewLive() *Live { return &Live{screen: s} }

// Draw puts lines in the place of those drawn before. They are cut to the width: a line that the terminal breaks would
// be counted wrongly. They must hold no styles.
func (l *Live) Draw(lines []string) {
	var b strings.Builder
	l.rewind(&b)
	// One column is left free: some terminals break a line that fills the last one.
	room := max(l.screen.Width()-1, 1)
	for _, line := range lines {
		b.WriteString(Clip(Clean(line), room) + "\n")
	}
	l.drawn = len(lines)
	_, _ = io.WriteString(l.screen.out, b.String())
}

// Clear takes the block away, so that what is written next stands in its place.
func (l *Live) Clear() {
	var b strings.Builder
	l.rewind(&b)
	l.drawn = 0
	_, _ = io.WriteString(l.screen.out, b.String())
}

// rewind goes back to the first line of the block and erases everything from there on.
func (l *Live) rewind(b *strings.Builder) {
	if l.drawn > 0 {
		fmt.Fprintf(b, "\x1b[%dA\r\x1b[J", l.drawn)
	}
}
