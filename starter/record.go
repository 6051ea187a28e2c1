package starter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
	"github.com/weir-collect/weir/internal/urlkey"
	"github.com/weir-collect/weir/internal/verdict"
)

// StageWaiting is where a record stands that has not been released: it waits in its batch.
const StageWaiting = "waiting"

// RecordAnswer is where one record is.
type RecordAnswer struct {
	Submission string `json:"submission"`
	Record     string `json:"record"`
	Source     string `json:"source,omitempty"`
	Key        string `json:"key,omitempty"`
	Line       int    `json:"line,omitempty"`
	// Stage is StageWaiting, "collect", "parse" or "deliver"; empty once the record has ended.
	Stage string `json:"stage,omitempty"`
	// Ground is what knew the answer: "engine", "ledger" or "plan".
	Ground string `json:"ground"`
	// Result is how the record ended.
	Result *collection.RecordResult `json:"result,omitempty"`
	// Activity is what the engine knows of the running stage.
	Activity *RunningActivity `json:"activity,omitempty"`
	// Notes say who could not be asked.
	Notes []string `json:"notes,omitempty"`
}

// RunningActivity is the stage that a record is in now.
type RunningActivity struct {
	// Attempt counts Temporal's attempts, waits and lost workers included.
	Attempt int32 `json:"attempt"`
	// State is "scheduled", "started", "backing_off" or "paused".
	State string `json:"state"`
	// NextAttempt is when a record that backs off is tried again.
	NextAttempt *time.Time `json:"next_attempt,omitempty"`
	// LastFailure is what the attempt before met.
	LastFailure string `json:"last_failure,omitempty"`
	Worker      string `json:"worker,omitempty"`
	// Progress is what the running attempt last told.
	Progress *collection.AttemptProgress `json:"progress,omitempty"`
}

// Record says where one record of a submission is. name is its id, its key, or its URL. While the engine or the store does not
// answer, the other's word is given as Status does.
func (c *Client) Record(ctx context.Context, id, name string) (RecordAnswer, error) {
	if err := collection.CheckSubmissionID(id); err != nil {
		return RecordAnswer{}, err
	}
	if name == "" {
		return RecordAnswer{}, errors.New("name the record by its id, its key or its URL")
	}
	for _, candidate := range c.candidates(name) {
		answer, err := c.engineRecord(ctx, id, candidate)
		if err == nil {
			return answer, nil
		}
		if silent := silentEngine(ctx, err); silent != nil {
			return c.recordAlone(ctx, id, name, silent)
		}
		if !engine.IsUnknown(err) {
			return answer, fmt.Errorf("ask for record %s of %s: %w", candidate, id, err)
		}
	}
	return c.storedRecord(ctx, id, name)
}

// candidates are the ids that a name may mean: a key is one record per source.
func (c *Client) candidates(name string) []string {
	if collection.IsRecordID(name) {
		return []string{name}
	}
	var ids []string
	for _, source := range c.sources {
		ids = append(ids, idsOf(source, name)...)
	}
	return ids
}

// idsOf are the ids that a key or a URL may have at a source.
func idsOf(source, name string) []string {
	ids := []string{collection.RecordID(source, name)}
	if key, err := urlkey.Key(name); err == nil && key != name {
		ids = append(ids, collection.RecordID(source, key))
	}
	return ids
}

// engineRecord answers from the record's workflow, without any worker.
func (c *Client) engineRecord(ctx context.Context, id, record string) (RecordAnswer, error) {
	workflowID := collection.RecordWorkflowID(id, record)
	d, err := c.describe(ctx, workflowID)
	if err != nil {
		return RecordAnswer{}, err
	}
	info := d.GetWorkflowExecutionInfo()
	in, err := startInput[collection.RecordInput](ctx, c, workflowID, info.GetExecution().GetRunId())
	if err != nil {
		return RecordAnswer{}, err
	}
	answer := RecordAnswer{
		Submission: id, Record: record, Ground: "engine", Source: in.Source, Key: in.Record.Key, Line: in.Record.Line,
	}
	switch info.GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED:
		answer.Stage, answer.Activity = runningStage(d)
		return answer, nil
	}
	answer.Result, err = c.recordResult(ctx, workflowID, record)
	if err == nil && in.Replay != nil && answer.Result.Outcome == collection.OutcomeCancelled {
		// A replay that was stopped has changed nothing: the record is the dead letter that it was.
		return c.storedRecord(ctx, id, record)
	}
	if err != nil {
		return answer, err
	}
	return c.unlessBooked(ctx, answer, in.Replay != nil), nil
}

