package extract

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/net/html"
)

// joint is where a seam lies in a text, in bytes.
type joint struct {
	at   int
	kind seamKind
}

// joints are the places of the seams in a text that begins where they are counted from: each at the character behind it.
func (as notation) joints(text string) []joint {
	var out []joint
	ink := 0
	for at, r := range text {
		if len(out) == len(as.seams) {
			break
		}
		if !isInk(r) {
			continue
		}
		if next := as.seams[len(out)]; next.ink == ink {
			out = append(out, joint{at, next.kind})
		}
		ink++
	}
	return out
}

// behind are the seams behind some characters, counted from there.
func behind(found []seam, ink int) []seam {
	var out []seam
	for _, s := range found {
		if s.ink > ink {
			out = append(out, seam{s.ink - ink, s.kind})
		}
	}
	return out
}

// inside are the joints between two places of a text, counted from the first.
func inside(all []joint, from, to int) []joint {
	var out []joint
	first, _ := slices.BinarySearchFunc(all, from+1, func(j joint, at int) int { return j.at - at })
	for _, j := range all[first:] {
		if j.at >= to {
			break
		}
		out = append(out, joint{j.at - from, j.kind})
	}
	return out
}

var (
	errRaised = errors.New("its digits run into raised or smaller print or a link, which may be a note or decimals; pick the number with css or " +
		"match, and set decimal if its separator stands in front of them")
	errBeside = errors.New("its digits stand side by side in different elements, which may be two numbers; pick one with css")
)

// crossing says why a run of digits that goes over joints is not one number; nil if it is. Cents are set small behind their separator,
// and counters set each digit in an element of its own.
func (as notation) crossing(run string, joints []joint) error {
	for _, j := range joints {
		switch {
		case j.kind == seamParted:
			return errManyNums
		case j.kind == seamRaised && !as.cents(run, j.at):
			return errRaised
		case j.kind == seamEdge, j.kind == seamBeside && !digitByDigit(run, joints):
			return errBeside
		}
	}
	return nil
}

// cents says whether the small print from a place on is two decimals: with the separator in it, or behind the one that the rule
// names.
func (as notation) cents(run string, at int) bool {
	switch len(run) - at {
	case 3:
		return run[at] == as.decimal
	case 2:
		return as.set && run[at-1] == as.decimal
	}
	return false
}

// digitByDigit says whether no two digits of a run stand in the same element.
func digitByDigit(run string, joints []joint) bool {
	together := false
	for at, r := range run {
		if len(joints) > 0 && joints[0].at == at {
			joints, together = joints[1:], false
		}
		digit := unicode.IsDigit(r)
		if digit && together {
			return false
		}
		together = digit
	}
	return true
}

// seams are those of the text of a match.
func (r *reader) seams(h hit) ([]seam, error) {
	if h.from != nil {
		return elementSeams(h.from), r.strive(len(h.text) * textEffort)
	}
	text, err := h.words()
	if err != nil {
		return nil, err
	}
	return textSeams(text), nil
}

// joinedRun is a run of digits of a page's microdata, and the seams that it goes over.
type joinedRun struct {
	run    string
	joints []joint
}

// keepJoined remembers the runs of digits in an item's text that go over seams. A jq expression gets the bare text, and
// what it makes of it has no seams any more.
func (r *reader) keepJoined(cleaned string, n *html.Node) error {
	as := notation{seams: elementSeams(n)}
	if len(as.seams) == 0 {
		return nil
	}
	text := asciiDigits(cleaned)
	joints := as.joints(text)
	for _, run := range digitRun.FindAllStringIndex(text, -1) {
		if over := inside(joints, run[0], run[1]); len(over) > 0 {
			if r.joined == nil {
				r.joined = map[string]joinedRun{}
			}
			r.joined[digitsOf(text[run[0]:run[1]])] = joinedRun{text[run[0]:run[1]], over}
		}
	}
	return r.strive(len(text) * textEffort)
}

// checkJoined refuses a number from microdata whose digits are those of a run that the page keeps apart.
func (r *reader) checkJoined(f *field, h hit) error {
	if at, ok := f.where.(jqLocator); !ok || at.key != keyMicrodata || len(r.joined) == 0 {
		return nil
	}
	var text string
	switch v := h.value.(type) {
	case string:
		cut, _, err := f.text(h)
		if err != nil {
			return err
		}
		text = digitRun.FindString(asciiDigits(cut))
	case json.Number:
		text = v.String()
	}
	if joined, ok := r.joined[digitsOf(text)]; ok {
		if err := f.notation().crossing(joined.run, joined.joints); err != nil {
			return fmt.Errorf("%s is not a number: %w", quote(joined.run), err)
		}
	}
	return nil
}

func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, text)
}
