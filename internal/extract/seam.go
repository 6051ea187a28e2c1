package extract

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// seamKind is how a page keeps two characters of a number apart.
type seamKind int

const (
	// seamParted is a break, or white space that no one would group digits with.
	seamParted seamKind = iota
	// seamRaised is an edge of a raised, lowered or small text, or of a link: a note, or the cents of a price.
	seamRaised
	// seamBeside lies between digits of two elements that touch.
	seamBeside
	// seamEdge lies between a digit of an element and one of the text around it.
	seamEdge
)

// seam is a place in a text at which a number does not simply go on. A text is cleaned and cut before a number is read from it, and
// its digits keep their order, so a place is told by what stands in front of it that no cleaning removes.
type seam struct {
	// ink is how many characters that are no white space stand in front.
	ink  int
	kind seamKind
}

// partedBy are elements that stand apart from the text around them: what was deleted beside what came instead of it, and blocks
// besides those that stand on lines of their own, and what a form is filled in by.
var partedBy = map[atom.Atom]bool{
	atom.Del: true, atom.S: true, atom.Strike: true, atom.Ins: true, atom.Details: true, atom.Summary: true,
	atom.Legend: true, atom.Caption: true, atom.Center: true, atom.Menu: true, atom.Button: true,
	atom.Textarea: true, atom.Select: true, atom.Optgroup: true, atom.Option: true, atom.Input: true,
}

// raisedBy are elements that notes and cents are written in.
var raisedBy = map[atom.Atom]bool{atom.Sup: true, atom.Sub: true, atom.Small: true, atom.A: true}

// seams goes through a text and gathers the seams inside what may be a number.
type seams struct {
	found []seam
	ink   int
	last  rune
	// What was met since last: white space, the end of a node's text, breaks, edges of elements. beside says that an element began
	// behind the end of another.
	spaces                                     int
	torn, broken, raised, begun, ended, beside bool
}

// textSeams are the seams of a text that is not an element's.
func textSeams(text string) []seam {
	var s seams
	s.text(text)
	return s.found
}

// elementSeams are the seams of elementText.
func elementSeams(n *html.Node) []seam {
	var s seams
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		s.node(c)
	}
	return s.found
}

func (s *seams) node(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		s.torn = true
		s.text(n.Data)
	case n.Type != html.ElementNode || unread[n.DataAtom] || n.DataAtom == atom.Wbr:
	default:
		s.begun, s.beside = true, s.beside || s.ended
		s.edge(n.DataAtom)
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			s.node(c)
		}
		s.edge(n.DataAtom)
		s.ended = true
	}
}

func (s *seams) edge(name atom.Atom) {
	s.broken = s.broken || apart[name] || partedBy[name]
	s.raised = s.raised || raisedBy[name]
}

func (s *seams) text(text string) {
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			s.spaces++
			s.broken = s.broken || unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp)
		case isInk(r):
			s.mark(r)
		}
	}
}

// mark takes in a character that is no white space. One space within one text may group digits.
func (s *seams) mark(r rune) {
	if ofNumber(s.last) && ofNumber(r) {
		switch {
		case s.broken || s.spaces > 1 || s.spaces == 1 && s.torn:
			s.found = append(s.found, seam{s.ink, seamParted})
		case s.spaces == 1:
		case s.raised:
			s.found = append(s.found, seam{s.ink, seamRaised})
		case !unicode.IsDigit(s.last) || !unicode.IsDigit(r):
		case s.beside:
			s.found = append(s.found, seam{s.ink, seamBeside})
		case s.begun || s.ended:
			s.found = append(s.found, seam{s.ink, seamEdge})
		}
	}
	*s = seams{found: s.found, ink: s.ink + 1, last: r}
}

// ofNumber says whether a number may go on with a character; white space aside.
func ofNumber(r rune) bool {
	return unicode.IsDigit(r) || strings.ContainsRune(".,'’٫٬．，eE+-", r)
}

// inkOf counts the characters of a text that no cleaning removes.
func inkOf(text string) int {
	n := 0
	for _, r := range text {
		if isInk(r) {
			n++
		}
	}
	return n
}

func isInk(r rune) bool { return !unicode.IsSpace(r) && !strings.ContainsRune(invisible, r) }
