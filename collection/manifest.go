package collection

import "time"

// ManifestVersion is the version of the manifest's form; fields are only ever added within one version.
const ManifestVersion = 1

// Manifest says what is in a delivery, with counts and checksums, so that a customer can check it.
type Manifest struct {
	Version int `json:"version"`
	// Generation counts the manifests of the submission, which a replay makes more of; left out for the first.
	Generation int       `json:"generation,omitempty"`
	Submission string    `json:"submission"`
	Customer   string    `json:"customer"`
	State      State     `json:"state"`
	AcceptedAt time.Time `json:"accepted_at"`
	// Expected is the number of rows submitted; Outcomes add up to it.
	Expected int              `json:"expected"`
	Outcomes Tally            `json:"outcomes"`
	Sources  []SourceOutcomes `json:"sources"`
	Files    []ManifestFile   `json:"files"`
	// Checks say whether what was collected looks as it should, source by source; Breaches counts those that say no. They
	// change nothing of the state.
	Checks   []QualityCheck `json:"checks,omitempty"`
	Breaches int            `json:"breaches,omitempty"`
	// Tolerance says whether the submission has lost no more rows than it may; left out where none was given.
	Tolerance *ToleranceVerdict `json:"tolerance,omitempty"`
}

// IsOf says whether it is the manifest of the submission that a plan is of, and not of one before under the same id: ids may
// be used again once a plan has expired, and results may be kept for longer.
func (m Manifest) IsOf(plan PlanResult) bool {
	return m.Submission == plan.Submission && m.AcceptedAt.Equal(plan.AcceptedAt)
}

// SourceOutcomes counts one source's records by outcome and reason.
type SourceOutcomes struct {
	Source   string `json:"source"`
	Expected int    `json:"expected"`
	Outcomes Tally  `json:"outcomes"`
}

// ManifestFile is one file of a delivery.
type ManifestFile struct {
	// Key is the object key in the bucket; Name is the file's name within the delivery.
	Key     string `json:"key"`
	Name    string `json:"name"`
	Size    int64  `json:"size"`
	Records int    `json:"records"`
	SHA256  string `json:"sha256"`
	// VerifiedAt is when the store itself confirmed size and checksum.
	VerifiedAt time.Time `json:"verified_at"`
}

// FailureRow is one line of failures.jsonl: a submitted row that was not delivered.
type FailureRow struct {
	Line     int     `json:"line"`
	Key      string  `json:"key,omitempty"`
	Source   string  `json:"source,omitempty"`
	Record   string  `json:"record,omitempty"`
	Outcome  Outcome `json:"outcome"`
	Reason   Reason  `json:"reason,omitempty"`
	Attempts int     `json:"attempts"`
	Detail   string  `json:"detail,omitempty"`
}

// DeliveredDocument is one line of a results part, and the whole content of a record's object.
type DeliveredDocument struct {
	Record string `json:"record"`
	Key    string `json:"key"`
	Source string `json:"source"`
	// URL is where the content came from, after redirects.
	URL       string         `json:"url"`
	FetchedAt time.Time      `json:"fetched_at"`
	Fields    map[string]any `json:"fields"`
}
