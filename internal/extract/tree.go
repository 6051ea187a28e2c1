package extract

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html"
)

const (
	// nodesPerTag is how many nodes one tag makes, with those that it implies and the text behind it.
	nodesPerTag = 4
	// sameKept is how many equal formatting elements the HTML standard keeps, and maxKept how many there are at all: deeper
	// nesting is refused by the parser.
	sameKept, maxKept = 3, 512
	// maxProbes is how often the beginning of a page may be parsed to find out how large the whole gets.
	maxProbes = 32
	// maxGathered bounds how often an attribute of the body is looked at again.
	maxGathered = 10_000_000
)

// parsePage builds the tree of a page, which has at most about maxNodes nodes. A page that may have more is parsed in
// beginnings of growing length, each of which can go beyond the bound only by so much.
func parsePage(text string, rd *reader) (*html.Node, error) {
	s, err := surveyPage(text, rd)
	if err != nil {
		return nil, err
	}
	if s.roots*s.rootAttributes > maxGathered {
		return nil, decodeError("the page has %d tags of its body with %d attributes; no parser can be asked to gather them", s.roots, s.rootAttributes)
	}
	probes := (s.tags + 1) * (nodesPerTag + min(sameKept*s.leaks, maxKept)) / maxNodes
	if probes > maxProbes {
		return nil, tooManyNodes(fmt.Sprintf("%d tags, and %d elements such as <b> that are left open and made anew in every block", s.tags, s.leaks))
	}
	at, tags := -1, 0
	for probe := 1; probe <= probes; probe++ {
		for ; tags < s.tags*probe/(probes+1); tags++ {
			at = nextTag(text, at)
		}
		if _, err := buildTree(text[:max(at, 0)], rd); err != nil {
			return nil, err
		}
	}
	return buildTree(text, rd)
}

func tooManyNodes(what string) *Error {
	return decodeError("the page may become a tree of more than %d nodes: it has %s", maxNodes, what)
}

// buildTree parses a page and counts its nodes. Scripts do not run here, so the content of <noscript> is read as a browser
// without scripts reads it.
func buildTree(text string, rd *reader) (*html.Node, error) {
	root, err := html.ParseWithOptions(&patient{strings.NewReader(text), rd}, html.ParseOptionEnableScripting(false))
	if rd.halt != nil {
		return nil, rd.halt
	}
	if err != nil {
		return nil, decodeError("the page cannot be parsed: %v", err)
	}
	nodes := 0
	for n := range root.Descendants() {
		nodes += 1 + len(n.Attr)/2
	}
	if nodes > maxNodes {
		return nil, tooManyNodes(fmt.Sprintf("%d", nodes))
	}
	return root, rd.strive(nodes)
}

// patient reads as long as the caller waits.
type patient struct {
	text io.Reader
	rd   *reader
}

// Read implements io.Reader.
func (p *patient) Read(into []byte) (int, error) {
	n, err := p.text.Read(into)
	if halt := p.rd.strive(n); halt != nil {
		return 0, halt
	}
	return n, err
}
