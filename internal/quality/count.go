package quality

import (
	"slices"
	"strings"
	"time"

	"github.com/weir-collect/weir/collection"
)

// Counter counts the rows of one submission by source.
type Counter struct {
	submission string
	acceptedAt time.Time
	sources    map[string]*collection.QualityCounts
}

// NewCounter counts the rows of a submission.
func NewCounter(submission string, acceptedAt time.Time) *Counter {
	return &Counter{submission: submission, acceptedAt: acceptedAt.UTC(), sources: map[string]*collection.QualityCounts{}}
}

func (c *Counter) of(source string) *collection.QualityCounts {
	counts, ok := c.sources[source]
	if !ok {
		counts = &collection.QualityCounts{
			Source: source, Submission: c.submission, AcceptedAt: c.acceptedAt, Missing: map[string]int{},
		}
		c.sources[source] = counts
	}
	return counts
}

// Rejected counts a row that became no record. Only those that repeat a record of a source are counted.
func (c *Counter) Rejected(row collection.FailureRow) {
	if row.Outcome == collection.OutcomeDuplicate && row.Source != "" {
		c.of(row.Source).Duplicates++
	}
}

// Record counts a record as the ledger has it; one that is delivered counts as stored.
func (c *Counter) Record(row collection.LedgerRow) {
	counts := c.of(row.Source)
	counts.Records++
	if row.Outcome == collection.OutcomeDelivered {
		counts.Completed++
		c.store(row, 1)
		return
	}
	switch row.Reason {
	case collection.ReasonParseEmpty:
		counts.Empty++
	case collection.ReasonParseInvalid, collection.ReasonSchemaViolation, collection.ReasonDecodeError:
		counts.Invalid++
	}
}

// Lost takes back that a record is stored: it was counted as delivered, and its document is not there.
func (c *Counter) Lost(row collection.LedgerRow) { c.store(row, -1) }

func (c *Counter) store(row collection.LedgerRow, n int) {
	counts := c.of(row.Source)
	counts.Stored += n
	for i, field := range row.Missing {
		if slices.Contains(row.Missing[:i], field) {
			continue
		}
		if counts.Missing[field] += n; counts.Missing[field] == 0 {
			delete(counts.Missing, field)
		}
	}
}

// Counts are the counts of every source that has records, by name.
func (c *Counter) Counts() []collection.QualityCounts {
	all := []collection.QualityCounts{}
	for _, counts := range c.sources {
		if counts.Records == 0 {
			continue
		}
		row := *counts
		if len(row.Missing) == 0 {
			row.Missing = nil // as it is read back
		}
		all = append(all, row)
	}
	slices.SortFunc(all, func(a, b collection.QualityCounts) int { return strings.Compare(a.Source, b.Source) })
	return all
}
