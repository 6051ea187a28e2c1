package layout

import (
	"math/big"
	"strconv"
	"strings"
)

// maxExactDigits bounds the literals that are compared digit by digit; a longer one is no float64 anyway.
const maxExactDigits = 400

// kindOfNumber tells the numbers apart by what can hold them without changing them.
func kindOfNumber(literal string) kind {
	integer := false
	if !strings.ContainsAny(literal, ".eE") {
		_, err := strconv.ParseInt(literal, 10, 64)
		// An integer has no negative zero.
		integer = err == nil && literal != "-0"
	}
	switch float := isFloat(literal); {
	case integer && float:
		return kindInteger
	case integer:
		return kindWide
	case float:
		return kindNumber
	}
	return kindExact
}

// isFloat says whether the shortest text that names a literal's float64 is the same number as the literal.
func isFloat(literal string) bool {
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || len(literal) > maxExactDigits {
		return false
	}
	if f == 0 {
		mantissa, _, _ := strings.Cut(strings.ToLower(literal), "e")
		return strings.Trim(mantissa, "-0.") == ""
	}
	// Behind a float64 that is neither zero nor infinite the exponent is small, and so are these.
	exact, ok := new(big.Rat).SetString(literal)
	shortest, same := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return ok && same && exact.Cmp(shortest) == 0
}
