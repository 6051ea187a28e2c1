package extract

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// value is an element's property value; nil where it is an item that contains the one being gathered.
func (c *crawl) value(n *html.Node) (any, error) {
	if _, isItem := attribute(n, "itemscope"); isItem {
		if slices.Contains(c.open, n) {
			c.rd.warn("a microdata item contains itself by itemref; the inner one was left out")
			return nil, nil
		}
		return c.item(n)
	}
	if content, ok := attribute(n, "content"); ok {
		return clean(content), nil
	}
	switch n.DataAtom {
	case atom.Audio, atom.Embed, atom.Iframe, atom.Img, atom.Source, atom.Track, atom.Video:
		return c.addressIn(n, "src"), nil
	case atom.A, atom.Area, atom.Link:
		return c.addressIn(n, "href"), nil
	case atom.Object:
		return c.addressIn(n, "data"), nil
	case atom.Data, atom.Meter:
		value, _ := attribute(n, "value")
		return clean(value), nil
	case atom.Time:
		if moment, ok := attribute(n, "datetime"); ok {
			return clean(moment), nil
		}
	}
	text := elementText(n)
	if err := c.rd.strive(len(text) * textEffort); err != nil {
		return nil, err
	}
	cleaned := clean(text)
	return cleaned, c.rd.keepJoined(cleaned, n)
}

func (c *crawl) addressIn(n *html.Node, name string) string {
	text, _ := attribute(n, name)
	return c.address(text)
}

// address is absolute if it can be; microdata of strangers may hold what is no address.
func (c *crawl) address(text string) string {
	if u, err := absolute(text, c.rd.base); err == nil && !blank(text) {
		return u.String()
	}
	return clean(text)
}

func childElements(n *html.Node) []*html.Node {
	var out []*html.Node
	for child := range n.ChildNodes() {
		if child.Type == html.ElementNode {
			out = append(out, child)
		}
	}
	return out
}

// maxTokens bounds what one attribute may list.
const maxTokens = 1_000

// tokens parts a space-separated attribute, each token once. The value of a property is kept under each of its names.
func (c *crawl) tokens(text string) ([]any, error) {
	if err := c.rd.strive(len(text)); err != nil {
		return nil, err
	}
	var out []any
	seen := map[string]bool{}
	for t := range strings.FieldsSeq(text) {
		if seen[t] {
			continue
		}
		if len(out) == maxTokens {
			return nil, fmt.Errorf("an attribute of a microdata item lists more than %d words", maxTokens)
		}
		seen[t] = true
		out = append(out, t)
	}
	return out, nil
}
