package screen

// Style is how a word stands out. On a screen without colours every style is plain.
type Style int

// The styles.
const (
	Plain Style = iota
	// Good is for what is as it should be.
	Good
	// Notice is for what is worth a look.
	Notice
	// Bad is for what has failed.
	Bad
	// Faint is for what only helps to read the rest.
	Faint
	// Strong is for headings.
	Strong
)

var codes = map[Style]string{Good: "\x1b[32m", Notice: "\x1b[33m", Bad: "\x1b[31m", Faint: "\x1b[2m", Strong: "\x1b[1m"}

const endStyle = "\x1b[0m"

// Paint gives a text a style.
func (s *Screen) Paint(style Style, text string) string {
	code := codes[style]
	if !s.colour || code == "" || text == "" {
		return text
	}
	return code + text + endStyle
}
