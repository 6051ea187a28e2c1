package collection

import "time"

// BatchInput starts a Batch workflow.
type BatchInput struct {
	Submission string       `json:"submission"`
	Customer   string       `json:"customer"`
	Source     string       `json:"source"`
	Number     int          `json:"number"`
	Records    int          `json:"records"`
	AcceptedAt time.Time    `json:"accepted_at"`
	Policy     SourcePolicy `json:"policy"`
	// ProgressStep is how many records must have moved before the batch reports again: it keeps the submission's
	// history short whatever the size of the submission.
	ProgressStep int `json:"progress_step"`
	// Replay is the number of the replay whose batch this is; zero for a batch of the submission itself.
	Replay int `json:"replay,omitempty"`
}

// BatchProgress tells the submission where a batch stands. Its numbers are absolute, so that a lost or repeated
// signal does no harm.
type BatchProgress struct {
	Source   string `json:"source"`
	Number   int    `json:"number"`
	Released int    `json:"released"`
	Outcomes Tally  `json:"outcomes"`
}

// BatchResult is what a Batch workflow returns, once its ledger part is stored.
type BatchResult struct {
	Outcomes Tally `json:"outcomes"`
	// Ledger is the object key of the batch's ledger part.
	Ledger string `json:"ledger"`
}

// BatchStatus answers the status query of a Batch workflow.
type BatchStatus struct {
	Submission string `json:"submission"`
	Source     string `json:"source"`
	Number     int    `json:"number"`
	Records    int    `json:"records"`
	Released   int    `json:"released"`
	InWindow   int    `json:"in_window"`
	Outcomes   Tally  `json:"outcomes"`
}

// LoadBatchInput asks for the records of one batch.
type LoadBatchInput struct {
	Submission string `json:"submission"`
	Source     string `json:"source"`
	Number     int    `json:"number"`
}

// LoadBatchResult is the content of a batch, large records as references.
type LoadBatchResult struct {
	Records []Record `json:"records"`
}

// WriteLedgerInput asks for a batch's ledger part to be stored.
type WriteLedgerInput struct {
	Submission string      `json:"submission"`
	Source     string      `json:"source"`
	Number     int         `json:"number"`
	Rows       []LedgerRow `json:"rows"`
	// Part says that these are some of the batch's rows, which all together are too large for one call. Rows are added to those
	// that stand in either case; an earlier version replaced the whole part of the ledger unless this was said.
	Part bool `json:"part,omitempty"`
}

// WriteLedgerResult names the stored ledger part.
type WriteLedgerResult struct {
	Ledger string `json:"ledger"`
}

// LedgerRow is how one record ended. The ledger outlives workers and Temporal's retention, and so is the lasting answer
// to "where is this record?".
type LedgerRow struct {
	Line   int    `json:"line"`
	Key    string `json:"key"`
	Source string `json:"source"`
	// AsOf is when the engine was told to have this written: its own clock, and the same for every attempt to write it. Of two
	// rows of a record the later one is the newer word, whichever arrives first. Nil in what an earlier version has written.
	AsOf *time.Time `json:"as_of,omitempty"`
	RecordResult
}
