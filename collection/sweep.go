package collection

import (
	"cmp"
	"slices"
	"time"
)

// The sweep looks at the fleet from outside, every few minutes: it finds what no workflow says of itself.
const (
	WorkflowSweep = "Sweep"
	// SweepScheduleID is the schedule that starts it; its runs are named after it.
	SweepScheduleID = "weir/sweep"
	// SweepNowID is the run that a person has asked for.
	SweepNowID = "weir/sweep-now"
	// ActivitySweepCheck makes one check.
	ActivitySweepCheck = "SweepCheck"
	// ScheduleIDPrefix is how the names of weir's schedules begin.
	ScheduleIDPrefix = "weir/"
)

// Check names one of the sweep's checks. Checks are append-only: their names stand in histories.
type Check string

// The checks, each an activity of its own, so that one that fails hides nothing that the others find.
const (
	// CheckTasks looks for running workflows whose workflow tasks fail.
	CheckTasks Check = "tasks"
	// CheckQueues looks for running work whose queue nobody polls.
	CheckQueues Check = "queues"
	// CheckProgress looks for running submissions in which nothing happens though a source is open.
	CheckProgress Check = "progress"
	// CheckOrphans looks for batches that run without their submission, and cancels them.
	CheckOrphans Check = "orphans"
	// CheckLeases looks at the owner of the ceilings, and for leases that were never returned.
	CheckLeases Check = "leases"
	// CheckSchedules looks for schedules that are off or late.
	CheckSchedules Check = "schedules"
	// CheckEnds looks for submissions that have failed as a whole, and keeps how they ended; and for replays that have not settled.
	CheckEnds Check = "ends"
	// CheckDeadLetters counts what waits in the dead-letter queue.
	CheckDeadLetters Check = "dead_letters"
)

// SweepChecks lists the checks of a sweep in the order in which they are made.
func SweepChecks() []Check {
	return []Check{CheckTasks, CheckQueues, CheckProgress, CheckOrphans, CheckLeases, CheckSchedules, CheckEnds, CheckDeadLetters}
}

// FindingKind says what was found. Kinds are append-only.
type FindingKind string

// The kinds of findings.
const (
	FindingTaskFailing       FindingKind = "task_failing"
	FindingQueueUnpolled     FindingKind = "queue_unpolled"
	FindingSubmissionStuck   FindingKind = "submission_stuck"
	FindingChildrenGone      FindingKind = "children_gone"
	FindingOrphan            FindingKind = "orphan"
	FindingOwnerMissing      FindingKind = "owner_missing"
	FindingLeaseNotReturned  FindingKind = "lease_not_returned"
	FindingScheduleOff       FindingKind = "schedule_off"
	FindingScheduleLate      FindingKind = "schedule_late"
	FindingScheduleMissing   FindingKind = "schedule_missing"
	FindingSubmissionFailed  FindingKind = "submission_failed"
	FindingDeadLettersBroken FindingKind = "dead_letters_broken"
	// FindingReplayUnsettled says that a replay ended before it had settled what it ran.
	FindingReplayUnsettled FindingKind = "replay_unsettled"
	// FindingCheckFailed says that something could not be looked at, and so may hide something else.
	FindingCheckFailed FindingKind = "check_failed"
)

// Severity is how much a finding concerns whoever runs weir.
type Severity string

// The severities.
const (
	// SEV1 means that a promise is broken or that data may be wrong: look at once.
	SEV1 Severity = "SEV1"
	// SEV2 means that a promise is at risk and holding.
	SEV2 Severity = "SEV2"
	// SEV3 is internal.
	SEV3 Severity = "SEV3"
)

// Finding is one thing that is not as it should be.
type Finding struct {
	Kind     FindingKind `json:"kind"`
	Severity Severity    `json:"severity"`
	// Subject is what it is about: a workflow id, a queue, a schedule, a worker.
	Subject string `json:"subject"`
	Source  string `json:"source,omitempty"`
	// Records is how many records it concerns, where that is known.
	Records int `json:"records,omitempty"`
	// Since is from when on it has been so, as far as is known.
	Since time.Time `json:"since,omitzero"`
	// Detail is what was seen, and Do is one sentence that says what to do.
	Detail string `json:"detail"`
	Do     string `json:"do"`
	// Mended says that the sweep has put it right.
	Mended bool `json:"mended,omitempty"`
}

// DeadLetterCount is what waits of one source for one reason.
type DeadLetterCount struct {
	Source  string    `json:"source"`
	Reason  Reason    `json:"reason"`
	Records int       `json:"records"`
	Oldest  time.Time `json:"oldest"`
}

// SweepInput starts a Sweep workflow.
type SweepInput struct {
	// QuietAfter is how long nothing may happen in a running submission whose source is open; zero means 30 minutes.
	QuietAfter Duration `json:"quiet_after,omitzero"`
}

// CheckInput asks for one check.
type CheckInput struct {
	Check      Check    `json:"check"`
	QuietAfter Duration `json:"quiet_after,omitzero"`
}

// CheckResult is what one check found.
type CheckResult struct {
	Check Check `json:"check"`
	// Looked is how many things were looked at, and Unchecked how many of them could not be.
	Looked      int               `json:"looked"`
	Unchecked   int               `json:"unchecked,omitempty"`
	Findings    []Finding         `json:"findings,omitempty"`
	DeadLetters []DeadLetterCount `json:"dead_letters,omitempty"`
	// Mended is how much was put right: ends that nobody had kept, and what ran without its submission.
	Mended int `json:"mended,omitempty"`
	// AtLeast says that there was more than is counted here.
	AtLeast bool `json:"at_least,omitempty"`
	// Omitted is how many findings of this check were left out of Findings.
	Omitted int `json:"omitted,omitempty"`
}

// SweepResult is what a Sweep workflow returns. Finding nothing is the normal result.
type SweepResult struct {
	StartedAt time.Time `json:"started_at"`
	EndedAt   time.Time `json:"ended_at"`
	// Checks are without their findings, which stand in Findings, the gravest first.
	Checks      []CheckResult     `json:"checks"`
	Findings    []Finding         `json:"findings"`
	DeadLetters []DeadLetterCount `json:"dead_letters"`
}

// Add takes in what a check has found.
func (r *SweepResult) Add(c CheckResult) {
	r.Findings = append(r.Findings, c.Findings...)
	r.DeadLetters = append(r.DeadLetters, c.DeadLetters...)
	c.Findings, c.DeadLetters = nil, nil
	r.Checks = append(r.Checks, c)
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Subject, b.Subject))
	})
}

// EndKey is how a submission ended that left no manifest: a SubmissionStatus as JSON, written by the sweep. A manifest that
// is there counts more.
func EndKey(submission string) string { return "ledger/" + submission + "/end.json" }
