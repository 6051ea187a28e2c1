package main

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/collection"
)

// longestHistory is the number of events of the longest history of submissions and batches; a record's is short by
// construction. Visibility follows the engine with a little delay.
func longestHistory(ctx context.Context, engine client.Client, namespace string) (int64, error) {
	query := fmt.Sprintf("WorkflowType IN (%q, %q) AND ExecutionStatus != %q", collection.WorkflowSubmission, collection.WorkflowBatch, "Running")
	longest := int64(0)
	for range 20 {
		answer, err := engine.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Namespace: namespace, Query: query})
		if err != nil {
			return 0, fmt.Errorf("list the histories: %w", err)
		}
		submissions := 0
		for _, e := range answer.GetExecutions() {
			longest = max(longest, e.GetHistoryLength())
			if e.GetType().GetName() == collection.WorkflowSubmission {
				submissions++
			}
		}
		if submissions > 0 {
			return longest, nil
		}
		time.Sleep(500 * time.Millisecond)
	}
	return longest, nil
}
