package starter

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
)

// NoWorker is the sentence for a person who waits while nobody takes the work of some roles.
func NoWorker(roles ...collection.Role) string {
	names := make([]string, len(roles))
	for i, r := range roles {
		names[i] = string(r)
	}
	if last := len(names) - 1; last > 0 {
		return fmt.Sprintf("no worker answers: is a worker with the roles %s and %s running?", strings.Join(names[:last], ", "), names[last])
	}
	return fmt.Sprintf("no worker answers: is a worker with the role %s running?", strings.Join(names, ""))
}

// untakenAfter is how long a workflow's task lies in its queue before it looks as if nobody took it.
const untakenAfter = 2 * time.Second

// Unattended lists those of some roles whose work nobody takes: the next step of a workflow has waited for longer than two
// seconds, or nobody has asked their queue for work within two minutes. The role collect has no queue of its own, but one for
// each source, and is never among them.
func (c *Client) Unattended(ctx context.Context, workflowID string, roles ...collection.Role) ([]collection.Role, error) {
	untaken, err := c.untaken(ctx, workflowID)
	if err != nil {
		return nil, err
	}
	var missing []collection.Role
	for _, q := range collection.StageQueues() {
		if !slices.Contains(roles, q.Role) {
			continue
		}
		queue := engine.Queue{Namespace: c.namespace, Name: q.Queue, Workflows: q.Workflows}
		polled := false
		// Temporal remembers pollers that are gone: a task that lies there knows better.
		if !q.Workflows || q.Queue != untaken {
			if polled, err = engine.Polled(ctx, c.engine.WorkflowService(), queue, time.Now()); err != nil {
				return nil, fmt.Errorf("ask who polls the queue %s: %w", q.Queue, err)
			}
		}
		if !polled {
			missing = append(missing, q.Role)
		}
	}
	return missing, nil
}

// untaken is the queue in which the next step of a workflow lies; empty when it does not, or not for long.
func (c *Client) untaken(ctx context.Context, workflowID string) (queue string, err error) {
	described, err := c.describe(ctx, workflowID)
	if engine.IsUnknown(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("ask how %s stands: %w", workflowID, err)
	}
	task := described.GetPendingWorkflowTask()
	if task.GetState() != enumspb.PENDING_WORKFLOW_TASK_STATE_SCHEDULED || time.Since(task.GetScheduledTime().AsTime()) < untakenAfter {
		return "", nil
	}
	return described.GetWorkflowExecutionInfo().GetTaskQueue(), nil
}
