package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	commandpb "go.temporal.io/api/command/v1"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	// trialType is the type of workflows that only a check knows; Temporal Web shows one for the seconds that it lives.
	trialType = "WeirDoctor"
	// trialLife ends a trial whose check was killed.
	trialLife = time.Minute
	// pollTime bounds one poll: what is there comes at once. Temporal refuses polls of two seconds or less.
	pollTime = 5 * time.Second
	// clearTime bounds taking a trial away.
	clearTime = 3 * time.Second
	identity  = "weir doctor"
)

// trial is a task queue of a check's own, and the workflows on it. Nobody else polls it.
type trial struct {
	*Engine
	queue   string
	started []*commonpb.WorkflowExecution
}

func newTrial(e *Engine, unique string) *trial {
	return &trial{Engine: e, queue: "weir-doctor-" + unique}
}

// start starts a workflow whose tasks carry a fairness key.
func (t *trial) start(ctx context.Context, key string) (*commonpb.WorkflowExecution, error) {
	id := fmt.Sprintf("%s/%s", t.queue, key)
	answer, err := t.Service.StartWorkflowExecution(ctx, &workflowservice.StartWorkflowExecutionRequest{
		Namespace: t.Namespace, WorkflowId: id, RequestId: uuid.NewString(), Identity: identity,
		WorkflowType:             &commonpb.WorkflowType{Name: trialType},
		TaskQueue:                &taskqueuepb.TaskQueue{Name: t.queue},
		WorkflowExecutionTimeout: durationpb.New(trialLife),
		Priority:                 &commonpb.Priority{FairnessKey: key},
	})
	if err != nil {
		return nil, fmt.Errorf("start a workflow: %w", err)
	}
	execution := &commonpb.WorkflowExecution{WorkflowId: id, RunId: answer.GetRunId()}
	t.started = append(t.started, execution)
	return execution, nil
}

// schedule does the first task of a workflow that was started: it schedules so many activities, which inherit its key.
func (t *trial) schedule(ctx context.Context, activities int) error {
	polling, cancel := context.WithTimeout(ctx, pollTime)
	defer cancel()
	task, err := t.Service.PollWorkflowTaskQueue(polling, &workflowservice.PollWorkflowTaskQueueRequest{
		Namespace: t.Namespace, TaskQueue: &taskqueuepb.TaskQueue{Name: t.queue}, Identity: identity,
	})
	if err == nil && len(task.GetTaskToken()) == 0 {
		err = errors.New("it does not come")
	}
	if err != nil {
		return fmt.Errorf("take a workflow's task: %w", err)
	}
	var commands []*commandpb.Command
	for i := range activities {
		commands = append(commands, &commandpb.Command{
			CommandType: enumspb.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK,
			Attributes: &commandpb.Command_ScheduleActivityTaskCommandAttributes{
				ScheduleActivityTaskCommandAttributes: &commandpb.ScheduleActivityTaskCommandAttributes{
					ActivityId: fmt.Sprint(i + 1), ActivityType: &commonpb.ActivityType{Name: trialType},
					TaskQueue: &taskqueuepb.TaskQueue{Name: t.queue}, ScheduleToCloseTimeout: durationpb.New(trialLife),
					StartToCloseTimeout: durationpb.New(trialLife),
				},
			},
		})
	}
	if _, err := t.Service.RespondWorkflowTaskCompleted(ctx, &workflowservice.RespondWorkflowTaskCompletedRequest{
		Namespace: t.Namespace, TaskToken: task.GetTaskToken(), Identity: identity, Commands: commands,
	}); err != nil {
		return fmt.Errorf("schedule activities: %w", err)
	}
	return nil
}

// take is the fairness key of the activity that comes next.
func (t *trial) take(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, pollTime)
	defer cancel()
	task, err := t.Service.PollActivityTaskQueue(ctx, &workflowservice.PollActivityTaskQueueRequest{
		Namespace: t.Namespace, TaskQueue: &taskqueuepb.TaskQueue{Name: t.queue}, Identity: identity,
	})
	if err == nil && len(task.GetTaskToken()) == 0 {
		err = errors.New("none comes")
	}
	if err != nil {
		return "", fmt.Errorf("take an activity's task: %w", err)
	}
	return task.GetPriority().GetFairnessKey(), nil
}

// clear takes the trial away, whatever has become of the check. What cannot be taken away ends by itself, and goes with the
// namespace's retention.
func (t *trial) clear(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearTime)
	defer cancel()
	for _, execution := range t.started {
		_, _ = t.Service.TerminateWorkflowExecution(ctx, &workflowservice.TerminateWorkflowExecutionRequest{
			Namespace: t.Namespace, WorkflowExecution: execution, Reason: "the check is over", Identity: identity,
		})
		_, _ = t.Service.DeleteWorkflowExecution(ctx, &workflowservice.DeleteWorkflowExecutionRequest{
			Namespace: t.Namespace, WorkflowExecution: execution,
		})
	}
}
