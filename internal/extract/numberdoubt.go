package extract

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

var (
	errMagnitude = errors.New("it has a suffix that multiplies; pick the digits with match if they alone are meant")
	errBrackets  = errors.New("its brackets may be a minus or only brackets; pick the number with match")
	errPacked    = errors.New("its space may group the digits or part two numbers; pick one with match")
)

// magnitudes are words that multiply the number in front of them. Of single letters these are unmistakable enough: "m" is
// also a metre, "t" a tonne and "b" a part of an address, so they multiply only money.
var magnitudes = words(`hundred hundreds thousand thousands million millions billion billions trillion trillions
	dozen lakh lakhs lac lacs crore crores cr mio mill mn md mds mrd bn bln tn trn tsd tausend millionen milliarde milliarden
	milliard milliards millones mil miljoen miljard mln mld tys mkr tkr kkr тыс млн млрд`)

var (
	magnitudeLetters  = words("k K M B T MM")
	moneyLetters      = words("m b t mm")
	magnitudeIdeogram = "十百千万萬亿億兆천만억조"
	currencyCodes     = words("EUR USD GBP CHF SEK NOK DKK PLN CZK HUF JPY CNY INR AUD CAD BRL TRY RUB")
)

// measures are what packs are counted in: "6 100 ml" may be six of them.
var measures = words(`ml cl dl l g kg mg µg oz lb lbs mm cm m km in inch ft pc pcs piece pieces stk stück st ct count pack packs
	tablets capsules sheets x mb gb tb w kw v mah`)

func words(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}

// leadingWord is the word that a text begins with, after any space.
func leadingWord(text string) (word, rest string) {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

// doubt says why a number with what stands around it can be read in two ways; nil if it cannot.
func doubt(before, run, after string, decimal byte) error {
	money := withoutCurrency(before) != before || startsInCurrency(after)
	word, rest := leadingWord(after)
	if multiplies(word, money || startsInCurrency(rest)) {
		return errMagnitude
	}
	if bracketed(before, run, after, decimal, money) {
		return errBrackets
	}
	plain := strings.Contains(run, " ") && !strings.ContainsRune(run, rune(decimal))
	if plain && measures[strings.ToLower(word)] {
		return errPacked
	}
	return nil
}

func multiplies(word string, money bool) bool {
	lower := strings.ToLower(word)
	switch {
	case word == "":
		return false
	case magnitudes[lower], magnitudeLetters[word], money && moneyLetters[lower]:
		return true
	case strings.ContainsRune(magnitudeIdeogram, []rune(word)[0]):
		return true
	}
	return strings.Contains("kKMT", word[:1]) && currencyCodes[word[1:]]
}

func startsInCurrency(after string) bool {
	after = strings.TrimLeftFunc(after, unicode.IsSpace)
	word, _ := leadingWord(after)
	return currencyCodes[word] || strings.IndexFunc(after, func(r rune) bool { return unicode.Is(unicode.Sc, r) }) == 0
}

// bracketed says whether brackets around a number may be those of accounts, which mean a minus: where they hold nothing but an
// amount, and what they stand in is money or has decimals or no words. "Reviews (14)" is a count.
func bracketed(before, run, after string, decimal byte, money bool) bool {
	head := strings.TrimRightFunc(withoutCurrency(before), unicode.IsSpace)
	outer, opened := strings.CutSuffix(head, "(")
	inside, tail, closed := strings.Cut(after, ")")
	if !opened || !closed || !amountOnly(inside) {
		return false
	}
	money = money || withoutCurrency(outer) != outer || startsInCurrency(tail)
	return money || strings.ContainsRune(run, rune(decimal)) || !slices.ContainsFunc([]rune(outer+tail), unicode.IsLetter)
}

// thousands refuses three digits behind a decimal separator that would group them just as well: "1.299" is a price in thousands
// where the comma is decimal. What nobody groups, such as "0.125", "1234.567" or "1,234.567", is certain.
func (as notation) thousands(run string) error {
	whole, fraction, _ := strings.Cut(run, string(as.decimal))
	if len(fraction) != 3 || len(whole) > 3 || whole[0] == '0' || as.exact {
		return nil
	}
	other := "."
	if as.decimal == '.' {
		other = ","
	}
	switch {
	case as.whole:
		return fmt.Errorf("the three digits behind the %q of %q may be thousands; set decimal: %q if they are, or cut them off with match",
			string(as.decimal), run, other)
	case !as.set:
		return fmt.Errorf("the three digits behind the %q of %q may be decimals or thousands; set decimal: %q or decimal: %q",
			string(as.decimal), run, string(as.decimal), other)
	}
	return nil
}

// amountOnly says whether nothing but a currency or a percent sign stands in a text.
func amountOnly(text string) bool {
	text = strings.TrimSpace(text)
	return currencyCodes[text] || strings.TrimFunc(text, func(r rune) bool {
		return unicode.Is(unicode.Sc, r) || unicode.IsSpace(r) || r == '%'
	}) == ""
}
