package starter

import (
	"context"
	"fmt"
	"path"
	"strconv"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/converter"

	"github.com/weir-collect/weir/collection"
)

// offlineStatus is what a running submission would answer itself: it reads the history as the submission's workflow does, and so
// needs no worker. It costs a call for each thousand or so events, of which a submission of 200,000 records has some 2,000.
func (c *Client) offlineStatus(ctx context.Context, id, run string) (collection.SubmissionStatus, error) {
	r := &reading{
		status:  collection.SubmissionStatus{Submission: id, State: collection.StateAccepted, Outcomes: collection.Tally{}},
		started: map[int64]string{}, children: map[int64]batchName{}, batches: map[batchName]*collection.BatchProgress{}, ended: map[batchName]bool{},
	}
	history := c.engine.GetWorkflowHistory(ctx, id, run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		if err != nil {
			return r.status, fmt.Errorf("read the history of submission %s: %w", id, err)
		}
		if err := r.take(event); err != nil {
			return r.status, fmt.Errorf("read event %d of submission %s: %w", event.GetEventId(), id, err)
		}
	}
	return r.sum(), nil
}

type batchName struct {
	source string
	number int
}

// reading is a submission's history as far as it has been read.
type reading struct {
	status collection.SubmissionStatus
	plan   collection.PlanResult
	// started are the types of the activities, and children the batches, by the event that started them.
	started  map[int64]string
	children map[int64]batchName
	batches  map[batchName]*collection.BatchProgress
	ended    map[batchName]bool
}

// stageOf is what a submission does while an activity of its own runs.
var stageOf = map[string]string{collection.ActivityPlan: "plan", collection.ActivitySettle: "settle", collection.ActivityShip: "ship"}

func (r *reading) take(e *historypb.HistoryEvent) error {
	switch e.GetEventType() {
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED:
		var in collection.SubmissionInput
		err := decode(e.GetWorkflowExecutionStartedEventAttributes().GetInput(), &in)
		r.status.Customer, r.status.AcceptedAt = in.Customer, e.GetEventTime().AsTime()
		return err
	case enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED:
		kind := e.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName()
		r.started[e.GetEventId()] = kind
		if kind == collection.ActivityFindBatch {
			return r.adopt(e)
		}
		if stage, ok := stageOf[kind]; ok {
			r.status.Stage = stage
		}
		if kind == collection.ActivitySettle {
			r.status.State = collection.StateProcessing
		}
	case enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED:
		done := e.GetActivityTaskCompletedEventAttributes()
		switch r.started[done.GetScheduledEventId()] {
		case collection.ActivityPlan:
			r.status.Stage, r.status.State = "collect", collection.StateProcessing
			return decode(done.GetResult(), &r.plan)
		case collection.ActivitySettle:
			r.status.Result = &collection.SubmissionResult{}
			return decode(done.GetResult(), r.status.Result)
		case collection.ActivityFindBatch:
			return r.end(done.GetScheduledEventId(), done.GetResult())
		}
	case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED:
		signal := e.GetWorkflowExecutionSignaledEventAttributes()
		if signal.GetSignalName() != collection.SignalBatchProgress {
			return nil
		}
		var p collection.BatchProgress
		err := decode(signal.GetInput(), &p)
		name := batchName{p.Source, p.Number}
		if known := r.batches[name]; !r.ended[name] && (known == nil || p.Released >= known.Released) {
			r.batches[name] = &p
		}
		return err
	}
	return r.takeChild(e)
}

// takeChild takes in how a batch began and ended.
func (r *reading) takeChild(e *historypb.HistoryEvent) error {
	var initiated int64
	var result *commonpb.Payloads
	switch e.GetEventType() {
	case enumspb.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED:
		var in collection.BatchInput
		err := decode(e.GetStartChildWorkflowExecutionInitiatedEventAttributes().GetInput(), &in)
		r.children[e.GetEventId()] = batchName{in.Source, in.Number}
		return err
	case enumspb.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_COMPLETED:
		a := e.GetChildWorkflowExecutionCompletedEventAttributes()
		initiated, result = a.GetInitiatedEventId(), a.GetResult()
	case enumspb.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_CANCELED:
		a := e.GetChildWorkflowExecutionCanceledEventAttributes()
		initiated, result = a.GetInitiatedEventId(), a.GetDetails()
	case enumspb.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_FAILED:
		r.ended[r.children[e.GetChildWorkflowExecutionFailedEventAttributes().GetInitiatedEventId()]] = true
		return nil
	case enumspb.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_TERMINATED:
		r.ended[r.children[e.GetChildWorkflowExecutionTerminatedEventAttributes().GetInitiatedEventId()]] = true
		return nil
	default:
		return nil
	}
	return r.end(initiated, result)
}

// adopt notes a batch that an earlier run had started, which an activity waits for.
func (r *reading) adopt(e *historypb.HistoryEvent) error {
	var in collection.FindInput
	if err := decode(e.GetActivityTaskScheduledEventAttributes().GetInput(), &in); err != nil {
		return err
	}
	rest, number := path.Split(in.WorkflowID)
	n, err := strconv.Atoi(number)
	if err != nil {
		return fmt.Errorf("%q is no batch: %w", in.WorkflowID, err)
	}
	r.children[e.GetEventId()] = batchName{path.Base(rest), n}
	return nil
}

// end takes in a batch's result.
func (r *reading) end(started int64, result *commonpb.Payloads) error {
	name := r.children[started]
	r.ended[name] = true
	if result == nil {
		return nil
	}
	var out collection.BatchResult
	err := decode(result, &out)
	r.batches[name] = &collection.BatchProgress{Source: name.source, Number: name.number, Released: r.records(name), Outcomes: out.Outcomes}
	return err
}

// records is how many records a batch has.
func (r *reading) records(name batchName) int {
	for _, src := range r.plan.Sources {
		for _, b := range src.Batches {
			if src.Source == name.source && b.Number == name.number {
				return b.Records
			}
		}
	}
	return 0
}

// sum is the status as the workflow counts it.
func (r *reading) sum() collection.SubmissionStatus {
	s := r.status
	if r.plan.Submission != "" {
		s.AcceptedAt = r.plan.AcceptedAt
	}
	s.Lane, s.Expected, s.Notes = r.plan.Lane, r.plan.Expected, r.plan.Notes
	s.Outcomes.Merge(r.plan.Rejected)
	for _, src := range r.plan.Sources {
		share := collection.SourceProgress{Source: src.Source, Records: src.Records, Outcomes: collection.Tally{}}
		for _, b := range src.Batches {
			if p := r.batches[batchName{src.Source, b.Number}]; p != nil {
				share.Released += p.Released
				share.Outcomes.Merge(p.Outcomes)
			}
		}
		s.Sources = append(s.Sources, share)
		s.Outcomes.Merge(share.Outcomes)
	}
	return s
}

func decode(p *commonpb.Payloads, into any) error {
	return converter.GetDefaultDataConverter().FromPayloads(p, into)
}
