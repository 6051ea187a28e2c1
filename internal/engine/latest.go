package engine

import (
	"context"
	"fmt"
	"slices"

	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/client"
)

// recentRuns is how many runs are looked through for one that counts: they are read one by one.
const recentRuns = 20

// Results is as much of the SDK's client as Latest needs.
type Results interface {
	Lister
	GetWorkflow(ctx context.Context, workflowID, runID string) client.WorkflowRun
}

// Wanted says which run of a workflow is looked for.
type Wanted[T any] struct {
	// Namespace is the engine's, Workflow the type.
	Namespace, Workflow string
	// Counts says whether a result is one of those that are looked for. Nil means that each is.
	Counts func(T) bool
	// Seen is the run whose result the caller has: neither it nor what ended before it is read. Optional.
	Seen string
}

// Ended is a run that ended well, and its result.
type Ended[T any] struct {
	WorkflowID, RunID string
	Result            T
}

// Latest is the run that ended last, of those that ended well and count, whoever started them: a schedule or a person. It
// says false when there is none among the last 20, or none since the one that was seen. No worker needs to run.
func Latest[T any](ctx context.Context, c Results, w Wanted[T]) (Ended[T], bool, error) {
	runs, err := completed(ctx, c, w.Namespace, w.Workflow)
	if err != nil {
		return Ended[T]{}, false, fmt.Errorf("look for the last %s: %w", w.Workflow, err)
	}
	for _, run := range runs {
		last := Ended[T]{WorkflowID: run.GetExecution().GetWorkflowId(), RunID: run.GetExecution().GetRunId()}
		if w.Seen != "" && last.RunID == w.Seen {
			break
		}
		if err := c.GetWorkflow(ctx, last.WorkflowID, last.RunID).Get(ctx, &last.Result); err != nil {
			return Ended[T]{}, false, fmt.Errorf("read the result of %s: %w", last.WorkflowID, err)
		}
		if w.Counts == nil || w.Counts(last.Result) {
			return last, true, nil
		}
	}
	return Ended[T]{}, false, nil
}

// completed are the latest runs of a type that ended well, the one that ended last first. Temporal's own order is only nearly
// that: it may list by the time of start, and a long run ends after a short one that started later.
func completed(ctx context.Context, c Lister, namespace, workflow string) ([]*workflowpb.WorkflowExecutionInfo, error) {
	query := OfType(workflow, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	var runs []*workflowpb.WorkflowExecutionInfo
	for run, err := range Runs(ctx, c, Search{Namespace: namespace, Query: query, Page: recentRuns}) {
		if err != nil {
			return nil, err
		}
		if runs = append(runs, run); len(runs) == recentRuns {
			break
		}
	}
	slices.SortStableFunc(runs, func(a, b *workflowpb.WorkflowExecutionInfo) int {
		return b.GetCloseTime().AsTime().Compare(a.GetCloseTime().AsTime())
	})
	return runs, nil
}
