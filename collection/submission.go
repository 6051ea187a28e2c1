package collection

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// MaxInlineBytes is how much JSON of records a submission may carry in itself; more travels as an uploaded file.
const MaxInlineBytes = 256 << 10

// SubmissionInput starts a Submission workflow, whose workflow id is the submission's id. It is plain JSON, so that any
// Temporal client can start one.
type SubmissionInput struct {
	// Customer is who submits; its name must stand in the configuration.
	Customer string `json:"customer"`
	// Upload is the object key of the submitted file in weir's bucket. Exactly one of Upload and Records is given.
	Upload string `json:"upload,omitempty"`
	// Format of the upload: "csv" or "jsonl"; empty means by the file's name and content.
	Format string `json:"format,omitempty"`
	// Records are the rows themselves, each a JSON object, at most MaxInlineBytes together.
	Records []json.RawMessage `json:"records,omitempty"`
	// Source is the source of rows that name none and whose URL belongs to none. Optional.
	Source string `json:"source,omitempty"`
	// Lane is the asked priority; empty means normal.
	Lane Lane `json:"lane,omitempty"`
	// Tolerate is how many rows may be lost; none when left out.
	Tolerate *Tolerance `json:"tolerate,omitempty"`
}

// Check reports everything that is wrong with the input by itself, without looking at any configuration.
func (in SubmissionInput) Check() error {
	var problems []error
	if err := CheckName("customer", in.Customer); err != nil {
		problems = append(problems, err)
	}
	if in.Source != "" {
		if err := CheckName("source", in.Source); err != nil {
			problems = append(problems, err)
		}
	}
	switch in.Format {
	case "", "csv", "jsonl":
	default:
		problems = append(problems, fmt.Errorf("format %q: use csv or jsonl", in.Format))
	}
	if err := in.Lane.Check(); err != nil {
		problems = append(problems, err)
	}
	if in.Tolerate != nil {
		if err := in.Tolerate.Check(); err != nil {
			problems = append(problems, err)
		}
	}
	if in.Upload == "" && len(in.Records) == 0 {
		problems = append(problems, errors.New("neither upload nor records is given: name an uploaded file or give the records"))
	}
	if in.Upload != "" && len(in.Records) > 0 {
		problems = append(problems, errors.New("both upload and records are given: use one"))
	}
	size := 0
	for _, r := range in.Records {
		size += len(r)
	}
	if size > MaxInlineBytes {
		problems = append(problems, fmt.Errorf("records hold %d bytes, more than %d: upload them as a file", size, MaxInlineBytes))
	}
	return errors.Join(problems...)
}

// SubmissionResult is what a Submission workflow returns.
type SubmissionResult struct {
	State State `json:"state"`
	// Expected is the number of rows submitted; Outcomes add up to it.
	Expected int   `json:"expected"`
	Outcomes Tally `json:"outcomes"`
	// Manifest is the object key of the manifest.
	Manifest string `json:"manifest"`
	// ManifestSHA256 is the hex digest of the manifest's bytes.
	ManifestSHA256 string `json:"manifest_sha256"`
	// Breaches are checks that were not met, at most MaxBreaches; the manifest has all of them.
	Breaches []QualityCheck `json:"breaches,omitempty"`
	// Tolerance is set where the submission has one.
	Tolerance *ToleranceVerdict `json:"tolerance,omitempty"`
}

// GoodEnough says that the submission is complete, or has lost no more than its tolerance allows.
func (r SubmissionResult) GoodEnough() bool {
	return r.State == StateComplete || r.State == StatePartiallyFailed && r.Tolerance != nil && r.Tolerance.Within
}

// SubmissionStatus answers the status query of a Submission workflow.
type SubmissionStatus struct {
	Submission string    `json:"submission"`
	Customer   string    `json:"customer"`
	State      State     `json:"state"`
	Lane       Lane      `json:"lane,omitempty"`
	AcceptedAt time.Time `json:"accepted_at"`
	// Stage is what the submission does now: "plan", "collect", "settle" or "ship"; empty once it has ended.
	Stage string `json:"stage,omitempty"`
	// Expected is zero until the plan stands.
	Expected int `json:"expected"`
	// Outcomes counts the rows that have ended. While batches run it may lag behind by a few seconds.
	Outcomes Tally            `json:"outcomes"`
	Sources  []SourceProgress `json:"sources,omitempty"`
	// Notes tell what was decided otherwise than asked, for instance another lane.
	Notes  []string          `json:"notes,omitempty"`
	Result *SubmissionResult `json:"result,omitempty"`
	// Reason and Detail say why a failed submission failed.
	Reason Reason `json:"reason,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Cancelled says who has asked it to stop. The workflow does not know it: whoever asks the engine adds it.
	Cancelled *CancelRequest `json:"cancelled,omitempty"`
}

// CancelRequest is somebody's wish that a submission stop.
type CancelRequest struct {
	// By is the process that asked, as the engine keeps it, and Reason what was given as the reason; both may be empty.
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at"`
	Reason string    `json:"reason,omitempty"`
}

// SourceProgress is one source's share of a submission.
type SourceProgress struct {
	Source  string `json:"source"`
	Records int    `json:"records"`
	// Released is how many records have been given to the collect queue so far.
	Released int   `json:"released"`
	Outcomes Tally `json:"outcomes"`
}
