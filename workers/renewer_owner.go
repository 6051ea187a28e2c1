package workers

import (
	"context"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
	"github.com/weir-collect/weir/workflows"
)

// update calls the owner, and starts it if there is none.
func (r *renewer) update(ctx context.Context, name string, in, out any) error {
	options := updateOf(name, in)
	err := r.ask(ctx, r.engine.UpdateWorkflow, options, out)
	if engine.IsUnknown(err) {
		return r.ask(ctx, r.startWith, options, out)
	}
	return err
}

func updateOf(name string, in any) client.UpdateWorkflowOptions {
	return client.UpdateWorkflowOptions{
		WorkflowID: collection.CeilingsID, UpdateName: name, Args: []any{in}, WaitForStage: client.WorkflowUpdateStageCompleted,
	}
}

// sender sends an update.
type sender func(context.Context, client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error)

// ask sends an update and waits for its result.
func (r *renewer) ask(ctx context.Context, send sender, options client.UpdateWorkflowOptions, out any) error {
	handle, err := send(ctx, options)
	if err == nil {
		err = handle.Get(ctx, out)
	}
	if err != nil {
		return fmt.Errorf("update %s of %s: %w", options.UpdateName, collection.CeilingsID, err)
	}
	return nil
}

// startWith starts the owner together with the update. First tells it that there never was an owner, so that nothing can be
// leased out; any other new owner waits until the leases of the one before have ended.
func (r *renewer) startWith(ctx context.Context, update client.UpdateWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	_, err := r.engine.DescribeWorkflowExecution(ctx, collection.CeilingsID, "")
	first := engine.IsUnknown(err)
	if err != nil && !first {
		return nil, err
	}
	start := r.engine.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
		ID: collection.CeilingsID, TaskQueue: collection.QueueFleet,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		StaticSummary:            "Every source's ceiling, pace, pause and breaker",
		StaticDetails:            "Leases permits to the workers of the whole fleet. Operators change it with `weir pause`, `weir ceiling` and so on.",
	}, collection.WorkflowCeilings, workflows.CeilingsInput{First: first})
	return r.engine.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: start, UpdateOptions: update,
	})
}
