package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/weir-collect/weir/collection"
)

// Bounds of a source's keys.
const (
	maxPrefetch  = 64
	maxWindow    = 2000 // Temporal lets a workflow wait for so many children
	minTimeout   = 100 * time.Millisecond
	maxTimeout   = time.Hour
	maxAttempts  = 100
	minBackoff   = time.Millisecond
	maxBackoff   = 24 * time.Hour
	maxGiveUp    = 30 * 24 * time.Hour
	minBody      = int64(1 << 10)
	maxBodyBound = int64(1 << 30)
)

// checkSources checks every source; egresses are the names of the egresses.
func checkSources(sources []collection.Source, customers []collection.Customer, egresses map[string]int, p *problems) {
	names := map[string]int{}
	checkHosts(sources, p)
	index := NewIndex(sources, nil)
	for i, s := range sources {
		path := fmt.Sprintf("sources[%d]", i)
		checkListName(p, path, "source", s.Name, i, names)
		checkOwner(s.Owner, path+".owner", p)
		checkServed(s.Customers, customers, path+".customers", p)
		checkSourceBounds(s, path, p)
		checkLimits(s, path, p)
		checkRobots(s, path, p)
		checkEgressUse(s.Egress, path, egresses, p)
		checkAsked(s, path, index, p)
		checkQuality(s, path, p)
	}
}

// maxOwner bounds the name of a source's owner, in bytes.
const maxOwner = 100

func checkOwner(owner, path string, p *problems) {
	if len(owner) > maxOwner || strings.IndexFunc(owner, unicode.IsControl) >= 0 {
		p.add(path, shown(owner), fmt.Sprintf("name who looks after the source in one line of at most %d bytes", maxOwner))
	}
}

// checkServed checks whom a source is for. A configuration without customers is one of workers that do not plan: what they are
// told is not held against anything.
func checkServed(names []string, customers []collection.Customer, path string, p *problems) {
	var known []string
	for _, c := range customers {
		known = append(known, c.Name)
	}
	for i, name := range names {
		at := fmt.Sprintf("%s[%d]", path, i)
		switch message := checkItemName("customer", name); {
		case message != "":
			p.add(at, shown(name), message)
		case slices.Contains(names[:i], name):
			p.add(at, shown(name), "this customer is listed twice: keep one")
		case len(known) > 0 && !slices.Contains(known, name):
			hint := ""
			if near := nearest(name, known); near != "" {
				hint = ": did you mean " + near + "?"
			}
			p.add(at, shown(name), "there is no such customer, so the source would serve nobody by this name"+hint)
		}
	}
}

func checkSourceBounds(s collection.Source, path string, p *problems) {
	checkRange(p, path+".prefetch", s.Prefetch, 0, maxPrefetch)
	checkRange(p, path+".window", s.Window, 0, maxWindow)
	checkRange(p, path+".timeout", s.Timeout, minTimeout, maxTimeout)
	checkRange(p, path+".attempts", s.Attempts, 1, maxAttempts)
	checkRange(p, path+".backoff.min", s.Backoff.Min, minBackoff, maxBackoff)
	checkRange(p, path+".backoff.max", s.Backoff.Max, minBackoff, maxBackoff)
	if s.Backoff.Max < s.Backoff.Min {
		p.add(path+".backoff.max", durationText(s.Backoff.Max), "use at least backoff.min, "+durationText(s.Backoff.Min))
	}
	if s.GiveUpAfter < s.Timeout {
		p.add(path+".give_up_after", durationText(s.GiveUpAfter), "use at least timeout, "+durationText(s.Timeout)+": else no request could end")
	} else {
		checkRange(p, path+".give_up_after", s.GiveUpAfter, minTimeout, maxGiveUp)
	}
	checkSize(p, path+".max_body", s.MaxBody, minBody, maxBodyBound)
}

// checkListName checks the name of an item and that it is the only one; names holds those before it.
func checkListName(p *problems, path, kind, name string, i int, names map[string]int) {
	if message := checkItemName(kind, name); message != "" {
		p.add(path+".name", "", message)
		return
	}
	if first, taken := names[name]; taken {
		p.add(path+".name", shown(name), fmt.Sprintf("%ss[%d] has the same name: give each its own", kind, first))
		return
	}
	names[name] = i
}

// checkItemName says what is wrong with the name of an item, or nothing.
func checkItemName(kind, name string) string {
	if name == "" {
		return "give every " + kind + " a name"
	}
	if err := collection.CheckName(kind, name); err != nil {
		return err.Error()
	}
	return ""
}

// checkParse holds what must be there for any rules; what the rules say is checked by who runs them.
func checkParse(parse collection.Parse, path string, p *problems) {
	if parse.Type == "" {
		p.add(path+".type", "", "say what the responses are: html, json or csv")
	} else {
		checkOneOf(p, path+".type", parse.Type, "html", "json", "csv")
	}
	if len(parse.Fields) == 0 {
		p.add(path+".fields", "", "list at least one field to take from the responses")
	}
}

// Bounds of a customer's weight: as wide as anybody's contracts are apart.
const (
	minWeight = 0.001
	maxWeight = 1000.0
)

func checkCustomers(customers []collection.Customer, p *problems) {
	names := map[string]int{}
	for i, c := range customers {
		path := fmt.Sprintf("customers[%d]", i)
		checkListName(p, path, "customer", c.Name, i, names)
		checkRange(p, path+".weight", c.Weight, minWeight, maxWeight)
		checkDelivery(c, path, p)
		checkTakesFor(customers, c, path+".takes_for", p)
		if len(c.Lanes) == 0 {
			p.add(path+".lanes", "", "list at least one lane: urgent, normal or bulk")
		}
		seen := map[collection.Lane]bool{}
		for j, lane := range c.Lanes {
			at := fmt.Sprintf("%s.lanes[%d]", path, j)
			checkOneOf(p, at, string(lane), "urgent", "normal", "bulk")
			if seen[lane] {
				p.add(at, shown(string(lane)), "this lane is listed twice: keep one")
			}
			seen[lane] = true
		}
	}
}