// startInput is the input of a workflow. It stands in the first event of the history, so this is one call.
func startInput[T any](ctx context.Context, c *Client, workflowID, runID string) (T, error) {
	var in T
	history := c.engine.GetWorkflowHistory(ctx, workflowID, runID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	first, err := history.Next()
	if err != nil {
		return in, err
	}
	err = converter.GetDefaultDataConverter().FromPayloads(first.GetWorkflowExecutionStartedEventAttributes().GetInput(), &in)
	if err != nil {
		return in, fmt.Errorf("read the input of workflow %s: %w", workflowID, err)
	}
	return in, nil
}

var stages = map[string]string{
	collection.ActivityCollect: "collect", collection.ActivityParse: "parse", collection.ActivityDeliver: "deliver",
}

func runningStage(d *workflowservice.DescribeWorkflowExecutionResponse) (string, *RunningActivity) {
	for _, a := range d.GetPendingActivities() {
		if stage, ok := stages[a.GetActivityType().GetName()]; ok {
			return stage, running(a)
		}
	}
	// Between two stages, while a workflow task decides on the next.
	return "collect", nil
}

func running(a *workflowpb.PendingActivityInfo) *RunningActivity {
	r := &RunningActivity{
		Attempt: a.GetAttempt(), LastFailure: a.GetLastFailure().GetMessage(), Worker: a.GetLastWorkerIdentity(), State: "scheduled",
	}
	switch {
	case a.GetPaused():
		r.State = "paused"
	case a.GetState() == enumspb.PENDING_ACTIVITY_STATE_STARTED, a.GetState() == enumspb.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED:
		// An attempt that is asked to stop runs until it has.
		r.State = "started"
	case a.GetNextAttemptScheduleTime() != nil:
		next := a.GetNextAttemptScheduleTime().AsTime()
		if next.After(time.Now()) {
			r.State, r.NextAttempt = "backing_off", &next
		}
	}
	var progress collection.AttemptProgress
	if converter.GetDefaultDataConverter().FromPayloads(a.GetHeartbeatDetails(), &progress) == nil && a.GetHeartbeatDetails() != nil {
		r.Progress = &progress
	}
	return r
}

// storedRecord answers from the ledger, or from the plan for a record that was not released yet. It costs three reads,
// however many records there are: the plan, a part of its index, and the record's batch.
func (c *Client) storedRecord(ctx context.Context, id, name string) (RecordAnswer, error) {
	plan, err := c.planned(ctx, id)
	if err != nil {
		return RecordAnswer{}, err
	}
	wanted := c.wanted(plan, name)
	place, err := c.locate(ctx, plan, wanted)
	switch {
	case errors.Is(err, errNoIndex):
		return c.scan(ctx, plan, name, wanted, partsOf(plan, Filter{}))
	case err != nil:
		return RecordAnswer{}, err
	case place == nil:
		// It became no record, or there is no such row: the rejected ones tell.
		return c.scan(ctx, plan, name, wanted, partsOf(plan, Filter{})[:plan.RejectedParts])
	}
	return c.scan(ctx, plan, name, wanted, []Cursor{*place})
}

// wanted are the ids that a name may mean in a submission: its plan says which sources it has.
func (c *Client) wanted(plan collection.PlanResult, name string) []string {
	ids := append(c.candidates(name), idsIn(plan, name)...)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// scan looks for a record in parts of the plan or the ledger.
func (c *Client) scan(ctx context.Context, plan collection.PlanResult, name string, wanted []string, parts []Cursor) (RecordAnswer, error) {
	id, reader := plan.Submission, c.rows(plan)
	var rejected *RecordAnswer
	for _, at := range parts {
		rows, err := reader.part(ctx, at)
		if err != nil {
			return RecordAnswer{}, err
		}
		for _, row := range rows {
			if row.Key != name && row.Record != name && !slices.Contains(wanted, row.Record) {
				continue
			}
			answer := RecordAnswer{Submission: id, Record: row.Record, Source: row.Source, Key: row.Key, Line: row.Line, Ground: "ledger"}
			switch row.Outcome {
			case OutcomePending:
				answer.Ground, answer.Stage = "plan", StageWaiting
			case OutcomeUnknown:
				if reader.silent != nil {
					return RecordAnswer{}, fmt.Errorf("how record %s of submission %s ended cannot be known now: its ledger is not in the bucket; %w",
						name, id, reader.silent)
				}
				answer.Ground, answer.Result = "plan", &row.RecordResult
			case collection.OutcomeDuplicate, collection.OutcomeInvalid:
				// Rows that became no record come first. The record itself, if there is one, is what was asked for.
				answer.Result = &row.RecordResult
				rejected = cmp.Or(rejected, &answer)
				continue
			default:
				answer.Result = &row.RecordResult
			}
			return answer, nil
		}
	}
	if rejected != nil {
		return *rejected, nil
	}
	return RecordAnswer{}, fmt.Errorf("submission %s has no record %s: %w", id, name, ErrNotFound)
}

func (c *Client) recordResult(ctx context.Context, workflowID, record string) (*collection.RecordResult, error) {
	var result collection.RecordResult
	err := c.engine.GetWorkflow(ctx, workflowID, "").Get(ctx, &result)
	if err == nil {
		return &result, nil
	}
	var execution *temporal.WorkflowExecutionError
	if !errors.As(err, &execution) {
		return nil, err
	}
	result = verdict.OfRecord(record, err)
	return &result, nil
}
