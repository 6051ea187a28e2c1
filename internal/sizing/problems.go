package sizing

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is one thing wrong with what was given, and what to do about it.
type Problem struct {
	// Where is the key or the line.
	Where string
	// Given is the value as it was given, or empty.
	Given string
	// Advice says what is wrong and what to write instead.
	Advice string
}

// Error is one line: the place, the value, the advice.
func (p Problem) Error() string {
	if p.Given == "" {
		return p.Where + ": " + p.Advice
	}
	return p.Where + " = " + p.Given + ": " + p.Advice
}

// Problems is everything that is wrong, at once.
type Problems []Problem

// Error has one line for every problem.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

func (p *Problems) add(where string, given any, advice string, args ...any) {
	text := ""
	if given != nil {
		text = fmt.Sprint(given)
	}
	*p = append(*p, Problem{Where: where, Given: text, Advice: fmt.Sprintf(advice, args...)})
}

// beside adds problems of parameters that have none yet: of a part that could not be read nothing else is known.
func (p Problems) beside(others Problems) Problems {
	all := p
	for _, one := range others {
		if !slices.ContainsFunc(p, func(known Problem) bool { return known.part() == one.part() }) {
			all = append(all, one)
		}
	}
	return all
}

// part is the first key of where it is.
func (p Problem) part() string {
	end := strings.IndexAny(p.Where, ".[")
	if end < 0 {
		return p.Where
	}
	return p.Where[:end]
}

// orNil keeps an empty list from becoming an error that is not nil.
func (p Problems) orNil() error {
	if len(p) == 0 {
		return nil
	}
	return p
}
