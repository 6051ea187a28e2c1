package config

import (
	"errors"
	"fmt"
	"slices"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/quality"
)

// maxMinRecords bounds min_records: who wants more than this before a share is judged wants no checks.
const maxMinRecords = 1_000_000

// checkDefaults are the values of the keys of checks that a source does not set itself.
func checkDefaults() map[string]any {
	d := quality.Defaults()
	return map[string]any{
		"min_records": d.MinRecords, "max_empty": d.MaxEmpty, "max_invalid": d.MaxInvalid,
		"max_duplicates": d.MaxDuplicates, "max_missing_rise": d.MaxMissingRise,
	}
}

// checkQuality checks the rules that settled submissions are held against.
func checkQuality(s collection.Source, path string, p *problems) {
	if path += ".checks"; p.isUnread(path) {
		return
	}
	checkRange(p, path+".min_records", s.Checks.MinRecords, 1, maxMinRecords)
	_, err := quality.RulesOf(s.Checks)
	for _, err := range split(err) {
		var rule *quality.RuleError
		if errors.As(err, &rule) {
			found := ""
			if rule.Value != "" {
				found = shown(rule.Value)
			}
			p.add(join(path, rule.Key), found, rule.Err.Error())
		}
	}
	fields, seen := fieldNames(s), map[string]bool{}
	for i, limit := range s.Checks.MaxMissing {
		at := fmt.Sprintf("%s.max_missing[%d].field", path, i)
		switch {
		case limit.Field == "":
			p.add(at, "", "name the field that this limit is for")
		case seen[limit.Field]:
			p.add(at, shown(limit.Field), "this field has a limit already: keep one")
		case !slices.Contains(fields, limit.Field):
			p.add(at, shown(limit.Field), "no parse rules of the source have this field: name one of parse.fields")
		}
		seen[limit.Field] = true
	}
}

// fieldNames are the names of all fields that a source's rules, and those of its methods, have.
func fieldNames(s collection.Source) []string {
	var names []string
	for _, rules := range append([]collection.Parse{s.Parse}, methodRules(s)...) {
		for _, f := range rules.Fields {
			names = append(names, f.Name)
		}
	}
	return names
}

func methodRules(s collection.Source) []collection.Parse {
	var rules []collection.Parse
	for _, m := range s.Methods {
		rules = append(rules, m.Parse)
	}
	return rules
}
