package collection

import (
	"fmt"
	"time"
)

// QualityRules say what a settled submission may look like at a source. Shares are written as "5%" or as "0.05"; an empty
// one, and a zero MinRecords, mean the default.
type QualityRules struct {
	// MinRecords is how many records there must be before a share is judged.
	MinRecords int `mapstructure:"min_records"`
	// MaxEmpty is how many of the parsed responses may hold nothing that the rules look for.
	MaxEmpty string `mapstructure:"max_empty"`
	// MaxInvalid is how many of the parsed responses may be refused: by a required field, a type or a schema.
	MaxInvalid string `mapstructure:"max_invalid"`
	// MaxDuplicates is how many of the submitted rows may name a record that an earlier row names.
	MaxDuplicates string `mapstructure:"max_duplicates"`
	// MaxMissing bounds how many documents may lack a field.
	MaxMissing []FieldLimit `mapstructure:"max_missing"`
	// MaxMissingRise is by how many percentage points more documents may lack a field than in the source's recent submissions.
	MaxMissingRise string `mapstructure:"max_missing_rise"`
}

// FieldLimit bounds how many documents may lack one field.
type FieldLimit struct {
	Field string `mapstructure:"field"`
	Share string `mapstructure:"share"`
}

// QualityKind names what a submission is checked for. Append-only: it stands in manifests and metrics.
type QualityKind string

// The checks of a settled submission.
const (
	// QualityStored compares the records that were completed with the documents that are stored.
	QualityStored QualityKind = "stored"
	// QualityEmpty looks at responses in which the rules found nothing.
	QualityEmpty QualityKind = "empty"
	// QualityInvalid looks at responses whose documents were refused.
	QualityInvalid QualityKind = "invalid"
	// QualityDuplicates looks at rows that name a record twice.
	QualityDuplicates QualityKind = "duplicates"
	// QualityMissing holds one field against its limit.
	QualityMissing QualityKind = "missing"
	// QualityMissingRise holds one field against the source's recent submissions.
	QualityMissingRise QualityKind = "missing_rise"
)

// QualityVerdict is what came of a check. Append-only.
type QualityVerdict string

// The verdicts.
const (
	QualityOK     QualityVerdict = "ok"
	QualityBreach QualityVerdict = "breach"
	// QualityUnknown means that there is not enough data to judge.
	QualityUnknown QualityVerdict = "not_enough_data"
)

// QualityCheck is one check of one source's records in a submission.
type QualityCheck struct {
	Source string      `json:"source"`
	Check  QualityKind `json:"check"`
	// Field is the field of a check that concerns one.
	Field  string         `json:"field,omitempty"`
	Result QualityVerdict `json:"result"`
	// Observed and Allowed are shares, from 0 to 1; Of is how many observed ones there are a share of.
	Observed float64 `json:"observed"`
	Allowed  float64 `json:"allowed"`
	Of       int     `json:"of"`
	// Detail says it in one sentence.
	Detail string `json:"detail"`
}

// MaxBreaches bounds the breaches that travel with a submission's result; the manifest has all of them.
const MaxBreaches = 20

// Breaches are the breaches among some checks.
func Breaches(checks []QualityCheck) []QualityCheck {
	var found []QualityCheck
	for _, c := range checks {
		if c.Result == QualityBreach {
			found = append(found, c)
		}
	}
	return found
}

// BreachesShown are the breaches among some checks that travel with a submission's result.
func BreachesShown(checks []QualityCheck) []QualityCheck {
	found := Breaches(checks)
	return found[:min(len(found), MaxBreaches)]
}

// QualityCounts are the counts of one source's records in one submission.
type QualityCounts struct {
	Source     string    `json:"source"`
	Submission string    `json:"submission"`
	AcceptedAt time.Time `json:"accepted_at"`
	// Records is how many records the source has, and Duplicates how many rows named one of them again.
	Records    int `json:"records"`
	Duplicates int `json:"duplicates,omitempty"`
	// Completed is how many records the ledger calls delivered, and Stored how many of their documents are there.
	Completed int `json:"completed"`
	Stored    int `json:"stored"`
	// Empty and Invalid are the records that ended in the parser.
	Empty   int `json:"empty,omitempty"`
	Invalid int `json:"invalid,omitempty"`
	// Missing is how many stored documents lack a field, by its name.
	Missing map[string]int `json:"missing,omitempty"`
}

// QualityEntry is one submission in the history of a source.
type QualityEntry struct {
	QualityCounts
	// Fields are the fields that the source's rules had when the submission was settled.
	Fields []string `json:"fields,omitempty"`
	// Breached are the fields that were missing more often than before: later submissions are not held against these.
	Breached []string `json:"breached,omitempty"`
}

// QualityHistory are the counts of the latest submissions of a source, the oldest first.
type QualityHistory struct {
	Source      string         `json:"source"`
	Submissions []QualityEntry `json:"submissions"`
}

// QualityReport is what the checks of a submission have found. It is written once for the same counts, so that settling
// again, after whatever other submissions, says the same.
type QualityReport struct {
	Submission string         `json:"submission"`
	Entries    []QualityEntry `json:"entries"`
	Checks     []QualityCheck `json:"checks"`
}

// QualityHistoryKey is the history of a source's submissions: a QualityHistory as JSON. It belongs to no submission, holds a
// bounded number of them, and is kept.
func QualityHistoryKey(source string) string { return fmt.Sprintf("checks/%s/history.json", source) }

// qualityDigest is how many hex digits of the counts' SHA-256 name a report: a submission has a handful of reports at most.
const qualityDigest = 16

// QualityReportKey is the report of a submission's checks on counts of that SHA-256: a QualityReport as JSON.
func QualityReportKey(submission, sha256 string) string {
	return fmt.Sprintf("ledger/%s/checks-%s.json", submission, sha256[:min(qualityDigest, len(sha256))])
}
