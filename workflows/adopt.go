package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

// adopt takes over a workflow that an earlier run has started, and waits for its result by an activity that finds it.
// That workflow is not our child, so that the engine does not pass our cancellation on: we do.
func adopt(ctx workflow.Context, find any, id string, result any) error {
	free, done := workflow.NewDisconnectedContext(ctx)
	defer done()
	found := workflow.ExecuteActivity(workflow.WithActivityOptions(free, findOptions()), find, collection.FindInput{WorkflowID: id})
	if workflow.Await(ctx, found.IsReady) != nil {
		if err := workflow.RequestCancelExternalWorkflow(free, id, "").Get(free, nil); err != nil {
			// It has ended meanwhile, which is as good.
			workflow.GetLogger(ctx).Info("the adopted workflow could not be cancelled", "workflow", id, "error", err)
		}
	}
	return found.Get(free, result)
}
