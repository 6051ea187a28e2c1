package failure

import (
	"slices"

	"github.com/weir-collect/weir/collection"
)

// Fault is who or what is at fault.
type Fault string

// The faults.
const (
	FaultTarget   Fault = "target"
	FaultEgress   Fault = "egress"
	FaultPolicy   Fault = "policy"
	FaultParser   Fault = "parser"
	FaultInput    Fault = "input"
	FaultOperator Fault = "operator"
	FaultUs       Fault = "us"
)

// Wait is how to wait before another try.
type Wait string

// The ways to wait.
const (
	// WaitNone stands where there is no other try.
	WaitNone Wait = "none"
	// WaitSoon is a short wait the first time; if the trouble stays, it is backoff.
	WaitSoon Wait = "soon"
	// WaitConfirm is backoff, and at least ConfirmAfter: longer than name servers keep saying that there is no such name.
	WaitConfirm Wait = "confirm"
	// WaitBackoff grows from try to try, with jitter.
	WaitBackoff Wait = "backoff"
	// WaitRetryAfter is backoff, and longer where the target asks for it.
	WaitRetryAfter Wait = "retry_after"
)

// Severity says how much a record that ends so concerns whoever runs weir.
type Severity string

// The severities.
const (
	// SeverityNone is a fact, or somebody's wish: nothing is wrong.
	SeverityNone Severity = "none"
	// SeveritySEV3 is internal: worth a look when many records end so.
	SeveritySEV3 Severity = "sev3"
	// SeveritySEV2 means that a promise is at risk: look when a source's records begin to end so.
	SeveritySEV2 Severity = "sev2"
	// SeveritySEV1 means that a promise is broken or data may be wrong: look at once.
	SeveritySEV1 Severity = "sev1"
)

// Row is what follows from a reason.
type Row struct {
	Reason collection.Reason
	Fault  Fault
	// Retry says whether another try can help.
	Retry bool
	Wait  Wait
	// Charged says whether a try that met this counts against the attempts of the record's source. What says nothing
	// about the record itself is not charged: such tries go on, ever more slowly, until the source's give-up time.
	Charged bool
	// Tries is after how many tries in a row with this reason the record ends, however many attempts are left; zero means
	// that the attempts decide.
	Tries int
	// End is what becomes of a record that this reason ends.
	End      collection.Outcome
	Severity Severity
	// Explain says to a person what the reason means and what to do.
	Explain string
}

// Table is every reason's row, in the order of the vocabulary. The slice is the caller's.
func Table() []Row { return slices.Clone(table) }

// Lookup is the row of a reason. A reason that this version does not know is treated as internal; the empty reason,
// success, has the zero row.
func Lookup(reason collection.Reason) Row {
	if reason == "" {
		return Row{}
	}
	if row, ok := rows[reason]; ok {
		return row
	}
	return rows[collection.ReasonInternal]
}

// Known says whether this version has a row for the reason.
func Known(reason collection.Reason) bool {
	_, ok := rows[reason]
	return ok
}

// NonRetryable lists the reasons for which another try cannot help, in the order of the table: a retry policy's
// non-retryable error types.
func NonRetryable() []collection.Reason {
	var out []collection.Reason
	for _, row := range table {
		if !row.Retry {
			out = append(out, row.Reason)
		}
	}
	return out
}

var rows = index(table)

func index(table []Row) map[collection.Reason]Row {
	m := make(map[collection.Reason]Row, len(table))
	for _, row := range table {
		m[row.Reason] = row
	}
	return m
}
