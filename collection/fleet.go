package collection

import "time"

// The owner of every source's ceiling is one workflow; see its type.
const (
	// WorkflowCeilings owns every source's ceiling, pace, pause and breaker, and leases permits to workers.
	WorkflowCeilings = "Ceilings"
	// CeilingsID is the id of the one workflow of that type.
	CeilingsID = "weir/ceilings"
	// QueueFleet is its task queue: of its own, so that a burst of record workflows cannot delay a renewal.
	QueueFleet = "weir-fleet"
)

// Updates and queries of the Ceilings workflow. All updates but lease and configure take a SourceCommand.
const (
	// UpdateLease is one worker's renewal of all its permits.
	UpdateLease = "lease"
	// UpdateConfigure hands over the sources of a configuration.
	UpdateConfigure      = "configure"
	UpdatePause          = "pause"
	UpdateResume         = "resume"
	UpdateSetCeiling     = "set-ceiling"
	UpdateSetPace        = "set-pace"
	UpdateHoldBreaker    = "hold-breaker"
	UpdateReleaseBreaker = "release-breaker"
	// UpdateUseMethod chooses one of a source's fetch methods.
	UpdateUseMethod = "use-method"
	// QueryTable answers with every source's row.
	QueryTable = "table"
	// QueryEgresses answers with every egress that workers have reported lately.
	QueryEgresses = "egresses"
)

// SourceCommand is what an operator wants of a source. By and Reason are kept with it.
type SourceCommand struct {
	Source string `json:"source"`
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Ceiling is for set-ceiling; nil goes back to the configured one.
	Ceiling *int `json:"ceiling,omitempty"`
	// Pace is for set-pace, in requests per second; nil goes back to the configured one, zero means no pace.
	Pace *float64 `json:"pace,omitempty"`
	// Method is for use-method; empty gives the choice back to the order of the configuration.
	Method string `json:"method,omitempty"`
	// Until ends a ceiling or a pace by itself; the zero time means for good.
	Until time.Time `json:"until,omitzero"`
}
