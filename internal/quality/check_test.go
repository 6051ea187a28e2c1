package quality

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

func standardRules(t require.TestingT) Rules {
	r, err := RulesOf(collection.QualityRules{})
	require.NoError(t, err)
	return r
}

// shown is a check as one line.
func shown(c collection.QualityCheck) string {
	return fmt.Sprintf("%s %s %s %g/%g of %d: %s", c.Check, c.Field, c.Result, c.Observed, c.Allowed, c.Of, c.Detail)
}

func TestCheck(t *testing.T) {
	t.Parallel()
	rules := standardRules(t)
	rules.MaxMissing = []Limit{{"price", 0.02}}
	history := []collection.QualityEntry{settledAs(1, 500, 5), settledAs(2, 500, 5)}
	for name, c := range map[string]struct {
		counts collection.QualityCounts
		want   []string
	}{
		"good": {
			collection.QualityCounts{Records: 510, Duplicates: 3, Completed: 500, Stored: 500, Empty: 6, Invalid: 4, Missing: map[string]int{"price": 5}},
			[]string{
				"stored  ok 0/0 of 500: 500 of 500 completed records have their document stored",
				"empty  ok 0.011765/0.05 of 510: 6 of 510 responses held nothing that the rules look for (1.18%); 5% may",
				"invalid  ok 0.007843/0.05 of 510: 4 of 510 responses made no valid document (0.78%); 5% may",
				"duplicates  ok 0.005848/0.2 of 513: 3 of 513 rows name a record that an earlier row names (0.58%); 20% may",
				`missing price ok 0.01/0.02 of 500: 5 of 500 documents lack "price" (1%); 2% may`,
				`missing_rise price ok 0.01/0.11 of 500: 5 of 500 documents lack "price" (1%); 1% did in recent submissions, and up to 11% may`,
			},
		},
		"bad": {
			collection.QualityCounts{Records: 600, Duplicates: 400, Completed: 500, Stored: 499, Empty: 60, Invalid: 40, Missing: map[string]int{"price": 100}},
			[]string{
				"stored  breach 0.002/0 of 500: only 499 of 500 completed records have their document stored as it was delivered: see failures.jsonl",
				"empty  breach 0.1/0.05 of 600: 60 of 600 responses held nothing that the rules look for (10%); 5% may",
				"invalid  ok 0.066667/0.05 of 600: 40 of 600 responses made no valid document (6.67%); 5% may, which chance may explain",
				"duplicates  breach 0.4/0.2 of 1000: 400 of 1000 rows name a record that an earlier row names (40%); 20% may",
				`missing price breach 0.200401/0.02 of 499: 100 of 499 documents lack "price" (20.04%); 2% may`,
				`missing_rise price breach 0.200401/0.11 of 499: 100 of 499 documents lack "price" (20.04%); 1% did in recent submissions, and up to 11% may`,
			},
		},
		"few": {
			collection.QualityCounts{Records: 19, Completed: 10, Stored: 10, Empty: 9, Missing: map[string]int{"price": 10}},
			[]string{
				"stored  ok 0/0 of 10: 10 of 10 completed records have their document stored",
				"empty  not_enough_data 0.473684/0.05 of 19: 9 of 19 responses held nothing that the rules look for: too few to judge, which takes 20",
				"invalid  not_enough_data 0/0.05 of 19: 0 of 19 responses made no valid document: too few to judge, which takes 20",
				"duplicates  not_enough_data 0/0.2 of 19: 0 of 19 rows name a record that an earlier row names: too few to judge, which takes 20",
				`missing price not_enough_data 1/0.02 of 10: 10 of 10 documents lack "price": too few to judge, which takes 20`,
				`missing_rise price not_enough_data 1/1 of 10: 10 of 10 documents lack "price" (100%), and recent submissions have 1000 documents to compare with: too few to judge, which takes 20 of both`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.counts.Source, c.counts.Submission = "books", "own"
			checks, entry := Check(c.counts, []string{"price", "title"}, history, rules)
			var got []string
			for _, check := range checks {
				require.Equal(t, "books", check.Source)
				got = append(got, shown(check))
			}
			require.Equal(t, c.want, got)
			require.Equal(t, c.counts, entry.QualityCounts)
			require.Equal(t, []string{"price", "title"}, entry.Fields)
			require.Equal(t, name == "bad", len(entry.Breached) > 0)
		})
	}
}

// riseOf is the verdict about the price of one more submission.
func riseOf(own collection.QualityEntry, history []collection.QualityEntry, rules Rules) collection.QualityVerdict {
	checks, _ := Check(own.QualityCounts, own.Fields, history, rules)
	for _, c := range checks {
		if c.Check == collection.QualityMissingRise {
			return c.Result
		}
	}
	return collection.QualityOK
}

func TestRise(t *testing.T) {
	t.Parallel()
	steady, varied := []collection.QualityEntry{}, []collection.QualityEntry{}
	for n := range 10 {
		steady = append(steady, settledAs(n, 500, 10))
		varied = append(varied, settledAs(n, 500, 100+200*(n%2))) // 20% in one list, 60% in the next
	}
	own := settledAs(60, 500, 300)
	for name, c := range map[string]struct {
		own     collection.QualityEntry
		history []collection.QualityEntry
		want    collection.QualityVerdict
	}{
		"as ever":                      {settledAs(60, 500, 12), steady, collection.QualityOK},
		"within the tolerance":         {settledAs(60, 500, 55), steady, collection.QualityOK},
		"a rise":                       {settledAs(60, 500, 150), steady, collection.QualityBreach},
		"a field that varies anyway":   {settledAs(60, 500, 300), varied, collection.QualityOK},
		"no history":                   {own, nil, collection.QualityUnknown},
		"nothing but its own":          {own, []collection.QualityEntry{settledAs(60, 500, 5)}, collection.QualityUnknown},
		"a history too small to judge": {own, []collection.QualityEntry{settledAs(1, 19, 0)}, collection.QualityUnknown},
		"a young history":              {settledAs(60, 500, 150), []collection.QualityEntry{settledAs(1, 20, 1)}, collection.QualityOK},
		"never missing":                {settledAs(60, 500, 0), steady, collection.QualityOK},
	} {
		require.Equal(t, c.want, riseOf(c.own, c.history, standardRules(t)), name)
	}
}

