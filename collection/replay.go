package collection

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// A Replay workflow runs a settled submission's dead letters again.
const (
	// WorkflowReplay is the workflow's type.
	WorkflowReplay = "Replay"
	// ActivitySelectDead, ActivityLoadReplay and ActivityMergeLedger are the activities that only a replay needs.
	ActivitySelectDead  = "SelectDead"
	ActivityLoadReplay  = "LoadReplay"
	ActivityMergeLedger = "MergeLedger"
)

// ReplayWorkflowID names the one Replay of a submission that may run at a time. No record's id looks like it.
func ReplayWorkflowID(submission string) string { return submission + "/replay" }

// ReplayBatchID names the workflow of one batch of the n-th replay (from 1). A source may be called "replay": the id has a
// part more than a batch's.
func ReplayBatchID(submission string, n int, source string, batch int) string {
	return fmt.Sprintf("%s/%d/%s/%d", ReplayWorkflowID(submission), n, source, batch)
}

// ReplayFrom says at which stage replayed records start again.
type ReplayFrom string

// Where a replay starts. The empty value starts each record where it failed: its kept bytes are parsed again, and what has
// none is collected again.
const (
	// ReplayFromCollect asks the source again, with permits, pace and robots rules as ever.
	ReplayFromCollect ReplayFrom = "collect"
	// ReplayFromRaw parses the kept bytes again and never touches the source. Records without any stay as they are.
	ReplayFromRaw ReplayFrom = "raw"
	// ReplayFromParse is another word for ReplayFromRaw.
	ReplayFromParse ReplayFrom = "parse"
)

// Check says whether there is such a stage.
func (f ReplayFrom) Check() error {
	switch f {
	case "", ReplayFromCollect, ReplayFromRaw, ReplayFromParse:
		return nil
	}
	return fmt.Errorf("from %q: use collect or raw, or leave it out to start each record where it failed", string(f))
}

// Start is how a record that ended so is run again; false when it has no bytes to start from.
func (f ReplayFrom) Start(ended RecordResult) (RecordReplay, bool) {
	r := RecordReplay{Raw: ended.Raw, Attempts: ended.Attempts, FirstRequestAt: ended.FirstRequestAt,
		Redeliver: ended.Reason == ReasonDeliveryLost || ended.Reason == ReasonDeliveryConflict}
	if f == ReplayFromCollect {
		r.Raw = nil
	}
	return r, r.Raw != nil || f == "" || f == ReplayFromCollect
}

// ReplaySelect chooses dead letters; empty fields choose all.
type ReplaySelect struct {
	Reasons []Reason `json:"reasons,omitempty"`
	Sources []string `json:"sources,omitempty"`
	// Records are ids or keys, at most MaxReplayRecords.
	Records []string `json:"records,omitempty"`
}

// MaxReplayRecords bounds a list of records: it stands in a history.
const MaxReplayRecords = 5_000

// IsDead says whether a row waits for a person: it failed for good, or somebody terminated its workflow. What was cancelled
// was cancelled on purpose.
func (r RecordResult) IsDead() bool {
	return r.Outcome == OutcomeDeadLettered || r.Outcome == OutcomeCancelled && r.Reason == ReasonTerminated
}

// Takes says whether a row is run again. A cancelled record is only when its reason or the record itself is named.
func (s ReplaySelect) Takes(row LedgerRow) bool {
	named := slices.Contains(s.Reasons, row.Reason) || s.Names(row)
	if !row.IsDead() && (row.Outcome != OutcomeCancelled || !named) {
		return false
	}
	return (len(s.Reasons) == 0 || slices.Contains(s.Reasons, row.Reason)) &&
		(len(s.Sources) == 0 || slices.Contains(s.Sources, row.Source)) &&
		(len(s.Records) == 0 || s.Names(row))
}

// Names says whether a row is in the list of records.
func (s ReplaySelect) Names(row LedgerRow) bool {
	return slices.Contains(s.Records, row.Record) || slices.Contains(s.Records, row.Key)
}

// ReplayInput starts a Replay workflow.
type ReplayInput struct {
	Submission string       `json:"submission"`
	Select     ReplaySelect `json:"select,omitzero"`
	From       ReplayFrom   `json:"from,omitempty"`
	// By says who asked.
	By string `json:"by,omitempty"`
}

// Check reports everything that is wrong with the input by itself.
func (in ReplayInput) Check() error {
	problems := []error{CheckSubmissionID(in.Submission), in.From.Check()}
	if n := len(in.Select.Records); n > MaxReplayRecords {
		problems = append(problems, fmt.Errorf("%d records are listed, more than %d: choose them by reason or source, or replay in parts", n, MaxReplayRecords))
	}
	return errors.Join(problems...)
}

