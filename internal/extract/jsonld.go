package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// jsonLD is the page's JSON-LD items in the order of the page: every object of every block, with arrays and @graph
// opened, as one array for a jq expression. A block that cannot be read costs a warning and leaves the others.
func (p *page) jsonLD(rd *reader) (any, error) {
	if p.items != nil {
		return *p.items, nil
	}
	items := []any{}
	block := 0
	for n := range p.root.Descendants() {
		if n.DataAtom != atom.Script || n.Type != html.ElementNode || !isJSONLD(n) {
			continue
		}
		block++
		value, err := parseLoose(elementText(n), rd)
		if rd.halt != nil {
			return nil, rd.halt
		}
		if err != nil {
			rd.warn("JSON-LD block %d is not JSON and was left out: %v", block, err)
			continue
		}
		items = flatten(items, value)
	}
	p.items = &items
	return items, nil
}

func isJSONLD(script *html.Node) bool {
	kind, _ := attribute(script, "type")
	kind, _, _ = strings.Cut(kind, ";")
	return strings.EqualFold(strings.TrimSpace(kind), "application/ld+json")
}

// parseLoose reads JSON as pages write it: if need be without comments and with control characters in strings, and, as
// the last resort, with the entities that a template has put in place of quotes.
func parseLoose(text string, rd *reader) (any, error) {
	value, err := readJSON(text, keepLast, rd)
	if err == nil {
		return value, nil
	}
	repaired := repair(text)
	if blank(repaired) {
		return nil, nil
	}
	value, err = readJSON(repaired, keepLast, rd)
	if err != nil && strings.Contains(text, "&quot;") {
		if value, again := readJSON(repair(html.UnescapeString(text)), keepLast, rd); again == nil {
			return value, nil
		}
	}
	return value, err
}

// flatten appends the objects of a JSON-LD value. An object with @graph stands for the graph's objects, and for itself
// if it says more than that.
func flatten(items []any, value any) []any {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			items = flatten(items, e)
		}
	case map[string]any:
		graph, ok := v["@graph"]
		if !ok {
			return append(items, v)
		}
		own := make(map[string]any, len(v))
		says := false
		for key, e := range v {
			if key != "@graph" {
				own[key] = e
				says = says || key != "@context" && key != "@id"
			}
		}
		if says {
			items = append(items, own)
		}
		return flatten(items, graph)
	}
	return items
}
