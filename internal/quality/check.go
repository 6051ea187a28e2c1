package quality

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/weir-collect/weir/collection"
)

// alarm is how often a check may find a breach where the true share is the allowed one.
const alarm = 0.01

// spreads is how many standard deviations a share may vary between submissions, where that is more than the rules allow.
const spreads = 3

// Check holds the counts of one source against its rules and its recent submissions. fields are those that the source's rules
// have. The entry is what the history is to hold of the submission.
func Check(
	counts collection.QualityCounts, fields []string, history []collection.QualityEntry, rules Rules,
) ([]collection.QualityCheck, collection.QualityEntry) {
	c := &checker{counts: counts, rules: rules}
	parsed := counts.Completed + counts.Empty + counts.Invalid
	c.stored()
	c.share(collection.QualityEmpty, "", counts.Empty, parsed, rules.MaxEmpty, "responses held nothing that the rules look for")
	c.share(collection.QualityInvalid, "", counts.Invalid, parsed, rules.MaxInvalid, "responses made no valid document")
	c.share(collection.QualityDuplicates, "", counts.Duplicates, counts.Records+counts.Duplicates, rules.MaxDuplicates,
		"rows name a record that an earlier row names")
	for _, limit := range rules.MaxMissing {
		c.share(collection.QualityMissing, limit.Field, counts.Missing[limit.Field], counts.Stored, limit.Share,
			fmt.Sprintf("documents lack %q", limit.Field))
	}
	entry := collection.QualityEntry{QualityCounts: counts, Fields: slices.Clone(fields)}
	missing := slices.Sorted(maps.Keys(counts.Missing))
	for _, field := range missing {
		if c.rise(field, len(union(fields, missing)), history) {
			entry.Breached = append(entry.Breached, field)
		}
	}
	return c.checks, entry
}

func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// checker makes the checks of one source.
type checker struct {
	counts collection.QualityCounts
	rules  Rules
	checks []collection.QualityCheck
}

func (c *checker) add(check collection.QualityCheck) {
	check.Source = c.counts.Source
	check.Observed, check.Allowed = rounded(check.Observed), rounded(check.Allowed)
	c.checks = append(c.checks, check)
}

// stored has no tolerance: what is called delivered is there, or it is not.
func (c *checker) stored() {
	lost := c.counts.Completed - c.counts.Stored
	check := collection.QualityCheck{
		Check: collection.QualityStored, Result: collection.QualityOK, Observed: portion(lost, c.counts.Completed), Of: c.counts.Completed,
		Detail: fmt.Sprintf("%d of %d completed records have their document stored", c.counts.Stored, c.counts.Completed),
	}
	if lost != 0 {
		check.Result = collection.QualityBreach
		check.Detail = fmt.Sprintf("only %d of %d completed records have their document stored as it was delivered: see failures.jsonl",
			c.counts.Stored, c.counts.Completed)
	}
	c.add(check)
}

// share holds k of n against what is allowed.
func (c *checker) share(kind collection.QualityKind, field string, k, n int, allowed float64, what string) {
	check := collection.QualityCheck{
		Check: kind, Field: field, Result: collection.QualityOK, Observed: portion(k, n), Allowed: allowed, Of: n,
		Detail: fmt.Sprintf("%d of %d %s (%s); %s may", k, n, what, percent(portion(k, n)), percent(allowed)),
	}
	switch {
	case n < c.rules.MinRecords:
		check.Result = collection.QualityUnknown
		check.Detail = fmt.Sprintf("%d of %d %s: too few to judge, which takes %d", k, n, what, c.rules.MinRecords)
	case exceeds(k, n, allowed, alarm):
		check.Result = collection.QualityBreach
	case check.Observed > allowed:
		check.Detail += ", which chance may explain"
	}
	c.add(check)
}

// rise holds a field against the recent submissions, and says whether it is in breach. The chance of a false alarm is shared
// between all fields, and between the two things that may mislead: this submission and the reference.
func (c *checker) rise(field string, fields int, history []collection.QualityEntry) bool {
	k, n := c.counts.Missing[field], c.counts.Stored
	r := referenceFor(field, c.counts.Submission, history, c.rules.MinRecords)
	check := collection.QualityCheck{
		Check: collection.QualityMissingRise, Field: field, Result: collection.QualityOK, Observed: portion(k, n), Of: n,
	}
	lack := fmt.Sprintf("%d of %d documents lack %q (%s)", k, n, field, percent(portion(k, n)))
	if n < c.rules.MinRecords || r.of < c.rules.MinRecords {
		check.Result, check.Allowed = collection.QualityUnknown, 1
		check.Detail = fmt.Sprintf("%s, and recent submissions have %d documents to compare with: too few to judge, which takes %d of both",
			lack, r.of, c.rules.MinRecords)
		c.add(check)
		return false
	}
	slack := max(c.rules.MaxMissingRise, spreads*spread(r.shares))
	check.Allowed = min(r.share()+slack, 1)
	check.Detail = fmt.Sprintf("%s; %s did in recent submissions, and up to %s may", lack, percent(r.share()), percent(check.Allowed))
	part := alarm / float64(max(fields, 1)) / 2
	if exceeds(k, n, min(mostShare(r.missing, r.of, part)+slack, 1), part) {
		check.Result = collection.QualityBreach
	} else if check.Observed > check.Allowed {
		check.Detail += ", which chance may explain"
	}
	c.add(check)
	return check.Result == collection.QualityBreach
}

func portion(k, n int) float64 {
	if n == 0 {
		return 0
	}
	return float64(k) / float64(n)
}

// rounded keeps what a person can use of a share.
func rounded(share float64) float64 { return math.Round(share*1e6) / 1e6 }

func percent(share float64) string {
	return strconv.FormatFloat(math.Round(share*1e4)/1e2, 'f', -1, 64) + "%"
}
