package workflows

import (
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
)

// Register makes every workflow known to a worker, a replayer or a test environment, under its lasting name.
func Register(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(Submission, workflow.RegisterOptions{Name: collection.WorkflowSubmission})
	r.RegisterWorkflowWithOptions(Batch, workflow.RegisterOptions{Name: collection.WorkflowBatch})
	r.RegisterWorkflowWithOptions(Record, workflow.RegisterOptions{Name: collection.WorkflowRecord})
	r.RegisterWorkflowWithOptions(Replay, workflow.RegisterOptions{Name: collection.WorkflowReplay})
	r.RegisterWorkflowWithOptions(Redeliver, workflow.RegisterOptions{Name: collection.WorkflowRedeliver})
	RegisterFleet(r)
}

// RegisterFleet makes the workflows of the fleet's own queue known.
func RegisterFleet(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(Ceilings, workflow.RegisterOptions{Name: collection.WorkflowCeilings})
	r.RegisterWorkflowWithOptions(Sweep, workflow.RegisterOptions{Name: collection.WorkflowSweep})
	r.RegisterWorkflowWithOptions(Janitor, workflow.RegisterOptions{Name: collection.WorkflowJanitor})
}
