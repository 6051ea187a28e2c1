package robots

import (
	"fmt"
	"strings"
)

// Render writes rules as a file for everybody.
func Render(r Rules) string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, rule := range r.rules {
		key, end := "Disallow", ""
		if rule.allow {
			key = "Allow"
		}
		if rule.anchored {
			end = "$"
		}
		fmt.Fprintf(&b, "%s: %s%s\n", key, strings.Join(rule.pieces, "*"), end)
	}
	if r.hasDelay {
		fmt.Fprintf(&b, "Crawl-delay: %.9f\n", r.delay.Seconds())
	}
	return b.String()
}

// Delays is how many delays a file keeps.
func Delays(f *File) int { return len(f.delays) }
