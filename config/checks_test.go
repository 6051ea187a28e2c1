package config

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/quality"
)

// drawChecks makes valid rules.
func drawChecks(t *rapid.T) collection.QualityRules {
	share := rapid.SampledFrom([]string{"0", "1", "0.02", "5%", "100%", "0.005%"})
	rules := collection.QualityRules{
		MinRecords: rapid.IntRange(1, maxMinRecords).Draw(t, "min records"), MaxEmpty: share.Draw(t, "max empty"),
		MaxInvalid: share.Draw(t, "max invalid"), MaxDuplicates: share.Draw(t, "max duplicates"), MaxMissingRise: share.Draw(t, "max rise"),
	}
	if rapid.Bool().Draw(t, "max missing") {
		rules.MaxMissing = []collection.FieldLimit{{Field: "o", Share: share.Draw(t, "share")}}
	}
	return rules
}

func TestCheckDefaults(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(minimal)
	require.NoError(t, err)
	require.Equal(t, quality.Defaults(), cfg.Sources[0].Checks)
}

func TestChecksAreRead(t *testing.T) {
	t.Parallel()
	cfg, err := loadText(sourceWith(`checks: {max_empty: 0.5%, max_duplicates: 1, max_missing: [{field: title, share: 0.02}]}` + "\n"))
	require.NoError(t, err)
	want := quality.Defaults()
	want.MaxEmpty, want.MaxDuplicates = "0.5%", "1"
	want.MaxMissing = []collection.FieldLimit{{Field: "title", Share: "0.02"}}
	require.Equal(t, want, cfg.Sources[0].Checks)

	text, err := cfg.YAML()
	require.NoError(t, err)
	again, err := loadText(string(text))
	require.NoError(t, err)
	require.Equal(t, want, again.Sources[0].Checks, "what is written is read back")
}

func TestChecksKeepTheCaseOfFields(t *testing.T) {
	t.Parallel()
	text := strings.Replace(sourceWith("checks: {max_missing: [{field: Title, share: 2%}]}\n"), "name: title", "name: Title", 1)
	cfg, err := loadText(text)
	require.NoError(t, err)
	require.Equal(t, "Title", cfg.Sources[0].Checks.MaxMissing[0].Field)
}

func TestChecksOfMethods(t *testing.T) {
	t.Parallel()
	_, err := loadText(`
sources:
  - name: shop
    hosts: [shop.example]
    checks: {max_missing: [{field: isbn, share: 2%}, {field: title, share: 2%}]}
    parse: {type: html, fields: [{name: title, css: h1}]}
    methods: [{name: page}, {name: api, request: {url: 'https://api.example/{id}'}, parse: {type: json, fields: [{name: isbn, jq: .isbn}]}}]
`)
	require.NoError(t, err)
}

func TestCheckProblems(t *testing.T) {
	t.Parallel()
	const share = "write a share as 5% or as 0.05, from 0% to 100%"
	for keys, want := range map[string][]string{
		"checks: {max_empty: 5}\n":            {`sources[0].checks.max_empty = "5" (weir.yaml:6): ` + share},
		"checks: {max_invalid: 101%}\n":       {`sources[0].checks.max_invalid = "101%" (weir.yaml:6): ` + share},
		"checks: {max_duplicates: -1%}\n":     {`sources[0].checks.max_duplicates = "-1%" (weir.yaml:6): ` + share},
		"checks: {max_missing_rise: a lot}\n": {`sources[0].checks.max_missing_rise = "a lot" (weir.yaml:6): ` + share},
		"checks: {min_records: 0}\n":          {`sources[0].checks.min_records = 0 (weir.yaml:6): use 1 to 1000000`},
		"checks: {min_records: many}\n":       {`sources[0].checks.min_records = "many" (weir.yaml:6): write a whole number`},
		"checks: {max_missing: 2%}\n": {
			`sources[0].checks.max_missing (weir.yaml:6): write a list here, one item a line with a - before it, not a single value`},
		"checks: {max_missing: [{field: title}]}\n": {`sources[0].checks.max_missing[0].share (weir.yaml:6): ` + share},
		"checks: {max_missing: [{share: 2%}]}\n":    {`sources[0].checks.max_missing[0].field (weir.yaml:6): name the field that this limit is for`},
		"checks: {max_missing: [{field: titel, share: 2%}]}\n": {
			`sources[0].checks.max_missing[0].field = "titel" (weir.yaml:6): no parse rules of the source have this field: name one of parse.fields`},
		"checks: {max_missing: [{field: title, share: 2%}, {field: title, share: 3%}]}\n": {
			`sources[0].checks.max_missing[1].field = "title" (weir.yaml:6): this field has a limit already: keep one`},
		"checks: {max_empty: five, max_invalid: six}\n": {
			`sources[0].checks.max_empty = "five" (weir.yaml:6): ` + share,
			`sources[0].checks.max_invalid = "six" (weir.yaml:6): ` + share},
		"checks: 5%\n": {`sources[0].checks (weir.yaml:6): write keys with values here, not a single value`},
	} {
		t.Run(keys, func(t *testing.T) {
			t.Parallel()
			_, err := loadText(sourceWith(keys))
			requireProblems(t, err, want...)
		})
	}
}
