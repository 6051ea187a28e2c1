package extract

import (
	"errors"
	"slices"

	"golang.org/x/net/html"
)

const (
	// maxItemDepth bounds items inside items, which itemref can make deeper than the page.
	maxItemDepth = 500
	// itemCost is what an item weighs in values: its maps.
	itemCost = 8
)

var errItemDepth = errors.New("items nest too deeply by itemref")

// microdataItems is the page's top microdata items as one array for a jq expression, in the JSON form of the HTML
// standard: {"type": [...], "id": "...", "properties": {"name": [values]}}. Texts are cleaned, addresses are absolute
// where the page's own is known, and a content attribute gives the value on any element, as W3C's edition says.
func (p *page) microdataItems(rd *reader) (any, error) {
	if p.microdata != nil {
		return *p.microdata, nil
	}
	c := newCrawl(p.root, rd)
	items := []any{}
	for n := range p.root.Descendants() {
		_, isItem := attribute(n, "itemscope")
		_, isProperty := attribute(n, "itemprop")
		if !isItem || isProperty {
			continue
		}
		item, err := c.item(n)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	p.microdata = &items
	return items, nil
}

// crawl gathers the items of one page.
type crawl struct {
	rd   *reader
	byID map[string]*html.Node
	// order is where in the page the elements with itemprop stand.
	order map[*html.Node]int
	// open are the items that are being gathered, outermost first: one that would contain itself is left out.
	open []*html.Node
}

func newCrawl(root *html.Node, rd *reader) *crawl {
	c := &crawl{rd: rd, byID: map[string]*html.Node{}, order: map[*html.Node]int{}}
	for n := range root.Descendants() {
		if _, isProperty := attribute(n, "itemprop"); isProperty {
			c.order[n] = len(c.order)
		}
		if id, ok := attribute(n, "id"); ok && c.byID[id] == nil {
			c.byID[id] = n
		}
	}
	return c
}

func (c *crawl) item(n *html.Node) (map[string]any, error) {
	if err := c.rd.spend(itemCost, 0); err != nil {
		return nil, err
	}
	if len(c.open) >= maxItemDepth {
		return nil, errItemDepth
	}
	c.open = append(c.open, n)
	defer func() { c.open = c.open[:len(c.open)-1] }()

	out := map[string]any{}
	if kind, ok := attribute(n, "itemtype"); ok && !blank(kind) {
		kinds, err := c.tokens(kind)
		if err != nil {
			return nil, err
		}
		out["type"] = kinds
	}
	if id, ok := attribute(n, "itemid"); ok {
		out["id"] = c.address(id)
	}
	properties := map[string]any{}
	elements, err := c.properties(n)
	if err != nil {
		return nil, err
	}
	for _, e := range elements {
		if err := c.add(properties, e); err != nil {
			return nil, err
		}
	}
	out["properties"] = properties
	return out, nil
}

// properties is the standard's "the properties of an item": the elements with itemprop that belong to it by nesting or
// by itemref, in tree order, each once.
func (c *crawl) properties(item *html.Node) ([]*html.Node, error) {
	var results []*html.Node
	seen := map[*html.Node]bool{item: true}
	pending := childElements(item)
	refs, _ := attribute(item, "itemref")
	ids, err := c.tokens(refs)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if n := c.byID[id.(string)]; n != nil {
			pending = append(pending, n)
		}
	}
	for len(pending) > 0 {
		n := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		if err := c.rd.spend(0, 1); err != nil {
			return nil, err
		}
		if _, isItem := attribute(n, "itemscope"); !isItem {
			pending = append(pending, childElements(n)...)
		}
		if names, ok := attribute(n, "itemprop"); ok && !blank(names) {
			results = append(results, n)
		}
	}
	slices.SortFunc(results, func(a, b *html.Node) int { return c.order[a] - c.order[b] })
	return results, nil
}

// add puts an element's value under each of its names.
func (c *crawl) add(properties map[string]any, n *html.Node) error {
	value, err := c.value(n)
	if err != nil || value == nil {
		return err
	}
	list, _ := attribute(n, "itemprop")
	names, err := c.tokens(list)
	if err != nil {
		return err
	}
	for _, name := range names {
		name := name.(string)
		values, _ := properties[name].([]any)
		properties[name] = append(values, value)
	}
	text, _ := value.(string)
	return c.rd.spend(len(names), len(text))
}