// ReplayPlan is what a replay is going to do, and the content of its plan.json.
type ReplayPlan struct {
	// Number counts the submission's replays, from 1; zero when there is nothing to replay.
	Number     int    `json:"number,omitempty"`
	Submission string `json:"submission"`
	Customer   string `json:"customer"`
	// Run is the run of the Replay workflow that made the plan.
	Run string `json:"run,omitempty"`
	// Dead is how many dead letters the ledger has, in the sources that were looked at, and Selected how many of them are
	// run again.
	Dead     int `json:"dead"`
	Selected int `json:"selected"`
	// WithoutRaw is how many were asked for and have no kept bytes to start from.
	WithoutRaw int `json:"without_raw,omitempty"`
	// LostParts is how many parts of the ledger are gone: their dead letters are not known. The settlement makes them again,
	// out of what was delivered.
	LostParts int `json:"lost_parts,omitempty"`
	// Stale says that the manifest does not tell what the ledger does: an earlier replay was stopped before it had settled.
	Stale bool `json:"stale,omitempty"`
	// Cancelled says that the submission was.
	Cancelled bool `json:"cancelled,omitempty"`
	// Sources are the records that are run again; a batch has the number of its part of the ledger.
	Sources []SourcePlan `json:"sources,omitempty"`
	Lane    Lane         `json:"lane,omitempty"`
	Weight  float32      `json:"weight,omitempty"`
	// Ship says that the delivery goes to the customer's own destination.
	Ship bool `json:"ship,omitempty"`
}

// LoadReplayInput asks for the records of one batch of a replay.
type LoadReplayInput struct {
	Submission string `json:"submission"`
	Replay     int    `json:"replay"`
	Source     string `json:"source"`
	Number     int    `json:"number"`
	// After is how many lines of the batch an earlier call has read.
	After int `json:"after,omitempty"`
}

// LoadReplayResult is the content of a batch of a replay, as much of it as goes into one result.
type LoadReplayResult struct {
	Records []ReplayedRecord `json:"records"`
	// Next is the After of the call that reads on; zero when there is no more.
	Next int `json:"next,omitempty"`
}

// ReplayedRecord is a record and how it is run again.
type ReplayedRecord struct {
	Record Record       `json:"record"`
	Replay RecordReplay `json:"replay"`
}

// RecordReplay says how a record that has failed before is run again.
type RecordReplay struct {
	// Raw are the kept bytes to parse; nil collects the record again.
	Raw *Raw `json:"raw,omitempty"`
	// Attempts and FirstRequestAt are of the runs before.
	Attempts       int        `json:"attempts,omitempty"`
	FirstRequestAt *time.Time `json:"first_request_at,omitempty"`
	// Redeliver says that the last run may have ended well, and that what it delivered is lost: the record is run again all
	// the same.
	Redeliver bool `json:"redeliver,omitempty"`
}

// MaxCall bounds the rows or records that go into or out of one call by value, in bytes of JSON: with what stands around them
// they stay under Temporal's limit of 2 MiB for one payload. Who has more makes several calls.
const MaxCall = 3 << 19

// MergeLedgerInput asks for the results of a replay to be written into a part of the ledger.
type MergeLedgerInput struct {
	Submission string      `json:"submission"`
	Source     string      `json:"source"`
	Number     int         `json:"number"`
	Rows       []LedgerRow `json:"rows"`
}

// MergeLedgerResult names the part.
type MergeLedgerResult struct {
	Ledger string `json:"ledger"`
	// Kept is the object with the generation that was replaced; empty when nothing has changed.
	Kept string `json:"kept,omitempty"`
}

// ReplayResult is what a Replay workflow returns.
type ReplayResult struct {
	Number     int `json:"number,omitempty"`
	Dead       int `json:"dead"`
	Selected   int `json:"selected"`
	WithoutRaw int `json:"without_raw,omitempty"`
	// LostParts is how many parts of the ledger were gone when the dead letters were selected.
	LostParts int `json:"lost_parts,omitempty"`
	// Outcomes is how the selected records have ended now.
	Outcomes Tally `json:"outcomes"`
	// Settled is what has become of the submission; nil when nothing was to be done.
	Settled *SubmissionResult `json:"settled,omitempty"`
}

// ReplayStatus answers the status query of a Replay workflow.
type ReplayStatus struct {
	Submission string       `json:"submission"`
	Number     int          `json:"number,omitempty"`
	Select     ReplaySelect `json:"select,omitzero"`
	From       ReplayFrom   `json:"from,omitempty"`
	By         string       `json:"by,omitempty"`
	// Stage is "select", "replay", "settle" or "ship"; empty once it has ended.
	Stage      string           `json:"stage,omitempty"`
	Dead       int              `json:"dead"`
	Selected   int              `json:"selected"`
	WithoutRaw int              `json:"without_raw,omitempty"`
	LostParts  int              `json:"lost_parts,omitempty"`
	Outcomes   Tally            `json:"outcomes"`
	Sources    []SourceProgress `json:"sources,omitempty"`
	Result     *ReplayResult    `json:"result,omitempty"`
}
