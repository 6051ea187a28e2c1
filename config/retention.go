package config

import (
	"fmt"
	"time"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/retention"
)

// Retention says how long each class of objects in the bucket is kept, from its last write; zero keeps it for ever. Whatever
// the age, the janitor deletes nothing that belongs to a submission that is open.
type Retention struct {
	// Uploads are the submitted files.
	Uploads time.Duration `mapstructure:"uploads"`
	// Raw are captured bodies: how long a record can be parsed again without asking its source.
	Raw time.Duration `mapstructure:"raw"`
	// Parsed are large documents on their way from one stage to the next.
	Parsed time.Duration `mapstructure:"parsed"`
	// Seen is what sources said of bytes when they were fetched last; of use only as long as Raw.
	Seen time.Duration `mapstructure:"seen"`
	// Staged are the documents that tables are made of.
	Staged time.Duration `mapstructure:"staged"`
	// Results are the deliveries.
	Results time.Duration `mapstructure:"results"`
	// Replays are the plans of replays.
	Replays time.Duration `mapstructure:"replays"`
	// Ledger is how each record ended: how long weir answers where a record is.
	Ledger time.Duration `mapstructure:"ledger"`
	// Plans are needed to find the ledger, and are written before it: they are to be kept longer.
	Plans time.Duration `mapstructure:"plans"`
}

// Bounds of the keys of retention.
const (
	// leastRetention leaves time between an upload and its submission, and to look at what went wrong.
	leastRetention = 24 * time.Hour
	mostRetention  = 20 * 366 * 24 * time.Hour
)

func retentionDefaults() map[string]any {
	const day = 24 * time.Hour
	return map[string]any{
		"retention.uploads": 30 * day,
		"retention.raw":     7 * day,
		"retention.parsed":  7 * day,
		"retention.seen":    7 * day,
		"retention.staged":  10 * day, // a destination may fail to answer for seven days
		"retention.results": time.Duration(0),
		"retention.replays": 90 * day,
		"retention.ledger":  90 * day,
		"retention.plans":   100 * day,
	}
}

// Ages are the ages by class.
func (r Retention) Ages() retention.Ages {
	return retention.Ages{
		collection.ClassUploads: r.Uploads, collection.ClassRaw: r.Raw, collection.ClassParsed: r.Parsed,
		collection.ClassSeen: r.Seen, collection.ClassStaged: r.Staged, collection.ClassResults: r.Results,
		collection.ClassReplays: r.Replays, collection.ClassLedger: r.Ledger, collection.ClassPlans: r.Plans,
	}
}

func (r Retention) check(p *problems) {
	for _, class := range collection.ObjectClasses() {
		if age := r.Ages()[class]; age != 0 {
			checkRange(p, "retention."+string(class), age, leastRetention, mostRetention)
		}
	}
	longer := func(key string, age time.Duration, why string) {
		if age != 0 && (r.Ledger == 0 || age < r.Ledger) {
			p.add("retention."+key, durationText(age), fmt.Sprintf(
				"use at least retention.ledger, %s, or 0 to keep it for ever: %s", keptText(r.Ledger), why))
		}
	}
	longer("plans", r.Plans, "the ledger is found by the plan")
	longer("results", r.Results, "the manifest tells how a submission ended")
}

func keptText(d time.Duration) string {
	if d == 0 {
		return "for ever"
	}
	return durationText(d)
}

// LongestGiveUp is the longest give_up_after of all sources.
func (c Config) LongestGiveUp() time.Duration {
	var longest time.Duration
	for _, s := range c.Sources {
		longest = max(longest, s.GiveUpAfter)
	}
	return longest
}
