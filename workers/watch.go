package workers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// watch asks the engine what a sweep and the janitor want to know.
type watch struct {
	engine    client.Client
	namespace string
}

const (
	// watchPage is how many runs one call lists.
	watchPage = 1000
	// polledWithin is how lately somebody must have asked a queue for work: a poll waits for a minute.
	polledWithin = 2 * time.Minute
)

// Find implements activities.Watch.
func (w watch) Find(ctx context.Context, query string, limit int) (found []activities.Execution, more bool, err error) {
	request := &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: w.namespace, PageSize: int32(min(limit, watchPage)), Query: query,
	}
	for {
		page, err := w.engine.ListWorkflow(ctx, request)
		if err != nil {
			return nil, false, err
		}
		for _, info := range page.GetExecutions() {
			if len(found) == limit {
				return found, true, nil
			}
			found = append(found, executionOf(info))
		}
		if len(page.GetNextPageToken()) == 0 {
			return found, false, nil
		}
		if len(found) == limit {
			return found, true, nil
		}
		request.NextPageToken = page.GetNextPageToken()
	}
}

// Count implements activities.Watch.
func (w watch) Count(ctx context.Context, query string) (int, error) {
	answer, err := w.engine.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: w.namespace, Query: query})
	if err != nil {
		return 0, err
	}
	return int(answer.GetCount()), nil
}

// Describe implements activities.Watch.
func (w watch) Describe(ctx context.Context, workflowID, runID string) (activities.Described, error) {
	answer, err := w.engine.DescribeWorkflowExecution(ctx, workflowID, runID)
	if err != nil {
		return activities.Described{}, unknown(err)
	}
	d := activities.Described{Execution: executionOf(answer.GetWorkflowExecutionInfo())}
	for _, c := range answer.GetPendingChildren() {
		d.Children = append(d.Children, activities.Child{WorkflowID: c.GetWorkflowId(), RunID: c.GetRunId()})
	}
	for _, a := range answer.GetPendingActivities() {
		for _, at := range []*timestamppb.Timestamp{a.GetLastStartedTime(), a.GetLastHeartbeatTime(), a.GetLastAttemptCompleteTime()} {
			if at != nil && at.AsTime().After(d.ActiveAt) {
				d.ActiveAt = at.AsTime()
			}
		}
	}
	return d, nil
}

// LastEvent implements activities.Watch.
func (w watch) LastEvent(ctx context.Context, workflowID, runID string) (time.Time, error) {
	answer, err := w.engine.WorkflowService().GetWorkflowExecutionHistoryReverse(ctx, &workflowservice.GetWorkflowExecutionHistoryReverseRequest{
		Namespace: w.namespace, Execution: &commonpb.WorkflowExecution{WorkflowId: workflowID, RunId: runID}, MaximumPageSize: 1,
	})
	if err != nil {
		return time.Time{}, unknown(err)
	}
	events := answer.GetHistory().GetEvents()
	if len(events) == 0 {
		return time.Time{}, fmt.Errorf("the history of %s is empty", workflowID)
	}
	return events[0].GetEventTime().AsTime(), nil
}

// Failure implements activities.Watch.
func (w watch) Failure(ctx context.Context, workflowID, runID string) error {
	return w.engine.GetWorkflow(ctx, workflowID, runID).Get(ctx, nil)
}

// Polled implements activities.Watch.
func (w watch) Polled(ctx context.Context, queue string, workflows bool) (bool, error) {
	kind := enumspb.TASK_QUEUE_TYPE_ACTIVITY
	if workflows {
		kind = enumspb.TASK_QUEUE_TYPE_WORKFLOW
	}
	answer, err := w.engine.WorkflowService().DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace: w.namespace, TaskQueue: &taskqueuepb.TaskQueue{Name: queue}, TaskQueueType: kind,
	})
	if err != nil {
		return false, err
	}
	for _, p := range answer.GetPollers() {
		if time.Since(p.GetLastAccessTime().AsTime()) < polledWithin {
			return true, nil
		}
	}
	return false, nil
}

