package robots

import (
	"fmt"
	"strings"
	"time"
)

// Match decides about a URL for an agent, given by its product token.
func (f *File) Match(agent, url string) Decision { return f.For(agent).Match(url) }

// CrawlDelay is how long the file asks an agent to wait between two requests; false when it does not say.
func (f *File) CrawlDelay(agent string) (time.Duration, bool) { return f.For(agent).CrawlDelay() }

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
