package retention

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/collection"
)

var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

var ages = Ages{
	collection.ClassRaw: 7 * day, collection.ClassParsed: 7 * day, collection.ClassUploads: 30 * day,
	collection.ClassPlans: 100 * day, collection.ClassLedger: 90 * day, collection.ClassSeen: 7 * day, collection.ClassResults: 0,
}

func none(string) (bool, error) { return false, nil }

func TestDecide(t *testing.T) {
	t.Parallel()
	open := func(s string) (bool, error) { return s == "busy", nil }
	for _, c := range []struct {
		key  string
		age  time.Duration
		want Why
	}{
		{"raw/s1/0123456789abcdef0123/abc", 8 * day, Expired},
		{"raw/s1/0123456789abcdef0123/abc", 7 * day, Young},
		{"raw/busy/0123456789abcdef0123/abc", 800 * day, Open},
		{"raw/s1/r/abc.meta.json", 8 * day, Expired},
		{"uploads/acme/s1/f.csv", 31 * day, Expired},
		{"uploads/acme/busy/f.csv", 31 * day, Open},
		{"uploads/busy/s1/f.csv", 31 * day, Expired}, // a customer of that name
		{"plans/s1/plan.json", 99 * day, Young},
		{"plans/busy/books/00001.jsonl", 101 * day, Open},
		{"ledger/s1/end.json", 91 * day, Expired},
		{"seen/books/r.json", 8 * day, Expired},
		{"seen/books/r.json", day, Young},
		{"results/acme/s1/manifest.json", 10_000 * day, Forever},
		{"backups/of/somebody/else", 10_000 * day, Strange},
		{"raw/loose", 10_000 * day, Strange},
		{"raw/../x/y", 10_000 * day, Strange},
		{"uploads/acme/f.csv", 10_000 * day, Strange},
		{"uploads/Not A Name/s/f", 10_000 * day, Strange},
		{"", 10_000 * day, Strange},
	} {
		got, err := ages.Decide(c.key, now.Add(-c.age), now, open)
		require.NoError(t, err)
		require.Equal(t, c.want, got, "%s at %s", c.key, c.age)
	}
	got, err := ages.Decide("raw/s1/r/abc", time.Time{}, now, none)
	require.NoError(t, err)
	require.Equal(t, Young, got, "no age is no old age")
}

// TestDecideKeepsWhatCannotBeAsked: not knowing is no reason to delete.
func TestDecideKeepsWhatCannotBeAsked(t *testing.T) {
	t.Parallel()
	broken := errors.New("no answer")
	got, err := ages.Decide("raw/s1/r/abc", now.Add(-8*day), now, func(string) (bool, error) { return false, broken })
	require.ErrorIs(t, err, broken)
	require.Equal(t, Open, got)
}

// keys draws keys of every class and of none, of a few submissions.
func keys() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		s := rapid.SampledFrom([]string{"a", "b", "c.d", "e_f"}).Draw(t, "submission")
		form := rapid.SampledFrom([]string{
			"raw/%s/r/x", "raw/%s/r/x.meta.json", "parsed/%s/r/x.json", "plans/%s/plan.json", "plans/%s/books/00001.jsonl",
			"ledger/%s/books/00001.jsonl", "uploads/acme/%s/f.csv", "results/acme/%s/manifest.json", "seen/books/%s.json", "other/%s/x", "%s",
		}).Draw(t, "form")
		return fmt.Sprintf(form, s)
	})
}

// TestNothingOpenIsEverDeleted is the promise, for any ages and any set of open submissions.
func TestNothingOpenIsEverDeleted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		open := rapid.MapOf(rapid.SampledFrom([]string{"a", "b", "c.d", "e_f"}), rapid.Bool()).Draw(t, "open")
		drawn := Ages{}
		for _, c := range collection.ObjectClasses() {
			drawn[c] = time.Duration(rapid.Int64Range(0, 100).Draw(t, string(c))) * time.Hour
		}
		key := keys().Draw(t, "key")
		age := time.Duration(rapid.Int64Range(-100, 200).Draw(t, "age")) * time.Hour
		asked := 0
		why, err := drawn.Decide(key, now.Add(-age), now, func(s string) (bool, error) {
			asked++
			return open[s], nil
		})
		if err != nil {
			t.Fatal(err)
		}
		class, submission, ok := collection.SubmissionOfKey(key)
		switch {
		case why == Expired && !ok:
			t.Fatalf("%s is none of weir's, and goes", key)
		case why == Expired && submission != "" && open[submission]:
			t.Fatalf("%s is of an open submission, and goes", key)
		case why == Expired && (drawn[class] == 0 || age <= drawn[class]):
			t.Fatalf("%s goes at %s, kept for %s", key, age, drawn[class])
		case why != Expired && ok && drawn[class] > 0 && age > drawn[class] && !open[submission]:
			t.Fatalf("%s stays for ever: %s", key, why)
		case asked > 1 || asked == 1 && why != Open && why != Expired:
			t.Fatalf("%s: asked %d times for an object that is %s", key, asked, why)
		}
	})
}

func TestRules(t *testing.T) {
	t.Parallel()
	got := Ages{collection.ClassRaw: 25 * time.Hour, collection.ClassSeen: day, collection.ClassResults: 0}.Rules()
	require.Equal(t, []Rule{
		{Class: collection.ClassRaw, Prefix: "raw/", Days: 2},
		{Class: collection.ClassSeen, Prefix: "seen/", Days: 1},
	}, got, "whole days, and never early")
	rapid.Check(t, func(t *rapid.T) {
		age := time.Duration(rapid.Int64Range(1, int64(1000*day)).Draw(t, "age"))
		days := time.Duration(Ages{collection.ClassRaw: age}.Rules()[0].Days) * day
		if days < age || days-age >= day {
			t.Fatalf("%s becomes %s", age, days)
		}
	})
}

func TestUnsafe(t *testing.T) {
	t.Parallel()
	require.Empty(t, ages.Unsafe(day, 0))
	require.Empty(t, ages.Unsafe(day, 5*day))

	short := Ages{collection.ClassRaw: 4 * day, collection.ClassSeen: day, collection.ClassLedger: 90 * day}
	problems := short.Unsafe(day, 0)
	require.Len(t, problems, 1, "what is only seen is needed by nobody")
	require.Contains(t, problems[0], "retention.raw is 4 days")
	require.Contains(t, problems[0], "96 h")

	problems = ages.Unsafe(day, 8*day)
	require.Len(t, problems, 2, "raw and parsed")
	require.Contains(t, problems[0], "open for 192 h")
}

// TestUnsafeCountsTheShipping: what is shipped must be there for as long as a destination may fail to answer.
func TestUnsafeCountsTheShipping(t *testing.T) {
	t.Parallel()
	require.Equal(t, 2*day+Slack+7*day, Longest(day))
	for _, c := range []struct {
		class collection.ObjectClass
		days  int
		safe  bool
	}{
		{collection.ClassPlans, 11, false}, {collection.ClassPlans, 12, true},
		{collection.ClassLedger, 11, false}, {collection.ClassResults, 11, false}, {collection.ClassResults, 12, true},
		{collection.ClassStaged, 9, false}, {collection.ClassStaged, 10, true},
		{collection.ClassRaw, 4, false}, {collection.ClassRaw, 5, true}, {collection.ClassUploads, 5, true},
	} {
		problems := Ages{c.class: time.Duration(c.days) * day}.Unsafe(day, 0)
		require.Equal(t, c.safe, len(problems) == 0, "%s for %d days: %v", c.class, c.days, problems)
	}
}
