package config

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/weir-collect/weir/collection"
)

// rulesAt are parse rules and the key at which they stand.
type rulesAt struct {
	path  string
	parse collection.Parse
}

// rules are all parse rules: those of every source, and those of every method that has its own.
func (c *Config) rules() []rulesAt {
	var all []rulesAt
	for i, s := range c.Sources {
		if len(s.Methods) == 0 || !isUnset(s.Parse) {
			all = append(all, rulesAt{fmt.Sprintf("sources[%d].parse", i), s.Parse})
		}
		for j, m := range s.Methods {
			if !isUnset(m.Parse) {
				all = append(all, rulesAt{fmt.Sprintf("sources[%d].methods[%d].parse", i, j), m.Parse})
			}
		}
	}
	return all
}

// readSchemas reads the schema files that parse rules name.
func (c *Config) readSchemas(readFile func(string) ([]byte, error), p *problems) {
	c.schemas = map[string][]byte{}
	for _, r := range c.rules() {
		name := r.parse.Schema
		if name == "" {
			continue
		}
		content, err := readFile(c.Path(name))
		if err != nil {
			p.unreadable(r.path+".schema", shown(name), "name a file that can be read, relative to the configuration file: "+err.Error())
			continue
		}
		c.schemas[name] = content
	}
}

// checkParsing hands all parse rules to the check that knows them.
func (c *Config) checkParsing(check func(collection.Parse, []byte) error, p *problems) {
	if check == nil {
		return
	}
	for _, r := range c.rules() {
		if p.concerns(r.path) {
			continue // what is known to be wrong would be said twice
		}
		for _, err := range split(check(r.parse, c.schemas[r.parse.Schema])) {
			if m := ruleKeyPattern.FindStringSubmatch(err.Error()); m != nil {
				p.add(join(r.path, m[1]), "", m[2])
			} else {
				p.add(r.path, "", err.Error())
			}
		}
	}
}

// ruleKeyPattern is a key within parse, and what is said of it.
var ruleKeyPattern = regexp.MustCompile(`(?s)^((?:type|schema|fields)[a-z_.0-9\[\]]*):? (.+)$`)

// split takes a join of errors apart. An error that says more than those it wraps stays whole.
func split(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, split(e)...)
	}
	if errors.Join(all...).Error() != err.Error() {
		return []error{err}
	}
	return all
}