// Table implements activities.Watch.
func (w watch) Table(ctx context.Context) ([]lease.SourceView, error) {
	var rows []lease.SourceView
	value, err := w.engine.QueryWorkflow(ctx, collection.CeilingsID, "", collection.QueryTable)
	if err == nil {
		err = value.Get(&rows)
	}
	return rows, unknown(err)
}

// Cancel implements activities.Watch. It names the run: one that was started since is not meant.
func (w watch) Cancel(ctx context.Context, workflowID, runID, reason string) error {
	_, err := w.engine.WorkflowService().RequestCancelWorkflowExecution(ctx, &workflowservice.RequestCancelWorkflowExecutionRequest{
		Namespace: w.namespace, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: workflowID, RunId: runID},
		RequestId: uuid.NewString(), Reason: reason, Identity: identity(),
	})
	if errors.Is(unknown(err), activities.ErrUnknownToEngine) {
		return nil // it has ended
	}
	return err
}

// Open implements activities.Submissions: the submission, its replay and its redelivery are looked at by name, whatever else
// works on its records by a search.
func (w watch) Open(ctx context.Context, submission string) (bool, error) {
	for _, id := range []string{submission, collection.ReplayWorkflowID(submission), collection.RedeliverWorkflowID(submission)} {
		d, err := w.Describe(ctx, id, "")
		switch {
		case err == nil && d.Running:
			return true, nil
		case err != nil && !errors.Is(err, activities.ErrUnknownToEngine):
			return true, err
		}
	}
	n, err := w.Count(ctx, fmt.Sprintf(`ExecutionStatus="Running" AND WorkflowId STARTS_WITH %q`, submission+"/"))
	return err != nil || n > 0, err
}

// ScheduleIDs implements activities.Watch.
func (w watch) ScheduleIDs(ctx context.Context) ([]string, error) {
	list, err := w.engine.ScheduleClient().List(ctx, client.ScheduleListOptions{PageSize: watchPage})
	if err != nil {
		return nil, err
	}
	var ids []string
	for list.HasNext() {
		entry, err := list.Next()
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(entry.ID, collection.ScheduleIDPrefix) {
			ids = append(ids, entry.ID)
		}
	}
	return ids, nil
}

// Schedule implements activities.Watch.
func (w watch) Schedule(ctx context.Context, id string) (activities.ScheduleState, error) {
	d, err := w.engine.ScheduleClient().GetHandle(ctx, id).Describe(ctx)
	if err != nil {
		return activities.ScheduleState{}, unknown(err)
	}
	state := activities.ScheduleState{ID: id}
	if d.Schedule.State != nil {
		state.Paused, state.Note = d.Schedule.State.Paused, d.Schedule.State.Note
	}
	if len(d.Info.NextActionTimes) > 0 {
		state.Next = d.Info.NextActionTimes[0]
	}
	return state, nil
}

// unknown tells what the engine does not have from what it did not answer.
func unknown(err error) error {
	var missing *serviceerror.NotFound
	if errors.As(err, &missing) {
		return fmt.Errorf("%w (%w)", activities.ErrUnknownToEngine, err)
	}
	return err
}

func executionOf(info *workflowpb.WorkflowExecutionInfo) activities.Execution {
	e := activities.Execution{
		WorkflowID: info.GetExecution().GetWorkflowId(), RunID: info.GetExecution().GetRunId(), Type: info.GetType().GetName(),
		Root: info.GetRootExecution().GetWorkflowId(), Started: info.GetStartTime().AsTime(),
		Customer: keyword(info, collection.AttributeCustomer), Source: keyword(info, collection.AttributeSource),
		Reason: collection.Reason(keyword(info, collection.AttributeReason)),
	}
	switch info.GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED:
		e.Running = true
	default:
		e.Ended = info.GetCloseTime().AsTime()
	}
	return e
}

// keyword is a search attribute of type Keyword; empty when it is not set.
func keyword(info *workflowpb.WorkflowExecutionInfo, name string) string {
	var value string
	payload := info.GetSearchAttributes().GetIndexedFields()[name]
	if payload == nil || converter.GetDefaultDataConverter().FromPayload(payload, &value) != nil {
		return ""
	}
	return value
}
