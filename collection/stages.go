package collection

import "time"

// CollectInput asks for one record's response.
type CollectInput struct {
	Submission string    `json:"submission"`
	Customer   string    `json:"customer"`
	Source     string    `json:"source"`
	AcceptedAt time.Time `json:"accepted_at"`
	Record     Record    `json:"record"`
	// Again says that a request for the record was made before, by a run that this one replays: its start wait is over.
	Again bool `json:"again,omitempty"`
}

// CollectResult is either a captured response or an outcome: a fact about the target that ends the record.
type CollectResult struct {
	Raw *Raw `json:"raw,omitempty"`
	// Outcome is set when the record ends here: gone or refused.
	Outcome Outcome `json:"outcome,omitempty"`
	Reason  Reason  `json:"reason,omitempty"`
	Detail  string  `json:"detail,omitempty"`
	// Attempts is how many requests were made, over all attempts of the activity.
	Attempts       int        `json:"attempts"`
	FirstRequestAt *time.Time `json:"first_request_at,omitempty"`
	Trail          *Trail     `json:"trail,omitempty"`
}

// AttemptProgress travels in heartbeats from one attempt of an activity to the next. Temporal's own attempt counter counts
// everything, waits and lost workers included; these counters keep apart what the target is charged with.
type AttemptProgress struct {
	// Ended is how many attempts came to their own end. An attempt that finds fewer than came before it knows that the
	// others lost their worker.
	Ended int `json:"ended"`
	// Requests is how many requests were started, and Faults how many of them the target is charged with.
	Requests int `json:"requests,omitempty"`
	Faults   int `json:"faults,omitempty"`
	// Reason is what the latest request met, and InARow how many requests in a row met the same.
	Reason Reason `json:"reason,omitempty"`
	InARow int    `json:"in_a_row,omitempty"`
	// FirstRequestAt is when the first request started.
	FirstRequestAt *time.Time `json:"first_request_at,omitempty"`
	// Waiting says what the attempt waits for now: "permit", "memory", "store", "alone" (to be the only one in its process), or nothing.
	Waiting string `json:"waiting,omitempty"`
	// Trail is how the attempts before went, in the heartbeats of Collect; BadEgress is the egress that failed last.
	Trail     *Trail `json:"trail,omitempty"`
	BadEgress string `json:"bad_egress,omitempty"`
	// Unstored is how many attempts have ended because what was fetched could not be stored, or the record not be read.
	Unstored int `json:"unstored,omitempty"`
	// EndedAt is when the latest attempt that came to its own end did so, Delay how long the next was to wait from then,
	// in milliseconds.
	EndedAt *time.Time `json:"ended_at,omitempty"`
	Delay   int64      `json:"delay_ms,omitempty"`
	// Settle is how far Settle came, in the heartbeats of that activity.
	Settle *SettleProgress `json:"settle,omitempty"`
	// Ship is how far Ship came, in the heartbeats of that activity.
	Ship *ShipProgress `json:"ship,omitempty"`
}

// ParseInput asks for a response to be turned into a document.
type ParseInput struct {
	Submission string `json:"submission"`
	Customer   string `json:"customer"`
	Source     string `json:"source"`
	Record     Record `json:"record"`
	Raw        Raw    `json:"raw"`
}

// ParseResult is the parsed document.
type ParseResult struct {
	Document Document `json:"document"`
	// Missing are the fields that the rules have and the document has not, at most MaxMissing.
	Missing []string `json:"missing,omitempty"`
}

// DeliverInput asks for a document to be stored at the customer's destination.
type DeliverInput struct {
	Submission string    `json:"submission"`
	Customer   string    `json:"customer"`
	Source     string    `json:"source"`
	AcceptedAt time.Time `json:"accepted_at"`
	RecordID   string    `json:"record_id"`
	Document   Document  `json:"document"`
}

// DeliverResult is the proof of delivery.
type DeliverResult struct {
	Delivered Delivered `json:"delivered"`
}

// AttemptFailure is the detail of an activity's error: what a workflow must know of a failure besides its reason.
type AttemptFailure struct {
	Detail         string     `json:"detail"`
	Attempts       int        `json:"attempts"`
	FirstRequestAt *time.Time `json:"first_request_at,omitempty"`
	Trail          *Trail     `json:"trail,omitempty"`
}

// FindInput asks for the result of a workflow that was started before: by an earlier run of the same submission.
type FindInput struct {
	WorkflowID string `json:"workflow_id"`
}

// SettleInput asks for a submission to be reconciled and its delivery to be completed.
type SettleInput struct {
	Submission string `json:"submission"`
	Customer   string `json:"customer"`
	// Cancelled says that somebody stopped the submission.
	Cancelled bool `json:"cancelled,omitempty"`
}

// SettleResult is the same as the submission's result: Settle has the last word.
type SettleResult = SubmissionResult

// SettleProgress travels in heartbeats from one attempt of Settle to the next: which parts of the results are written.
type SettleProgress struct {
	Files []ManifestFile `json:"files,omitempty"`
	// Delivered is how many delivered rows of the ledger these files hold or, for lost ones, have passed over.
	Delivered int `json:"delivered,omitempty"`
	// Lost are the delivered rows whose object was not there or not the same.
	Lost []LostDelivery `json:"lost,omitempty"`
	// Read is a digest of those delivered rows, in their order: who reads others must begin anew. Empty in what an earlier
	// version has told, which nobody can go on behind.
	Read string `json:"read,omitempty"`
	// Packed is a digest of the records that the files hold, in their order.
	Packed string `json:"packed,omitempty"`
}

// LostDelivery is a delivered record whose object Settle did not find as it was delivered.
type LostDelivery struct {
	Record string `json:"record"`
	Reason Reason `json:"reason"`
	Detail string `json:"detail"`
}
