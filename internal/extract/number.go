package extract

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

const (
	maxNumberLength   = 1000
	maxNumberExponent = 1000
)

var jsonNumber = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE]([+-]?[0-9]+))?$`)

// checkNumber bounds a number as JSON writes it: what reads a document must not be made to compute with a number
// whose digits would fill its memory.
func checkNumber(literal string) error {
	if len(literal) > maxNumberLength {
		return fmt.Errorf("a number of %d characters; at most %d are read", len(literal), maxNumberLength)
	}
	parts := jsonNumber.FindStringSubmatch(literal)
	if parts == nil {
		return fmt.Errorf("%s is not a number", quote(literal))
	}
	if parts[1] == "" {
		return nil
	}
	exponent, err := strconv.Atoi(parts[1])
	if err != nil || exponent > maxNumberExponent || exponent < -maxNumberExponent {
		return fmt.Errorf("the exponent of %s is beyond ±%d", quote(literal), maxNumberExponent)
	}
	return nil
}

// notation is what is known of how a text writes its number.
type notation struct {
	// decimal is the decimal separator, and set says that the rule names it.
	decimal byte
	set     bool
	// whole says that the number is to be whole.
	whole bool
	// exact says that the text is a number of a JSON document, which can be read in one way only.
	exact bool
	// seams are the places of the text at which no number goes on.
	seams []seam
}

// parseNumber reads the one number in a text, such as "£51.77" or, with a decimal comma, "1.299,00 €". What could be
// read in two ways is refused.
func parseNumber(text string, as notation) (any, error) {
	text = asciiDigits(strings.TrimSpace(text))
	n, err := as.read(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a number: %w", quote(text), err)
	}
	return n, nil
}

// parseInteger reads the one whole number in a text. "5.00" is whole; "5.5" is refused.
func parseInteger(text string, as notation) (any, error) {
	as.whole = true
	n, err := parseNumber(text, as)
	if err != nil {
		return nil, err
	}
	return wholeNumber(n.(json.Number))
}

// read reads a number as JSON writes it, or else the one that stands in a text.
func (as notation) read(text string) (json.Number, error) {
	parts := jsonNumber.FindStringSubmatch(text)
	if as.decimal != '.' || parts == nil {
		return as.find(text)
	}
	switch hasExponent := parts[1] != ""; {
	case as.exact:
	case hasExponent && as.whole:
		return "", errExponent
	case hasExponent:
		if err := as.crossing(text, inside(as.joints(text), 0, len(text))); err != nil {
			return "", err
		}
	default:
		if _, err := as.find(text); err != nil {
			return "", err
		}
	}
	return json.Number(text), checkNumber(text)
}

func wholeNumber(n json.Number) (any, error) {
	if err := checkNumber(n.String()); err != nil {
		return nil, err
	}
	exact, ok := new(big.Rat).SetString(n.String())
	if !ok || !exact.IsInt() {
		return nil, fmt.Errorf("%s is not a whole number", n)
	}
	return json.Number(exact.Num().String()), nil
}

// digitRun is digits with what may stand between digits: separators of decimals and of groups. Spaces come in several
// widths, apostrophes in two shapes.
var digitRun = regexp.MustCompile("[0-9](?:[0-9.,'’ \u00a0\u2009\u202f]*[0-9])?")

var (
	errNoNumber = errors.New("it has no digits")
	errManyNums = errors.New("it has more than one number; pick one with match")
	errFraction = errors.New("it has a vulgar fraction")
	errExponent = errors.New("it has an exponent, which a whole number in a text does not; set type: number if it is meant")
)

// find reads the one number that stands in a text.
func (as notation) find(text string) (json.Number, error) {
	if strings.ContainsAny(text, "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅟") {
		return "", errFraction
	}
	runs := digitRun.FindAllStringIndex(text, 2)
	if len(runs) == 0 {
		return "", errNoNumber
	}
	if len(runs) > 1 {
		return "", errManyNums
	}
	from, to := runs[0][0], runs[0][1]
	before, run, after := text[:from], text[from:to], text[to:]
	if err := doubt(before, run, after, as.decimal); err != nil {
		return "", err
	}
	before, run = leadingDecimal(before, run, as.decimal)
	from = len(before)
	if err := as.crossing(text[from:to], inside(as.joints(text), from, to)); err != nil {
		return "", err
	}
	negative, err := signed(before, after)
	if err != nil {
		return "", err
	}
	whole, fraction, err := splitNumber(run, as.decimal)
	if err != nil {
		return "", err
	}
	if err := as.thousands(run); err != nil {
		return "", err
	}
	return assemble(negative, whole, fraction)
}

func assemble(negative bool, whole, fraction string) (json.Number, error) {
	literal := strings.TrimLeft(whole, "0")
	if literal == "" {
		literal = "0"
	}
	if fraction != "" {
		literal += "." + fraction
	}
	if negative && strings.Trim(literal, "0.") != "" {
		literal = "-" + literal
	}
	return json.Number(literal), checkNumber(literal)
}

// leadingDecimal gives ".5" its zero, unless the point ends a word, as in "No.5".
func leadingDecimal(before, run string, decimal byte) (string, string) {
	rest, ok := strings.CutSuffix(before, string(decimal))
	if !ok || endsInLetter(rest) || strings.HasSuffix(rest, string(decimal)) {
		return before, run
	}
	return rest, "0" + string(decimal) + run
}
