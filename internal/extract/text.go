package extract

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// invisible are characters without width that editors leave at the ends of a text; inside a word they may have meaning.
const invisible = "\u200b\u2060\ufeff"

// clean cuts white space, no-break spaces among it, at both ends and folds it to one space inside.
func clean(text string) string {
	folded := strings.Join(strings.Fields(text), " ")
	return strings.TrimFunc(folded, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(invisible, r) })
}

// unread are elements whose content is no text of the page around them.
var unread = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Iframe: true, atom.Noembed: true,
}

// apart are elements that stand on lines of their own, so that their text does not run into what is beside them.
var apart = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Br: true, atom.Dd: true,
	atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Fieldset: true, atom.Figcaption: true, atom.Figure: true,
	atom.Footer: true, atom.Form: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true,
	atom.H6: true, atom.Header: true, atom.Hr: true, atom.Li: true, atom.Main: true, atom.Nav: true, atom.Ol: true,
	atom.Option: true, atom.P: true, atom.Pre: true, atom.Section: true, atom.Table: true, atom.Td: true, atom.Th: true,
	atom.Tr: true, atom.Ul: true,
}

// elementText is the text of an element as a reader of the page would copy it, white space not yet folded: with a line
// break around blocks, and without scripts and styles, unless the element is one itself.
func elementText(n *html.Node) string {
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		writeText(&b, c)
	}
	return b.String()
}

func writeText(b *strings.Builder, n *html.Node) {
	if n.Type == html.TextNode {
		b.WriteString(n.Data)
		return
	}
	if n.Type != html.ElementNode || unread[n.DataAtom] {
		return
	}
	if apart[n.DataAtom] {
		b.WriteByte('\n')
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		writeText(b, c)
	}
	if apart[n.DataAtom] && n.DataAtom != atom.Br {
		b.WriteByte('\n')
	}
}
