package workers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/weir-collect/weir/activities"
	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
	"github.com/weir-collect/weir/internal/lease"
)

// watch is Temporal as the activities ask about it: about runs, schedules, queues and the table of the owner. It translates
// between the words of activities and those of internal/engine, which must not know activities.
type watch struct {
	engine    client.Client
	namespace string
}

func (p *process) watch() watch { return watch{engine: p.engine, namespace: p.namespace} }

// Find implements activities.Watch. It asks for one more than it may bring, which tells whether there are others.
func (w watch) Find(ctx context.Context, query string, limit int) (found []activities.Execution, more bool, err error) {
	for run, err := range engine.Runs(ctx, w.engine, engine.Search{Namespace: w.namespace, Query: query, Page: limit + 1}) {
		switch {
		case err != nil:
			return nil, false, err
		case len(found) == limit:
			return found, true, nil
		}
		found = append(found, executionOf(run))
	}
	return found, false, nil
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
	q := engine.Queue{Namespace: w.namespace, Name: queue, Workflows: workflows}
	return engine.Polled(ctx, w.engine.WorkflowService(), q, time.Now())
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
	err := engine.Cancel(ctx, w.engine.WorkflowService(), engine.Cancellation{
		Namespace: w.namespace, WorkflowID: workflowID, RunID: runID, Reason: reason,
	})
	if engine.IsUnknown(err) {
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
	list, err := w.engine.ScheduleClient().List(ctx, client.ScheduleListOptions{PageSize: engine.MaxPage})
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
	s, err := engine.Schedule(ctx, w.engine.ScheduleClient(), id)
	if err != nil {
		return activities.ScheduleState{}, unknown(err)
	}
	return activities.ScheduleState{ID: s.ID, Paused: s.Paused, Note: s.Note, Next: s.Next}, nil
}

// unknown tells what the engine does not have from what it did not answer.
func unknown(err error) error {
	if engine.IsUnknown(err) {
		return fmt.Errorf("%w (%w)", activities.ErrUnknownToEngine, err)
	}
	return err
}

func executionOf(info *workflowpb.WorkflowExecutionInfo) activities.Execution {
	e := activities.Execution{
		WorkflowID: info.GetExecution().GetWorkflowId(), RunID: info.GetExecution().GetRunId(), Type: info.GetType().GetName(),
		Root: info.GetRootExecution().GetWorkflowId(), Started: info.GetStartTime().AsTime(),
		Customer: engine.Keyword(info, collection.AttributeCustomer), Source: engine.Keyword(info, collection.AttributeSource),
		Reason: collection.Reason(engine.Keyword(info, collection.AttributeReason)),
	}
	switch info.GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED:
		e.Running = true
	default:
		e.Ended = info.GetCloseTime().AsTime()
	}
	return e
}
