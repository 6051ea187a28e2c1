package quality

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"github.com/weir-collect/weir/collection"
)

// Rules are a source's rules with their shares as numbers, from 0 to 1.
type Rules struct {
	MinRecords                          int
	MaxEmpty, MaxInvalid, MaxDuplicates float64
	MaxMissingRise                      float64
	// MaxMissing are the limits of single fields, in the order in which they are written.
	MaxMissing []Limit
}

// Limit is how many documents may lack a field.
type Limit struct {
	Field string
	Share float64
}

// Defaults are the rules of a source that has none of its own. Rows that repeat are the customer's business more than the
// source's, and fields vary: these two are for what nobody can have meant.
func Defaults() collection.QualityRules {
	return collection.QualityRules{
		MinRecords: 20, MaxEmpty: "5%", MaxInvalid: "5%", MaxDuplicates: "20%", MaxMissingRise: "10%",
	}
}

// RulesOf reads a source's rules; what is not set is the default. Each error of the join begins with the key that it is about.
func RulesOf(c collection.QualityRules) (Rules, error) {
	standard := Defaults()
	r := Rules{MinRecords: c.MinRecords}
	if r.MinRecords == 0 {
		r.MinRecords = standard.MinRecords
	}
	var problems []error
	share := func(key, text, otherwise string, into *float64) {
		if text == "" {
			text = otherwise
		}
		var err error
		if *into, err = ParseShare(text); err != nil {
			problems = append(problems, &RuleError{Key: key, Value: text, Err: err})
		}
	}
	share("max_empty", c.MaxEmpty, standard.MaxEmpty, &r.MaxEmpty)
	share("max_invalid", c.MaxInvalid, standard.MaxInvalid, &r.MaxInvalid)
	share("max_duplicates", c.MaxDuplicates, standard.MaxDuplicates, &r.MaxDuplicates)
	for i, limit := range c.MaxMissing {
		l := Limit{Field: limit.Field}
		share(fmt.Sprintf("max_missing[%d].share", i), limit.Share, "", &l.Share)
		r.MaxMissing = append(r.MaxMissing, l)
	}
	share("max_missing_rise", c.MaxMissingRise, standard.MaxMissingRise, &r.MaxMissingRise)
	return r, errors.Join(problems...)
}

// RuleError says which key of the rules cannot be read, and what stands there.
type RuleError struct {
	Key, Value string
	Err        error
}

// Error names the key.
func (e *RuleError) Error() string { return e.Key + ": " + e.Err.Error() }

// Unwrap is what is wrong with the value.
func (e *RuleError) Unwrap() error { return e.Err }

var sharePattern = regexp.MustCompile(`^([0-9]{1,3}(?:\.[0-9]{1,9})?)(%?)$`)

// ParseShare reads a share: "5%", "0.5%" or "0.05". It is strict: a 5 without a sign is refused, since it may mean either.
func ParseShare(text string) (float64, error) {
	m := sharePattern.FindStringSubmatch(text)
	if m == nil {
		return 0, errShare
	}
	value, err := strconv.ParseFloat(m[1], 64)
	if m[2] == "%" {
		value /= 100
	}
	if err != nil || value > 1 {
		return 0, errShare
	}
	return value, nil
}

var errShare = errors.New("write a share as 5% or as 0.05, from 0% to 100%")
