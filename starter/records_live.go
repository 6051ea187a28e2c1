package starter

import (
	"context"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
)

// endedUnbooked is the detail of a record that has ended, though its batch, which would say how, still runs.
const endedUnbooked = "it has ended, its batch has not"

// ended tells of the records of a batch that still runs those that have ended, with one question to visibility: dead letters with
// their reason, others as pending with a detail, since how they ended stands in their results alone. Only runs of the submission's
// present life count. An engine that does not answer says nothing of them, and no more does it of a record that ended a moment ago.
func (r *rowReader) ended(ctx context.Context, source string, n int, fate collection.RecordResult) map[string]collection.RecordResult {
	if !r.live || fate.Outcome != OutcomePending || r.silent != nil {
		return nil
	}
	ask, cancel := context.WithTimeout(ctx, engineTimeout)
	defer cancel()
	query := fmt.Sprintf("WorkflowType = %q AND ParentWorkflowId = %q AND StartTime >= %q", collection.WorkflowRecord,
		collection.BatchWorkflowID(r.plan.Submission, source, n), r.began.UTC().Format(time.RFC3339Nano))
	type end struct {
		result collection.RecordResult
		began  time.Time
		runs   bool
	}
	latest := map[string]end{}
	for run, err := range engine.Runs(ask, r.client.engine, engine.Search{Namespace: r.client.namespace, Query: query}) {
		if err != nil {
			return nil
		}
		l, ok := ofWorkflow(run)
		began := run.GetStartTime().AsTime()
		if known, twice := latest[l.Record]; !ok || twice && known.began.After(began) {
			continue
		}
		e := end{began: began, result: collection.RecordResult{Outcome: OutcomePending, Detail: endedUnbooked}}
		switch run.GetStatus() {
		case enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED:
			e.runs = true
		case enumspb.WORKFLOW_EXECUTION_STATUS_FAILED:
			if l.Reason != "" {
				e.result = collection.RecordResult{Outcome: collection.OutcomeDeadLettered, Reason: l.Reason}
			}
		}
		latest[l.Record] = e
	}
	ended := make(map[string]collection.RecordResult, len(latest))
	for record, e := range latest {
		if !e.runs {
			ended[record] = e.result
		}
	}
	return ended
}
