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

// parseNumber reads the one number in a text, such as "£51.77" or, with a decimal comma, "1.299,00 €". What could be
// read in two ways is refused.
func parseNumber(text string, decimal byte) (any, error) {
	text = asciiDigits(strings.TrimSpace(text))
	if decimal == '.' && jsonNumber.MatchString(text) {
		if err := checkNumber(text); err != nil {
			return nil, err
		}
		return json.Number(text), nil
	}
	n, err := findNumber(text, decimal)
	if err != nil {
		return nil, fmt.Errorf("%s is not a number: %w", quote(text), err)
	}
	return n, nil
}

// parseInteger reads the one whole number in a text. "5.00" is whole; "5.5" is refused.
func parseInteger(text string, decimal byte) (any, error) {
	n, err := parseNumber(text, decimal)
	if err != nil {
		return nil, err
	}
	return wholeNumber(n.(json.Number))
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
)

func findNumber(text string, decimal byte) (json.Number, error) {
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
	before, run, after := text[:runs[0][0]], text[runs[0][0]:runs[0][1]], text[runs[0][1]:]
	if err := doubt(before, run, after, decimal); err != nil {
		return "", err
	}
	before, run = leadingDecimal(before, run, decimal)
	negative, err := signed(before, after)
	if err != nil {
		return "", err
	}
	whole, fraction, err := splitNumber(run, decimal)
	if err != nil {
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
