package collection

import "time"

// PlanInput asks the Plan activity to turn a submission's rows into batches.
type PlanInput struct {
	Submission string          `json:"submission"`
	Request    SubmissionInput `json:"request"`
	AcceptedAt time.Time       `json:"accepted_at"`
}

// PlanResult is the plan: what was found in the submitted rows, and what the configuration said at that time about the
// customer and the sources. It is also the content of plan.json. Expected = Accepted + Invalid + Duplicates.
type PlanResult struct {
	Submission string    `json:"submission"`
	Customer   string    `json:"customer"`
	AcceptedAt time.Time `json:"accepted_at"`
	Expected   int       `json:"expected"`
	Accepted   int       `json:"accepted"`
	// Rejected counts the rows that did not become records, by reason.
	Rejected Tally `json:"rejected,omitempty"`
	// RejectedParts is how many objects hold those rows.
	RejectedParts int          `json:"rejected_parts,omitempty"`
	Sources       []SourcePlan `json:"sources"`
	// Lane is the granted lane, and Weight the customer's share by contract: the fairness weight.
	Lane   Lane    `json:"lane"`
	Weight float32 `json:"weight"`
	// Notes tell what was decided otherwise than asked.
	Notes []string `json:"notes,omitempty"`
	// Layout is how the results are to be written, where the customer has a layout of its own.
	Layout *PlannedLayout `json:"layout,omitempty"`
	// Ship says that the customer has a destination, to which the delivery is shipped once it is settled.
	Ship bool `json:"ship,omitempty"`
	// Tolerate is how many rows the submission may lose.
	Tolerate *Tolerance `json:"tolerate,omitempty"`
	// Content is what the rows came from: another submission cannot pass for this one under its id. Plans of before lack it.
	Content *Content `json:"content,omitempty"`
}

// SourcePlan is one source's share of a plan, in batches numbered from 1.
type SourcePlan struct {
	Source  string       `json:"source"`
	Records int          `json:"records"`
	Batches []BatchPlan  `json:"batches"`
	Policy  SourcePolicy `json:"policy"`
}

// BatchPlan names one batch: its number within the source, and how many records its object holds.
type BatchPlan struct {
	Number  int `json:"number"`
	Records int `json:"records"`
}

// SourcePolicy is what workflows must know of a source. It is fixed when a submission is planned, since workflow code
// cannot read a configuration; what activities need they look up on their worker when they run.
type SourcePolicy struct {
	// Window is how many records of one batch may be released and unfinished at a time.
	Window int `json:"window"`
	// HeartbeatTimeout is the silence after which a collecting worker counts as lost.
	HeartbeatTimeout Duration `json:"heartbeat_timeout"`
	// GiveUpAfter bounds the whole time of one record's collecting, waits included.
	GiveUpAfter Duration `json:"give_up_after"`
}
