package collection

import (
	"fmt"
	"strings"
	"time"
)

// The janitor deletes what is kept no longer.
const (
	WorkflowJanitor   = "Janitor"
	JanitorScheduleID = "weir/janitor"
	// ActivityTidy goes through one class of objects.
	ActivityTidy = "Tidy"
)

// ObjectClass is a kind of object with a retention of its own: the first part of its key.
type ObjectClass string

// The classes. Append-only.
const (
	ClassUploads ObjectClass = "uploads"
	ClassPlans   ObjectClass = "plans"
	ClassLedger  ObjectClass = "ledger"
	ClassRaw     ObjectClass = "raw"
	ClassParsed  ObjectClass = "parsed"
	ClassSeen    ObjectClass = "seen"
	ClassResults ObjectClass = "results"
	ClassReplays ObjectClass = "replays"
	ClassStaged  ObjectClass = "staged"
)

// ObjectClasses lists the classes in the order in which they are gone through: a plan goes after the ledger that only it
// can find.
func ObjectClasses() []ObjectClass {
	return []ObjectClass{
		ClassUploads, ClassRaw, ClassParsed, ClassSeen, ClassStaged, ClassResults, ClassReplays, ClassLedger, ClassPlans,
	}
}

// Prefix is how the keys of a class begin.
func (c ObjectClass) Prefix() string { return string(c) + "/" }

// JanitorInput starts a Janitor workflow.
type JanitorInput struct {
	// DryRun counts what would be deleted, and deletes nothing.
	DryRun bool `json:"dry_run,omitempty"`
}

// TidyInput asks for one class to be gone through.
type TidyInput struct {
	Class ObjectClass `json:"class"`
	// Now is the time by which ages are counted, the same for all classes and attempts.
	Now    time.Time `json:"now"`
	DryRun bool      `json:"dry_run,omitempty"`
}

// TidyResult is what was done with one class. In a dry run it is what would be.
type TidyResult struct {
	Class ObjectClass `json:"class"`
	// Retention is the age at which objects of the class go; zero means never, and then none was looked at.
	Retention Duration `json:"retention"`
	Looked    int      `json:"looked"`
	// Deleted is how many objects went, and Bytes what they held.
	Deleted int   `json:"deleted"`
	Bytes   int64 `json:"bytes"`
	// Held is how many are old enough and stay, because their submission is open.
	Held int `json:"held,omitempty"`
	// Strange is how many have a key that is none of weir's; they are never deleted.
	Strange int `json:"strange,omitempty"`
	// Failed is how many could not be deleted; Problem is the first reason.
	Failed  int    `json:"failed,omitempty"`
	Problem string `json:"problem,omitempty"`
}

// TidyProgress travels in the heartbeats of Tidy: what is done, and behind which key to go on.
type TidyProgress struct {
	After  string     `json:"after"`
	Result TidyResult `json:"result"`
}

// JanitorResult is what a Janitor workflow returns.
type JanitorResult struct {
	StartedAt time.Time    `json:"started_at"`
	EndedAt   time.Time    `json:"ended_at"`
	DryRun    bool         `json:"dry_run,omitempty"`
	Classes   []TidyResult `json:"classes"`
}

// KeyFailure is one object that a store could not delete, and why.
type KeyFailure struct{ Key, Reason string }

// DeleteError says which objects of several could not be deleted; all others were.
type DeleteError struct{ Failed []KeyFailure }

// Error names the first of them.
func (e *DeleteError) Error() string {
	if len(e.Failed) == 0 {
		return "no object failed to be deleted"
	}
	first := fmt.Sprintf("object %s cannot be deleted: %s", e.Failed[0].Key, e.Failed[0].Reason)
	if n := len(e.Failed) - 1; n > 0 {
		return fmt.Sprintf("%s; and %d more", first, n)
	}
	return first
}

// SubmissionOfKey is the submission that an object belongs to, and its class. It says false for a key that is none of
// weir's, and an empty submission for what belongs to none.
func SubmissionOfKey(key string) (class ObjectClass, submission string, ok bool) {
	parts := strings.Split(key, "/")
	if len(parts) < 3 {
		return "", "", false
	}
	class = ObjectClass(parts[0])
	switch class {
	case ClassPlans, ClassLedger, ClassRaw, ClassParsed, ClassReplays, ClassStaged:
		submission = parts[1]
	case ClassUploads, ClassResults:
		if len(parts) < 4 || CheckName("customer", parts[1]) != nil {
			return "", "", false
		}
		submission = parts[2]
	case ClassSeen:
		return class, "", CheckName("source", parts[1]) == nil
	default:
		return "", "", false
	}
	return class, submission, CheckSubmissionID(submission) == nil
}
