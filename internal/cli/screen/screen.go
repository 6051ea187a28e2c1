package screen

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// fallbackWidth is the width of a terminal that does not tell.
const fallbackWidth = 80

// Screen is a writer, and what is known of who reads it.
type Screen struct {
	out io.Writer
	// terminal is the terminal behind out, or nil.
	terminal *os.File
	// fixedWidth stands in for a terminal's width where it is not zero.
	fixedWidth int
	colour     bool
}

// Options decide how a Screen looks.
type Options struct {
	// NoColour turns colours off; they are only ever on where the output goes to a terminal.
	NoColour bool
}

// New makes a Screen of a writer.
func New(out io.Writer, o Options) *Screen {
	s := &Screen{out: out}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		s.terminal = file
		s.colour = !o.NoColour
	}
	return s
}

// NewTerminal makes a Screen that behaves as on a terminal of a fixed width, whatever is behind the writer.
func NewTerminal(out io.Writer, width int, o Options) *Screen {
	return &Screen{out: out, fixedWidth: width, colour: !o.NoColour}
}

// IsTerminal says whether a person reads along: lines may be refreshed and cut to the width.
func (s *Screen) IsTerminal() bool { return s.terminal != nil || s.fixedWidth > 0 }

// Width is how many columns a line may have; zero means any number.
func (s *Screen) Width() int {
	if s.fixedWidth > 0 {
		return s.fixedWidth
	}
	if s.terminal == nil {
		return 0
	}
	width, _, err := term.GetSize(int(s.terminal.Fd()))
	if err != nil || width <= 0 {
		return fallbackWidth
	}
	return width
}

// Write writes as it is. A Screen is a writer, so that what writes for programs can share it.
func (s *Screen) Write(b []byte) (int, error) { return s.out.Write(b) }

// Line writes one line of text that was written for people; it may hold styles.
func (s *Screen) Line(format string, args ...any) {
	// Nobody can be told that the screen is gone.
	_, _ = io.WriteString(s.out, strings.TrimRight(fmt.Sprintf(format, args...), " ")+"\n")
}

// Blank writes an empty line.
func (s *Screen) Blank() { s.Line("") }
