package collection

// Outcome is how a row of a submission ended. A row has exactly one.
type Outcome string

// The outcomes. Append-only: they are stored in ledgers and manifests.
const (
	// OutcomeDelivered means that the record's document is stored in weir's bucket and was verified there.
	OutcomeDelivered Outcome = "delivered"
	// OutcomeGone means that the target does not exist; a fact, not a failure.
	OutcomeGone Outcome = "gone"
	// OutcomeRefused means that policy forbade the request, for instance robots.txt.
	OutcomeRefused Outcome = "refused"
	// OutcomeDeadLettered means that the record failed for good and waits for a person.
	OutcomeDeadLettered Outcome = "dead_lettered"
	// OutcomeCancelled means that somebody stopped the record, its batch or its submission before it ended.
	OutcomeCancelled Outcome = "cancelled"
	// OutcomeInvalid means that the row never became a record; its reason says why.
	OutcomeInvalid Outcome = "invalid"
	// OutcomeDuplicate means that an earlier row of the same submission names the same record.
	OutcomeDuplicate Outcome = "duplicate"
)

// Outcomes lists every outcome in the order in which people want to read them.
func Outcomes() []Outcome {
	return []Outcome{
		OutcomeDelivered, OutcomeGone, OutcomeRefused, OutcomeDeadLettered,
		OutcomeCancelled, OutcomeInvalid, OutcomeDuplicate,
	}
}

// State is where a submission stands.
type State string

// The states. A submission moves from accepted to processing and then to one of the last four.
const (
	StateAccepted   State = "accepted"
	StateProcessing State = "processing"
	// StateComplete means that every record ended delivered or gone, and that every count agrees.
	StateComplete State = "complete"
	// StatePartiallyFailed means that some rows were not delivered; each has a row with its reason.
	StatePartiallyFailed State = "partially_failed"
	StateCancelled       State = "cancelled"
	// StateFailed means that the submission could not be planned, and so nothing was collected; or that its delivery stands
	// in weir's bucket and has not reached the customer's own destination.
	StateFailed State = "failed"
)
