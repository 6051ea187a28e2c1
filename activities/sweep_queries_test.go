package activities

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSweepQueries holds what the engine is asked, word by word: a misspelt query finds nothing, and a sweep that finds
// nothing looks like a fleet on which nothing is wrong.
func TestSweepQueries(t *testing.T) {
	t.Parallel()
	require.Equal(t, `WorkflowType="Record" AND ExecutionStatus="Running"`, runningRecords)
	require.Equal(t, `WorkflowType="Batch" AND ExecutionStatus="Running"`, runningBatches)
	require.Equal(t, `WorkflowType="Submission" AND ExecutionStatus="Running"`, runningSubmissions)
	require.Equal(t, `WorkflowType="Record" AND ExecutionStatus="Failed"`, failedRecords)
	require.Equal(t, `WorkflowType="Record" AND ExecutionStatus IN ("Running", "Completed")`, liveRecords)
	require.Equal(t, `WorkflowType="Record" AND ExecutionStatus IN ("Canceled", "Terminated", "TimedOut")`, stoppedRecords)
	require.Equal(t, `WorkflowType="Record" AND ExecutionStatus="Completed"`, completedRecords)
	require.Equal(t, `WorkflowType="Replay" AND ExecutionStatus IN ("Failed", "Terminated", "TimedOut")`, brokenReplays)
	require.Equal(t, `WorkflowType="Submission" AND ExecutionStatus IN ("Failed", "Terminated", "TimedOut", "Canceled")`, brokenSubmissions)
	require.Equal(t, `WorkflowType="Record" AND ExecutionStatus="Running" AND WeirSource="books"`, fmt.Sprintf(runningRecords+ofSource, "books"))
}
