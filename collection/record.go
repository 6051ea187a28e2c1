package collection

import (
	"encoding/json"
	"time"
)

// Record is the unit of work and of retry: one target.
type Record struct {
	// ID is RecordID of the source and the key.
	ID string `json:"id"`
	// Line is where the record stands in the submitted file, from 1.
	Line int `json:"line"`
	// Key is the caller's own key, else the normalised URL, else the canonical JSON of the fields. In a record that is
	// passed by reference it is cut to MaxKeyShown bytes.
	Key string `json:"key"`
	// URL is the one to request, exactly as it was written. Empty where the source builds it from the fields.
	URL string `json:"url,omitempty"`
	// Fields are the other columns of the row, an object.
	Fields json.RawMessage `json:"fields,omitempty"`
	// Stored is where the whole record is, when it is too large to be passed by value; URL and Fields are then empty.
	Stored *ObjectRange `json:"stored,omitempty"`
}

// Sizes of what is passed by value in a history; more goes through the store.
const (
	// MaxRecordInline bounds a record: 500 of them stay under Temporal's limit of 2 MiB for one result.
	MaxRecordInline = 2 << 10
	// MaxDocumentInline bounds a parsed document.
	MaxDocumentInline = 4 << 10
	// MaxKeyShown bounds the key of a record that is passed by reference, and keys in messages.
	MaxKeyShown = 200
	// MaxDetail bounds the text that explains an outcome, in bytes.
	MaxDetail = 400
	// MaxTrail bounds the attempts in a record's trail: those of 500 records go into one ledger part by one activity.
	MaxTrail = 8
	// MaxMissing bounds the names of missing fields that are kept with a record.
	MaxMissing = 20
)

// ObjectRange is a part of an object in weir's bucket. Length zero means the whole object.
type ObjectRange struct {
	Key    string `json:"key"`
	Offset int64  `json:"offset,omitempty"`
	Length int64  `json:"length,omitempty"`
}

// RecordInput starts a Record workflow.
type RecordInput struct {
	Submission string       `json:"submission"`
	Customer   string       `json:"customer"`
	Source     string       `json:"source"`
	Batch      int          `json:"batch"`
	AcceptedAt time.Time    `json:"accepted_at"`
	Record     Record       `json:"record"`
	Policy     SourcePolicy `json:"policy"`
	// Replay is set when the record has failed before and is run again.
	Replay *RecordReplay `json:"replay,omitempty"`
}

// RecordResult is how a record ended: the result of its workflow, or the details of the workflow's failure when the
// record was dead-lettered.
type RecordResult struct {
	Record  string  `json:"record"`
	Outcome Outcome `json:"outcome"`
	Reason  Reason  `json:"reason,omitempty"`
	// Detail is one sentence for a person, at most MaxDetail bytes.
	Detail string `json:"detail,omitempty"`
	// Attempts is how many requests were made for the record.
	Attempts int `json:"attempts"`
	// FirstRequestAt is when the first request for the record started: the end of its start wait.
	FirstRequestAt *time.Time `json:"first_request_at,omitempty"`
	Raw            *Raw       `json:"raw,omitempty"`
	Delivered      *Delivered `json:"delivered,omitempty"`
	// Lost is a delivery that a settlement did not find any more as it had been verified; the record is a dead letter since.
	Lost *Delivered `json:"lost,omitempty"`
	// Trail is how its collecting went.
	Trail *Trail `json:"trail,omitempty"`
	// Missing are the fields that its rules have and its document has not, at most MaxMissing.
	Missing []string `json:"missing,omitempty"`
}

// Raw is a captured response: a reference to its bytes, kept so that parsing can be run again without fetching again.
type Raw struct {
	// Key of the object with the body as it was received, after content decoding.
	Key    string `json:"key"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	// URL is where the body came from, after redirects.
	URL         string    `json:"url"`
	Status      int       `json:"status"`
	ContentType string    `json:"content_type,omitempty"`
	FetchedAt   time.Time `json:"fetched_at"`
	// Method is the source's fetch method that brought it, Egress the egress; both empty where there was no choice.
	Method string `json:"method,omitempty"`
	Egress string `json:"egress,omitempty"`
	// NotModifiedAt is when the target last said that these bytes still stand; FetchedAt is when they came.
	NotModifiedAt *time.Time `json:"not_modified_at,omitempty"`
}

// RawMeta is stored beside a captured body, so that it can be parsed again without any engine.
type RawMeta struct {
	Raw
	Source   string            `json:"source"`
	Record   Record            `json:"record"`
	Header   map[string]string `json:"header,omitempty"`
	Duration Duration          `json:"duration"`
}

// Seen is what a target said of a record's bytes, so that the next request can ask for what has changed since.
type Seen struct {
	ETag         string `json:"etag,omitempty"`
	LastModified string `json:"last_modified,omitempty"`
	// URL is what was requested: another URL has other bytes.
	URL string `json:"url"`
	// Request is a digest of what else the answer hangs on: method, headers, body, and which secrets. Without one, what was
	// said is not used again.
	Request string `json:"request,omitempty"`
	Raw     Raw    `json:"raw"`
}

// Delivered is a record's object in weir's bucket.
type Delivered struct {
	Key    string `json:"key"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	// Generation counts the different contents that the object has had, from 1.
	Generation int `json:"generation"`
	// VerifiedAt is when the store itself confirmed size and checksum.
	VerifiedAt time.Time `json:"verified_at"`
}

// Is says whether two tell of the same delivery of an object, and not of one before or after it.
func (d Delivered) Is(other Delivered) bool {
	return d.Key == other.Key && d.SHA256 == other.SHA256 && d.Generation == other.Generation && d.VerifiedAt.Equal(other.VerifiedAt)
}

// RecordStatus answers the status query of a Record workflow.
type RecordStatus struct {
	Submission string `json:"submission"`
	Record     string `json:"record"`
	Source     string `json:"source"`
	// Stage is "collect", "parse" or "deliver"; empty once the record has ended.
	Stage  string        `json:"stage,omitempty"`
	Raw    *Raw          `json:"raw,omitempty"`
	Result *RecordResult `json:"result,omitempty"`
}

// Document is a parsed record on its way to delivery, by value or by reference.
type Document struct {
	Inline json.RawMessage `json:"inline,omitempty"`
	Stored *ObjectRange    `json:"stored,omitempty"`
	SHA256 string          `json:"sha256"`
	Size   int64           `json:"size"`
}
