package robots

import "time"

// File is a robots.txt that has been read. It is immutable.
type File struct {
	groups []group
	delays []delay
}

// group is a run of user-agent lines and the rules below it. Only a rule ends the run: other records never do (RFC 9309,
// section 2.2.4).
type group struct {
	names []string
	rules []rule
}

// delay is the longest of the crawl-delays that follow a run of names. It is kept apart from the groups, because
// "User-agent: a", "Crawl-delay: 3", "User-agent: b" is one group to the RFC but says nothing of a delay for b.
type delay struct {
	names []string
	wait  time.Duration
}

// Parse reads a file. It never fails: what is no record of RFC 9309 is passed over, as section 2.2 wants.
func Parse(body []byte) *File {
	var p parser
	rest := text(cut(body))
	for number := 1; len(rest) > 0; number++ {
		var line []byte
		line, rest = nextLine(rest)
		p.line(number, withoutComment(line))
	}
	return &p.file
}

// parser is where in a file the reading stands.
type parser struct {
	file File
	// hasRules says that the current group has ended its run of user-agent lines.
	hasRules bool
	// names are those that a crawl-delay would be for; the next user-agent line starts them anew once namesEnded.
	names      []string
	namesEnded bool
	// delayed says that the names have a delay, the last of the file's.
	delayed bool
}

func (p *parser) line(number int, line string) {
	what, value := record(line)
	switch what {
	case userAgent:
		p.userAgent(nameIn(value))
	case allow, disallow:
		p.hasRules, p.namesEnded = true, true
		// Rules before the first user-agent line are nobody's; an empty one says nothing but ends the run.
		if last := len(p.file.groups) - 1; last >= 0 && value != "" {
			g := &p.file.groups[last]
			g.rules = append(g.rules, newRule(what == allow, value, line, number))
		}
	case crawlDelay:
		p.namesEnded = true
		if wait, ok := parseDelay(value); ok && len(p.names) > 0 {
			p.delay(wait)
		}
	case other:
	}
}

// delay takes in a crawl-delay for the names above it: one for all of them, whatever number of lines says so.
func (p *parser) delay(wait time.Duration) {
	if p.delayed {
		// Of two delays the longer one offends nobody.
		last := &p.file.delays[len(p.file.delays)-1]
		last.wait = max(last.wait, wait)
		return
	}
	p.delayed = true
	p.file.delays = append(p.file.delays, delay{names: p.names, wait: wait})
}

func (p *parser) userAgent(name string) {
	if p.namesEnded {
		p.names, p.namesEnded, p.delayed = nil, false, false
	}
	p.names = append(p.names, name)
	if p.hasRules || len(p.file.groups) == 0 {
		p.file.groups = append(p.file.groups, group{})
		p.hasRules = false
	}
	g := &p.file.groups[len(p.file.groups)-1]
	g.names = append(g.names, name)
}
