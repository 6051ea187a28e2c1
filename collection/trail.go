package collection

import (
	"slices"
	"time"
)

// Trail is how a record's collecting went, for whoever asks why: which robots rule let it pass, and each attempt with
// its waits, its egress and what it met.
type Trail struct {
	Robots   *RobotsDecision `json:"robots,omitempty"`
	Attempts []AttemptLine   `json:"attempts,omitempty"`
	// Omitted is how many attempts were left out, after the first half of those that are kept.
	Omitted int `json:"omitted,omitempty"`
}

// RobotsDecision is what a robots.txt says of a record's URL.
type RobotsDecision struct {
	Allowed bool `json:"allowed"`
	// Rule is the line that decided, as it stands in the file; empty when no line did.
	Rule string `json:"rule,omitempty"`
	// Line is where it stands, from 1.
	Line int `json:"line,omitempty"`
	// Why says what decided where no line did: "no rule", "no robots.txt", "ignored", "unreachable".
	Why string `json:"why,omitempty"`
	// FetchedAt is when the robots.txt was fetched.
	FetchedAt *time.Time `json:"fetched_at,omitempty"`
}

// AttemptLine is one attempt to collect a record. Its durations are in milliseconds.
type AttemptLine struct {
	// At is when its request started, or when it ended without one.
	At time.Time `json:"at"`
	// Queue is how long it lay in the task queue, Backoff how long it was kept from it on purpose.
	Queue   int64 `json:"queue_ms,omitempty"`
	Backoff int64 `json:"backoff_ms,omitempty"`
	// Permit is how long it waited for a permit, Pace for the source's pace.
	Permit int64 `json:"permit_ms,omitempty"`
	Pace   int64 `json:"pace_ms,omitempty"`
	// Took is how long the request was in flight.
	Took   int64  `json:"took_ms,omitempty"`
	Method string `json:"method,omitempty"`
	Egress string `json:"egress,omitempty"`
	Status int    `json:"status,omitempty"`
	// Reason is what it met; empty for a success.
	Reason Reason `json:"reason,omitempty"`
}

// Add appends an attempt. Of more than MaxTrail attempts the first and the latest are kept.
func (t Trail) Add(line AttemptLine) Trail {
	t.Attempts = append(slices.Clip(t.Attempts), line)
	if len(t.Attempts) > MaxTrail {
		t.Attempts = slices.Delete(slices.Clone(t.Attempts), MaxTrail/2, MaxTrail/2+1)
		t.Omitted++
	}
	return t
}
