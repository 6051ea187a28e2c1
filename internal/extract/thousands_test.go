package extract

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// Three digits behind a point may be a group of thousands or decimals: they are refused until decimal says which, and where
// nothing but decimals can be meant they are read.
func TestThreeDecimals(t *testing.T) {
	t.Parallel()
	const unset = "set decimal"
	for _, c := range []struct{ kind, decimal, text, want, why string }{
		{"integer", "", "12.000 Bewertungen", "", unset},
		{"integer", "", "5.000", "", unset},
		{"integer", "", "1.299", "", unset},
		{"integer", ".", "12.000", "", "set decimal"},
		{"integer", ",", "12,000", "", "set decimal"},
		{"integer", ",", "12.000 Bewertungen", "12000", ""},
		{"integer", "", "1.234.567", "", unset},
		{"integer", "", "5.00", "5", ""},
		{"integer", "", "5.0000", "5", ""},
		{"integer", "", "0.000", "0", ""},
		{"integer", "", "1,299", "1299", ""},
		{"integer", "", "1,299.000", "1299", ""},
		{"integer", "", "12E5", "", "exponent"},
		{"integer", "", "1e3", "", "exponent"},
		{"integer", ".", "1e3", "", "exponent"},
		{"number", "", "1.299 €", "", unset},
		{"number", "", "1.299", "", unset},
		{"number", "", "-1.299", "", unset},
		{"number", "", "٣٫١٤١", "", unset},
		{"number", ".", "1.299", "1.299", ""},
		{"number", ".", "1.299 €", "1.299", ""},
		{"number", ",", "1.299 €", "1299", ""},
		{"number", ",", "1,299 €", "1.299", ""},
		{"number", "", "0.125", "0.125", ""},
		{"number", "", ".125", "0.125", ""},
		{"number", "", "1234.567", "1234.567", ""},
		{"number", "", "1,234.567", "1234.567", ""},
		{"number", "", "1 234.567", "1234.567", ""},
		{"number", "", "1.2345", "1.2345", ""},
		{"number", "", "1.299e3", "1.299e3", ""},
		{"number", "", "1.5E+03", "1.5E+03", ""},
		{"number", "", "1.5 kg", "1.5", ""},
		{"number", "", "4.5", "4.5", ""},
		{"number", "", "£51.77", "51.77", ""},
		{"number", ",", "1.299,00 €", "1299.00", ""},
		{"number", ",", "1.299,00", "1299.00", ""},
		{"number", "", "1,299.00 €", "1299.00", ""},
	} {
		for kind, field := range map[string]collection.Field{
			"html": {CSS: "p"}, "csv": {Column: "v"}, "json": {JQ: ".v"},
		} {
			body := map[string]string{"html": "<p>" + c.text + "</p>", "csv": "v\n\"" + c.text + "\"\n", "json": `{"v":"` + c.text + `"}`}[kind]
			field.Name, field.Type, field.Decimal = "v", c.kind, c.decimal
			got, err := apply(t, kind, body, field)
			if c.want != "" {
				require.NoError(t, err, "%+v", c)
				requireFields(t, `{"v":`+c.want+`}`, got.Fields)
				continue
			}
			require.Error(t, err, "%+v", c)
			require.Contains(t, requireFailure(t, err, collection.ReasonParseInvalid).Detail, c.why, "%+v", c)
		}
	}
}

// Numbers that a JSON document writes as numbers are no text: their point is the decimal one, also where match cuts them.
func TestNumbersOfJSONAreNoText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, decimal, match, value, want string }{
		{"number", "", "", "1.299", "1.299"},
		{"number", ",", "", "1.299", "1.299"},
		{"number", "", "", "12.000", "12.000"},
		{"integer", "", "", "12.000", "12"},
		{"integer", "", "", "12E5", "1200000"},
		{"number", ",", "^.*$", "1.299", "1.299"},
		{"number", "", "^.*$", "1.299", "1.299"},
		{"integer", "", "^.*$", "12.000", "12"},
		{"integer", "", "^.*$", "1e3", "1000"},
	} {
		got, err := apply(t, "json", `{"v":`+c.value+`}`, collection.Field{Name: "v", JQ: ".v", Type: c.kind, Decimal: c.decimal, Match: c.match})
		require.NoError(t, err, "%+v", c)
		requireFields(t, `{"v":`+c.want+`}`, got.Fields)
	}
}
