package extract

import (
	"net/url"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// page is an HTML document. Its items are read when a rule first asks for them.
type page struct {
	root      *html.Node
	items     *[]any
	microdata *[]any
}

// openPage decodes and parses a page, and takes its <base href> as the base of relative addresses.
func openPage(in Input, rd *reader) (*page, error) {
	text, err := decodePage(in, rd)
	if err != nil {
		return nil, err
	}
	root, err := parsePage(text, rd)
	if err != nil {
		return nil, err
	}
	p := &page{root: root}
	rd.base = baseOf(root, rd.base)
	return p, nil
}

// baseOf is the base of a page's relative addresses. A base that is no address of the web is none, as in a browser.
func baseOf(root *html.Node, pageURL *url.URL) *url.URL {
	for n := range root.Descendants() {
		if n.DataAtom != atom.Base || n.Type != html.ElementNode {
			continue
		}
		href, ok := attribute(n, "href")
		if !ok {
			continue
		}
		base, err := absolute(href, pageURL)
		if err != nil || checkWeb(base) != nil {
			return pageURL
		}
		return base
	}
	return pageURL
}

// attribute is an element's attribute. Names of attributes have no case; those of SVG may have a prefix, as xlink:href.
func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		key := a.Key
		if a.Namespace != "" {
			key = a.Namespace + ":" + a.Key
		}
		if strings.EqualFold(key, name) {
			return a.Val, true
		}
	}
	return "", false
}

// scope is the selector of the element itself in which an object's fields are read.
const scope = ":scope"

// cssLocator finds elements.
type cssLocator struct {
	source   string
	selector cascadia.SelectorGroup // nil for scope
	// siblings is how many times over the selector goes through the siblings of an element.
	siblings  int
	tags      map[string]bool
	attribute string
	// container says that the elements are objects, whose own text nobody asks for.
	container bool
}

// String is the selector and the attribute.
func (l cssLocator) String() string {
	if l.attribute == "" {
		return "css " + l.source
	}
	return "css " + l.source + " attribute " + l.attribute
}

func (l cssLocator) find(in spot, limit int, rd *reader) ([]hit, error) {
	var hits []hit
	elements, err := l.elements(in.node, limit, rd)
	if err != nil {
		return nil, err
	}
	for _, n := range elements {
		h := hit{plain: true, inner: spot{page: in.page, node: n}}
		switch {
		case l.container:
		case l.attribute != "":
			h.text, _ = attribute(n, l.attribute)
		default:
			h.text, h.from = elementText(n), n
			if err := rd.strive(len(h.text) * textEffort); err != nil {
				return nil, err
			}
		}
		if err := rd.spend(1, len(h.text)); err != nil {
			return nil, err
		}
		hits = append(hits, h)
	}
	return hits, nil
}

func (l cssLocator) elements(from *html.Node, limit int, rd *reader) ([]*html.Node, error) {
	if l.selector == nil {
		return []*html.Node{from}, nil
	}
	var found []*html.Node
	siblings := siblingCount{passes: l.siblings, tags: l.tags}
	for n := range from.Descendants() {
		if len(found) == limit {
			break
		}
		if err := siblings.charge(n, rd); err != nil {
			return nil, err
		}
		if l.selector.Match(n) {
			found = append(found, n)
		}
	}
	return found, nil
}