// TestRiseGoesOnUntilNothingElseIsLeft: what is wrong does not become what is usual as soon as it has happened once.
func TestRiseGoesOnUntilNothingElseIsLeft(t *testing.T) {
	t.Parallel()
	var h collection.QualityHistory
	for n := range MaxHistory {
		h, _ = Remember(h, settledAs(n, 500, 5))
	}
	rules := standardRules(t)
	alarms := 0
	for n := MaxHistory; n < 4*MaxHistory; n++ {
		own := settledAs(n, 500, 250)
		own.Submission = fmt.Sprintf("t%03d", n)
		_, entry := Check(own.QualityCounts, own.Fields, h.Submissions, rules)
		alarms += len(entry.Breached)
		h, _ = Remember(h, entry)
	}
	require.Equal(t, MaxHistory, alarms, "then nothing is left to compare with, and what there is now is the usual")
}

// TestFalseAlarms: where the true share is within what is allowed, at most one submission in a hundred is said to be in breach,
// however small: added up over all counts that may be found, not sampled.
func TestFalseAlarms(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 600).Draw(t, "n")
		allowed := float64(rapid.IntRange(0, 100).Draw(t, "allowed")) / 100
		share := allowed * rapid.Float64Range(0, 1).Draw(t, "share")
		rules := Rules{MinRecords: 1, MaxEmpty: allowed, MaxInvalid: 1, MaxDuplicates: 1, MaxMissingRise: 1}
		breach := func(k int) bool {
			checks, _ := Check(collection.QualityCounts{Records: n, Completed: n - k, Stored: n - k, Empty: k}, nil, nil, rules)
			return checks[1].Result == collection.QualityBreach
		}
		// The more, the worse: the chance of a breach is that of the first count that is one, or more.
		first := 0
		for first <= n && !breach(first) {
			first++
		}
		for k := first; k <= n; k += 1 + n/20 {
			if !breach(k) {
				t.Fatalf("%d of %d is a breach, and %d is none", first, n, k)
			}
		}
		if chance := tail(first, n, share); chance > alarm {
			t.Fatalf("%g of %d are found to be more than %g with probability %g", share, n, allowed, chance)
		}
	})
}

// draws is how many of n have what each has with probability p.
func draws(r *rand.Rand, n int, p float64) int {
	k := 0
	for range n {
		if r.Float64() < p {
			k++
		}
	}
	return k
}

// rate is how often something happens.
func rate(times int, happens func() bool) float64 {
	n := 0
	for range times {
		if happens() {
			n++
		}
	}
	return float64(n) / float64(times)
}

// TestFalseAlarmsOfRises: a source whose share has not risen by more than what is allowed, whatever is known of it.
func TestFalseAlarmsOfRises(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		submissions, size, n int
		before, now          float64
	}{
		{1, 20, 20, 0.05, 0.15}, {3, 50, 40, 0.01, 0.11}, {50, 500, 500, 0.2, 0.3}, {10, 100, 5000, 0.5, 0.6}, {50, 20, 100, 0, 0.1},
	} {
		rules := standardRules(t)
		got := rate(2000, func() bool {
			var history []collection.QualityEntry
			for n := range c.submissions {
				history = append(history, settledAs(n, c.size, draws(r, c.size, c.before)))
			}
			return riseOf(settledAs(90, c.n, draws(r, c.n, c.now)), history, rules) == collection.QualityBreach
		})
		t.Logf("%+v: %.2f%% false alarms", c, 100*got)
		require.LessOrEqual(t, got, 0.01, "%+v", c)
	}
}

// TestDoubledShareIsFound: twice of what is allowed, in 500 records.
func TestDoubledShareIsFound(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, c := range []struct{ allowed, least float64 }{{0.02, 0.5}, {0.05, 0.95}, {0.1, 0.99}, {0.2, 0.99}} {
		rules := standardRules(t)
		rules.MaxEmpty = c.allowed
		got := rate(1000, func() bool {
			k := draws(r, 500, 2*c.allowed)
			checks, _ := Check(collection.QualityCounts{Records: 500, Completed: 500 - k, Stored: 500 - k, Empty: k}, nil, nil, rules)
			return checks[1].Result == collection.QualityBreach
		})
		t.Logf("%g allowed, twice as much found: %.1f%%", c.allowed, 100*got)
		require.GreaterOrEqual(t, got, c.least, "%g", c.allowed)
	}
}

// TestDoubledMissingIsFound: a field that was missing in 20% and is missing in 40% of 500 documents.
func TestDoubledMissingIsFound(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for _, submissions := range []int{1, 5, 50} {
		got := rate(500, func() bool {
			var history []collection.QualityEntry
			for n := range submissions {
				history = append(history, settledAs(n, 500, draws(r, 500, 0.2)))
			}
			return riseOf(settledAs(90, 500, draws(r, 500, 0.4)), history, standardRules(t)) == collection.QualityBreach
		})
		t.Logf("20%% to 40%%, %d submissions before: found %.1f%%", submissions, 100*got)
		require.GreaterOrEqual(t, got, map[int]float64{1: 0.2, 5: 0.7, 50: 0.8}[submissions])
	}
}
