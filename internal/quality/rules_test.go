package quality

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

func TestParseShare(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"0": 0, "0%": 0, "1": 1, "100%": 1, "5%": 0.05, "0.05": 0.05, "0.5%": 0.005, "12.25%": 0.1225, "1.0": 1,
	} {
		got, err := ParseShare(text)
		require.NoError(t, err, text)
		require.InDelta(t, want, got, 1e-12, text)
	}
	for _, text := range []string{"", "5", "2", "1.01", "101%", "-1%", "+5%", "5 %", " 5%", "5%%", "%", ".5", "5.%", "0,05", "1e-2", "NaN", "five", "1000%", "0x1"} {
		_, err := ParseShare(text)
		require.EqualError(t, err, "write a share as 5% or as 0.05, from 0% to 100%", text)
	}
}

func TestParseShareIsWithinBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		share, err := ParseShare(rapid.OneOf(rapid.String(), rapid.StringMatching(`[0-9.]{1,5}%?`)).Draw(t, "text"))
		if err == nil && !(share >= 0 && share <= 1) {
			t.Fatalf("%g", share)
		}
		points := rapid.IntRange(0, 100).Draw(t, "points")
		share, err = ParseShare(strconv.Itoa(points) + "%")
		if err != nil || share != float64(points)/100 {
			t.Fatalf("%d%%: %g, %v", points, share, err)
		}
	})
}

func FuzzParseShare(f *testing.F) {
	for _, text := range []string{"5%", "0.05", "100%", "", "5", "%"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if share, err := ParseShare(text); err == nil && !(share >= 0 && share <= 1) {
			t.Fatalf("%q: %g", text, share)
		}
	})
}

func TestRulesOf(t *testing.T) {
	t.Parallel()
	standard := Rules{MinRecords: 20, MaxEmpty: 0.05, MaxInvalid: 0.05, MaxDuplicates: 0.2, MaxMissingRise: 0.1}
	got, err := RulesOf(collection.QualityRules{})
	require.NoError(t, err)
	require.Equal(t, standard, got, "what is not set is the default")
	got, err = RulesOf(Defaults())
	require.NoError(t, err)
	require.Equal(t, standard, got)

	own := standard
	own.MinRecords, own.MaxEmpty, own.MaxMissing = 5, 0, []Limit{{"price", 0.02}, {"title", 1}}
	got, err = RulesOf(collection.QualityRules{MinRecords: 5, MaxEmpty: "0",
		MaxMissing: []collection.FieldLimit{{Field: "price", Share: "2%"}, {Field: "title", Share: "100%"}}})
	require.NoError(t, err)
	require.Equal(t, own, got)

	_, err = RulesOf(collection.QualityRules{MaxInvalid: "x", MaxMissing: []collection.FieldLimit{{Field: "price"}}})
	require.EqualError(t, err, "max_invalid: write a share as 5% or as 0.05, from 0% to 100%\n"+
		"max_missing[0].share: write a share as 5% or as 0.05, from 0% to 100%")
	var rule *RuleError
	require.ErrorAs(t, err, &rule)
	require.Equal(t, "x", rule.Value)
	require.ErrorIs(t, err, errShare)
}
