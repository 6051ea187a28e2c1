package engine

import (
	"context"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
)

// polledWithin is how lately somebody must have asked a queue for work: a poll waits for a minute, and Temporal remembers
// pollers for five.
const polledWithin = 2 * time.Minute

// Queue is a task queue.
type Queue struct {
	Namespace, Name string
	// Workflows says that its workflow tasks are meant, and not its activity tasks: a queue has pollers for each.
	Workflows bool
}

// Polled says whether anybody has asked a queue for work within the two minutes before now.
func Polled(ctx context.Context, service workflowservice.WorkflowServiceClient, q Queue, now time.Time) (bool, error) {
	kind := enumspb.TASK_QUEUE_TYPE_ACTIVITY
	if q.Workflows {
		kind = enumspb.TASK_QUEUE_TYPE_WORKFLOW
	}
	answer, err := service.DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace: q.Namespace, TaskQueue: &taskqueuepb.TaskQueue{Name: q.Name}, TaskQueueType: kind,
	})
	if err != nil {
		return false, err
	}
	for _, p := range answer.GetPollers() {
		if now.Sub(p.GetLastAccessTime().AsTime()) < polledWithin {
			return true, nil
		}
	}
	return false, nil
}
