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
	// brokenSubmissions ended, and not by themselves and well.
	brokenSubmissions = ofSubmissions + ` AND ExecutionStatus IN ("Failed", "Terminated", "TimedOut", "Canceled")`

	// ofSource narrows a search down to one source, which is its argument.
	ofSource = ` AND ` + collection.AttributeSource + `=%q`
)
