package activities

import "github.com/weir-collect/weir/collection"

// What a sweep searches for, in the words of Temporal's visibility. A check narrows these down with AND.
const (
	ofRecords     = `WorkflowType="` + collection.WorkflowRecord + `"`
	ofBatches     = `WorkflowType="` + collection.WorkflowBatch + `"`
	ofSubmissions = `WorkflowType="` + collection.WorkflowSubmission + `"`
	areRunning    = ` AND ExecutionStatus="Running"`

	runningRecords     = ofRecords + areRunning
	runningBatches     = ofBatches + areRunning
	runningSubmissions = ofSubmissions + areRunning

	failedRecords = ofRecords + ` AND ExecutionStatus="Failed"`
	// liveRecords run, or ended well.
	liveRecords = ofRecords + ` AND ExecutionStatus IN ("Running", "Completed")`
	// stoppedRecords were ended by somebody, and may have been delivered before.
	stoppedRecords = ofRecords + ` AND ExecutionStatus IN ("Canceled", "Terminated", "TimedOut")`
	// completedRecords ended well.
	completedRecords = ofRecords + ` AND ExecutionStatus="Completed"`
	// brokenReplays ended without having settled what they ran, or could not ship it. One that was cancelled has settled.
	brokenReplays = `WorkflowType="` + collection.WorkflowReplay + `" AND ExecutionStatus IN ("Failed", "Terminated", "TimedOut")`
	// brokenSubmissions ended, and not by themselves and well.
	brokenSubmissions = ofSubmissions + ` AND ExecutionStatus IN ("Failed", "Terminated", "TimedOut", "Canceled")`

	// ofSource narrows a search down to one source, which is its argument.
	ofSource = ` AND ` + collection.AttributeSource + `=%q`
)
