package retention

import (
	"fmt"
	"slices"
	"time"

	"github.com/weir-collect/weir/collection"
)

// day is the unit of lifecycle rules.
const day = 24 * time.Hour

// Slack is what an open submission may take beyond its longest record: planning, its batches one after another, settling.
const Slack = 48 * time.Hour

// Longest is how long a submission is expected to be open at most, for a store that cannot ask: twice the time after which
// its slowest record gives up, since that clock starts when the record is released, Slack, and the time for which a
// destination may fail to answer.
func Longest(giveUpAfter time.Duration) time.Duration {
	return collecting(giveUpAfter) + collection.ShipGiveUp
}

// collecting is how long a submission is expected to be open before it ships.
func collecting(giveUpAfter time.Duration) time.Duration { return 2*giveUpAfter + Slack }

// lasts is how long an open submission may need an object of a class after it was written, and what that is made of.
func lasts(c collection.ObjectClass, giveUpAfter time.Duration) (time.Duration, string) {
	switch c {
	case collection.ClassPlans, collection.ClassLedger, collection.ClassResults, collection.ClassReplays:
		return Longest(giveUpAfter), fmt.Sprintf("twice the longest give_up_after, %s, and %s of shipping", hours(Slack), hours(collection.ShipGiveUp))
	case collection.ClassStaged:
		return Slack + collection.ShipGiveUp, fmt.Sprintf("after it is written: %s, and %s of shipping", hours(Slack), hours(collection.ShipGiveUp))
	}
	return collecting(giveUpAfter), fmt.Sprintf("twice the longest give_up_after, and %s; shipping needs none of it", hours(Slack))
}

// Rule is a lifecycle rule: what is under Prefix goes after so many whole days.
type Rule struct {
	Class  collection.ObjectClass
	Prefix string
	Days   int
}

// Rules are the lifecycle rules of ages, in the order of the classes. A store counts in days, and nothing goes early.
func (a Ages) Rules() []Rule {
	var rules []Rule
	for _, c := range collection.ObjectClasses() {
		if age, ends := a.Of(c); ends {
			rules = append(rules, Rule{Class: c, Prefix: c.Prefix(), Days: int((age + day - 1) / day)})
		}
	}
	return rules
}

// Unsafe lists, as sentences, the classes whose lifecycle rule could delete what an open submission needs. oldest is how
// long the oldest open submission has been open, zero if there is none.
func (a Ages) Unsafe(giveUpAfter, oldest time.Duration) []string {
	var problems []string
	for _, r := range a.Rules() {
		if !needed(r.Class) {
			continue
		}
		age := time.Duration(r.Days) * day
		if least, made := lasts(r.Class, giveUpAfter); age <= least {
			problems = append(problems, fmt.Sprintf(
				"retention.%s is %d days as a lifecycle rule, and an open submission may need these objects for %s (%s): a store that deletes by age alone would take what it needs; raise it, or leave the class to the janitor",
				r.Class, r.Days, hours(least), made))
		}
		if oldest > 0 && age <= oldest+day {
			problems = append(problems, fmt.Sprintf(
				"the oldest open submission has been open for %s, and retention.%s is %d days as a lifecycle rule: wait for it to end, or raise the age",
				hours(oldest), r.Class, r.Days))
		}
	}
	return problems
}

// needed says whether an open submission reads objects of a class again.
func needed(c collection.ObjectClass) bool {
	return !slices.Contains([]collection.ObjectClass{collection.ClassSeen}, c)
}

func hours(d time.Duration) string { return fmt.Sprintf("%.0f h", d.Hours()) }
