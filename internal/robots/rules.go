package robots

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// What decided where no line did; the values of Decision.Why.
const (
	WhyNoRule      = "no rule"
	WhyNoFile      = "no robots.txt"
	WhyUnreachable = "unreachable"
	WhyItself      = "robots.txt itself"
)

// Decision says whether a URL may be fetched.
type Decision struct {
	Allowed bool
	// Rule is the line that decided, as it stands in the file, without its comment; empty when no line did. A very long one
	// is cut.
	Rule string
	// Line is where it stands, from 1.
	Line int
	// Why says what decided where no line did.
	Why string
}

// Rules are what one agent has to keep to. The zero value allows everything for want of a rule.
type Rules struct {
	// rules are in the order in which they decide.
	rules    []rule
	delay    time.Duration
	hasDelay bool
	// why is set where there is no file: "no robots.txt" allows everything, "unreachable" nothing.
	why string
}

type rule struct {
	pattern
	allow bool
	text  string
	line  int
}

func newRule(allow bool, path, text string, line int) rule {
	return rule{pattern: newPattern(path), allow: allow, text: excerpt(text), line: line}
}

// For picks the rules for an agent, given by its product token: all groups that name it, or those of "*" when none does
// (RFC 9309, section 2.2.1).
func (f *File) For(agent string) Rules {
	agent = strings.ToLower(agent)
	if agent == "" || !slices.ContainsFunc(f.groups, func(g group) bool { return g.isFor(agent) }) {
		agent = everybody
	}
	var r Rules
	for _, g := range f.groups {
		if g.isFor(agent) {
			r.rules = append(r.rules, g.rules...)
		}
	}
	slices.SortStableFunc(r.rules, byWeight)
	for _, d := range f.delays {
		if slices.ContainsFunc(d.names, func(name string) bool { return names(name, agent) }) {
			// Of two delays the longer one offends nobody.
			r.delay, r.hasDelay = max(r.delay, d.wait), true
		}
	}
	return r
}

func (g group) isFor(agent string) bool {
	return slices.ContainsFunc(g.names, func(name string) bool { return names(name, agent) })
}

// byWeight puts the longest rule first, and of equally long ones those that allow (section 2.2.2).
func byWeight(a, b rule) int {
	if a.length != b.length {
		return cmp.Compare(b.length, a.length)
	}
	switch {
	case a.allow == b.allow:
		return 0
	case a.allow:
		return -1
	}
	return 1
}

// Match decides about a URL. Scheme and host are not looked at: the rules are those of the URL's own origin.
func (r Rules) Match(url string) Decision {
	t := newTarget(url)
	switch {
	case t.plain == "/robots.txt":
		return Decision{Allowed: true, Why: WhyItself}
	case r.why != "":
		return Decision{Allowed: r.why != WhyUnreachable, Why: r.why}
	}
	for _, rule := range r.rules {
		if rule.matches(t) {
			return Decision{Allowed: rule.allow, Rule: rule.text, Line: rule.line}
		}
	}
	return Decision{Allowed: true, Why: WhyNoRule}
}

// CrawlDelay is how long the file asks to wait between two requests; false when it does not say.
func (r Rules) CrawlDelay() (time.Duration, bool) { return r.delay, r.hasDelay }

// maxExcerpt keeps what strangers wrote short where it is shown, logged and kept.
const maxExcerpt = 200

func excerpt(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= maxExcerpt {
		return strings.Clone(s)
	}
	return strings.ToValidUTF8(s[:maxExcerpt], "") + "…"
}
