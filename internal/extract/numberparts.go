package extract

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// zeros are the zeros of the scripts whose digits are read: Arabic-Indic, its eastern form, Devanagari and full width.
var zeros = []rune{'\u0660', '\u06f0', '\u0966', '\uff10'}

// asciiDigits writes digits of other scripts, and the separators that go with them, as ASCII.
func asciiDigits(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '\u066b', '\uff0e': // Arabic decimal separator, full-width full stop
			return '.'
		case '\u066c', '\uff0c': // Arabic thousands separator, full-width comma
			return ','
		}
		for _, zero := range zeros {
			if r >= zero && r <= zero+9 {
				return '0' + r - zero
			}
		}
		return r
	}, text)
}

func endsInLetter(text string) bool {
	r, size := utf8.DecodeLastRuneInString(text)
	return size > 0 && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

func isMinus(r rune) bool { return r == '-' || r == '\u2212' }

var (
	errDash     = errors.New("its dash may be a minus or punctuation; pick the number with match")
	errTrailing = errors.New("its minus stands behind the digits; pick the number with match")
)

// signed says whether a number is negative by what stands around it. A minus belongs to the number when it touches it,
// or touches the currency in front of it, and no word touches the minus.
func signed(before, after string) (bool, error) {
	if r, size := utf8.DecodeRuneInString(after); isMinus(r) && strings.TrimSpace(after[size:]) == "" {
		return false, errTrailing
	}
	head := withoutCurrency(before)
	last, size := utf8.DecodeLastRuneInString(head)
	switch {
	case size == 0:
		return false, nil
	case isMinus(last):
		return !endsInLetter(head[:len(head)-size]), nil
	case unicode.In(last, unicode.Pd) && !endsInLetter(head[:len(head)-size]):
		return false, errDash
	}
	apart := strings.TrimRightFunc(head, unicode.IsSpace)
	if last, size = utf8.DecodeLastRuneInString(apart); size > 0 && apart != head && (isMinus(last) || unicode.In(last, unicode.Pd)) {
		return false, errDash
	}
	return false, nil
}

// withoutCurrency cuts a currency sign, or a code such as "EUR", from the end of what stands before a number.
func withoutCurrency(before string) string {
	head := strings.TrimRightFunc(before, unicode.IsSpace)
	bare := strings.TrimRightFunc(head, func(r rune) bool { return unicode.Is(unicode.Sc, r) })
	if bare != head {
		return bare
	}
	if n := len(head) - 3; n >= 0 && strings.Trim(head[n:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && !endsInLetter(head[:n]) {
		return head[:n]
	}
	return before
}

// splitNumber parts a run of digits at its decimal separator and takes out the grouping.
func splitNumber(run string, decimal byte) (whole, fraction string, err error) {
	whole, fraction, _ = strings.Cut(run, string(decimal))
	for _, r := range fraction {
		if r < '0' || r > '9' {
			return "", "", fmt.Errorf("%q does not read as one number with decimal %q; set decimal if it is another", run, string(decimal))
		}
	}
	whole, err = ungroup(whole, decimal)
	return whole, fraction, err
}

// ungroup takes the group separators out of a whole number. Groups have three digits, or two before the last three as
// in India; "1,29" is refused, for with a decimal comma it would be another number.
func ungroup(whole string, decimal byte) (string, error) {
	at := strings.IndexFunc(whole, func(r rune) bool { return r < '0' || r > '9' })
	if at < 0 {
		return whole, nil
	}
	separator, _ := utf8.DecodeRuneInString(whole[at:])
	groups := strings.Split(whole, string(separator))
	last := len(groups) - 1
	good := len(groups[0]) >= 1 && len(groups[0]) <= 3 && groups[0][0] != '0' && len(groups[last]) == 3
	for _, g := range groups {
		good = good && strings.Trim(g, "0123456789") == ""
	}
	for _, g := range groups[1:last] {
		good = good && (len(g) == 3 || len(g) == 2 && separator == ',' && len(groups[0]) <= 2)
	}
	if !good {
		return "", fmt.Errorf("%q is not grouped in thousands; the decimal separator is %q, set decimal if it is another",
			whole, string(decimal))
	}
	return strings.Join(groups, ""), nil
}
