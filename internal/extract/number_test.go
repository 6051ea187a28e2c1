package extract

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestNumbers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ decimal, text, want string }{
		{".", "51.77", "51.77"},
		{".", "£51.77", "51.77"},
		{".", "$1,299.00", "1299.00"},
		{",", "1.299,00 €", "1299.00"},
		{",", "1.299", "1299"},
		{".", "1.299", "1.299"},
		{",", "1 299,00 €", "1299.00"},
		{",", "1\u00a0299,00", "1299.00"},
		{",", "1\u202f299\u202f000,5", "1299000.5"},
		{".", "CHF 1'299.50", "1299.50"},
		{".", "CHF 1’299’000.50", "1299000.50"},
		{".", "₹12,34,567.89", "1234567.89"},
		{",", "5,- €", "5"},
		{".", "In stock (14 available)", "14"},
		{".", "45 %", "45"},
		{".", "25 m²", "25"},
		{".", "USD12", "12"},
		{".", "12EUR", "12"},
		{".", ".5", "0.5"},
		{".", "$.99", "0.99"},
		{".", "No.5", "5"},
		{".", "It costs 5.", "5"},
		{".", "007", "7"},
		{".", "000.50", "0.50"},
		{".", "-5", "-5"},
		{".", "−5.5", "-5.5"},
		{".", "-£5.00", "-5.00"},
		{".", "£-5.00", "-5.00"},
		{".", "-USD 5", "-5"},
		{".", "-0", "-0"},
		{".", "-0.0 points", "0.0"},
		{".", "item-5", "5"},
		{".", "5-pack", "5"},
		{".", "1.5E+03", "1.5E+03"},
		{".", "12345678901234567890.12345678901234567890", "12345678901234567890.12345678901234567890"},
		{".", "٣٫١٤", "3.14"},
		{".", "１，２９９", "1299"},
		{".", "5 kg", "5"},
		{".", "12MB", "12"},
		{".", "80m", "80"},
		{".", "80 m", "80"},
		{".", "5 t", "5"},
		{".", "12 mm", "12"},
		{".", "8 MB", "8"},
		{".", "5 Kg", "5"},
		{".", "5 minutes", "5"},
		{".", "5 bedrooms", "5"},
		{".", "Reviews (14)", "14"},
		{".", "Reviews (1,234)", "1234"},
		{".", "(14 available)", "14"},
		{".", "(about) 5", "5"},
		{".", "5000 KRW", "5000"},
		{",", "1 299 kr", "1299"},
		{",", "1 299 Kč", "1299"},
		{",", "6\u00a0100 ml", "6100"},
		{",", "1 299,5 kg", "1299.5"},
	} {
		got, err := parseNumber(c.text, notation{decimal: c.decimal[0], set: true})
		require.NoError(t, err, c.text)
		require.Equal(t, json.Number(c.want), got, c.text)
		require.True(t, json.Valid([]byte(c.want)))
	}
}

func TestNumbersRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ decimal, text, why string }{
		{".", "on request", "no digits"},
		{".", "£10 - £20", "more than one number"},
		{".", "3 for 5.99", "more than one number"},
		{".", "1/2", "more than one number"},
		{".", "12:30", "more than one number"},
		{".", "1½", "vulgar fraction"},
		{".", "1,29", "not grouped in thousands"},
		{",", "12.50", "not grouped in thousands"},
		{".", "1.299,00", "does not read as one number"},
		{".", "1.299.000", "does not read as one number"},
		{".", "0,299", "not grouped in thousands"},
		{".", "1,2345", "not grouped in thousands"},
		{".", "1,299'000", "not grouped in thousands"},
		{".", "3, 5", "not grouped in thousands"},
		{".", "3..5", "does not read as one number"},
		{".", "1.2M", "multiplies"},
		{".", "10k", "multiplies"},
		{",", "3 Mio. €", "multiplies"},
		{".", "2 million", "multiplies"},
		{",", "1,2 M€", "multiplies"},
		{",", "1,2\u00a0M€", "multiplies"},
		{",", "1,2\u202fMd€", "multiplies"},
		{",", "350 k€", "multiplies"},
		{",", "350 kEUR", "multiplies"},
		{".", "1.2 M views", "multiplies"},
		{".", "12 K", "multiplies"},
		{".", "$5 m", "multiplies"},
		{".", "$5b", "multiplies"},
		{".", "5 m€", "multiplies"},
		{".", "USD 5 m", "multiplies"},
		{".", "$1.2T", "multiplies"},
		{".", "$5MM", "multiplies"},
		{".", "2 lakh", "multiplies"},
		{".", "₹3 Crore", "multiplies"},
		{".", "2 dozen", "multiplies"},
		{",", "5 Mrd.", "multiplies"},
		{",", "5 млн", "multiplies"},
		{".", "3万", "multiplies"},
		{".", "(51.77)", "brackets"},
		{".", "($51.77)", "brackets"},
		{".", "$(51)", "brackets"},
		{".", "(51) EUR", "brackets"},
		{".", "(14)", "brackets"},
		{".", "Total: (51.77)", "brackets"},
		{".", "Net loss (£14)", "brackets"},
		{".", "( 5 % )", "brackets"},
		{".", "6 100 ml", "space may group"},
		{".", "12 500 g", "space may group"},
		{".", "- 5", "dash"},
		{".", "Price - 5", "dash"},
		{".", "–5", "dash"},
		{".", "5.00-", "minus stands behind"},
		{".", "1e999999", "exponent"},
		{".", strings.Repeat("9", 1001), "1001 characters"},
	} {
		_, err := parseNumber(c.text, notation{decimal: c.decimal[0], set: true})
		require.ErrorContains(t, err, c.why, c.text)
	}
}

func TestIntegers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"5": "5", "5.00": "5", "1,299": "1299", "-7 °C": "-7", "007": "7"} {
		got, err := parseInteger(text, notation{decimal: '.'})
		require.NoError(t, err, text)
		require.Equal(t, json.Number(want), got, text)
	}
	for _, text := range []string{"5.5", "1e-3", "1e3", "many", "1.299"} {
		_, err := parseInteger(text, notation{decimal: '.'})
		require.Error(t, err, text)
	}
}

// However a shop groups and signs a price, the digits come back as they were.
func TestNumberComesBackFromItsLocale(t *testing.T) {
	t.Parallel()
	locales := []struct{ decimal, group string }{
		{".", ","}, {".", ""}, {".", "'"}, {".", " "}, {",", "."}, {",", " "}, {",", "\u00a0"}, {",", "\u202f"}, {",", ""},
	}
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Uint64().Draw(t, "whole")
		cents := rapid.IntRange(0, 99).Draw(t, "cents")
		negative := rapid.Bool().Draw(t, "negative") && whole > 0
		l := rapid.SampledFrom(locales).Draw(t, "locale")
		around := rapid.SampledFrom([]string{"%s", "%s €", "£%s", "EUR %s", "%s zł", "Now only %s!"}).Draw(t, "around")

		digits := fmt.Sprint(whole)
		shown := digits
		if l.group != "" {
			shown = group(digits, l.group)
		}
		want := fmt.Sprintf("%d.%02d", whole, cents)
		shown += fmt.Sprintf("%s%02d", l.decimal, cents)
		if negative {
			want, shown = "-"+want, "-"+shown
		}
		got, err := parseNumber(fmt.Sprintf(around, shown), notation{decimal: l.decimal[0], set: true})
		if err != nil || got != json.Number(want) {
			t.Fatalf("%q gives %v, %v instead of %s", fmt.Sprintf(around, shown), got, err, want)
		}
	})
}

func group(digits, by string) string {
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + by + digits[at:]
	}
	return digits
}

// Whatever the text, a number that is read is a number that JSON can hold.
func TestNumberIsAlwaysJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[-−£€ A-Z]{0,3}[0-9., ']{0,12}[-a-zA-Z€. ]{0,4}`).Draw(t, "text")
		decimal := rapid.SampledFrom([]byte{'.', ','}).Draw(t, "decimal")
		got, err := parseNumber(text, notation{decimal: decimal})
		if err == nil && !jsonNumber.MatchString(got.(json.Number).String()) {
			t.Fatalf("%q gives %v", text, got)
		}
	})
}
