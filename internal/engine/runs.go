package engine

import (
	"context"
	"fmt"
	"iter"

	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
)

// MaxPage is how many runs Temporal lists with one call.
const MaxPage = 1000

// Lister is as much of the SDK's client as a search needs.
type Lister interface {
	ListWorkflow(ctx context.Context, request *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error)
}

// Search is a question to visibility.
type Search struct {
	Namespace, Query string
	// Page is how many runs are asked for with one call, for those who want only the first few; zero, or more than MaxPage, is
	// MaxPage.
	Page int
}

// OfType is the query for the runs of a workflow type that are in a state.
func OfType(workflow string, state enumspb.WorkflowExecutionStatus) string {
	return fmt.Sprintf(`WorkflowType=%q AND ExecutionStatus=%q`, workflow, state)
}

// Runs goes through the runs that a search finds, page by page, as far as it is asked to. An error ends it.
func Runs(ctx context.Context, c Lister, s Search) iter.Seq2[*workflowpb.WorkflowExecutionInfo, error] {
	return func(yield func(*workflowpb.WorkflowExecutionInfo, error) bool) {
		request := &workflowservice.ListWorkflowExecutionsRequest{Namespace: s.Namespace, Query: s.Query, PageSize: MaxPage}
		if s.Page > 0 {
			request.PageSize = int32(min(s.Page, MaxPage))
		}
		for {
			page, err := c.ListWorkflow(ctx, request)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, run := range page.GetExecutions() {
				if !yield(run, nil) {
					return
				}
			}
			if len(page.GetNextPageToken()) == 0 {
				return
			}
			request.NextPageToken = page.GetNextPageToken()
		}
	}
}

// Keyword is a search attribute of type Keyword; empty when it is not set. One that cannot be read is as good as none.
func Keyword(run *workflowpb.WorkflowExecutionInfo, name string) string {
	var value string
	payload := run.GetSearchAttributes().GetIndexedFields()[name]
	if payload == nil || converter.GetDefaultDataConverter().FromPayload(payload, &value) != nil {
		return ""
	}
	return value
}
