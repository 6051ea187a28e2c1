package workflows_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/workflows"
)

// planOf is a plan with batches of ten records per source.
func planOf(batches map[string]int) collection.PlanResult {
	p := collection.PlanResult{Submission: "s", Customer: "acme", AcceptedAt: acceptedAt, Lane: collection.LaneBulk, Weight: 2.5}
	for _, source := range []string{"books", "films", "songs"} {
		if batches[source] == 0 {
			continue
		}
		src := collection.SourcePlan{Source: source, Policy: policy(4)}
		for n := range batches[source] {
			src.Batches = append(src.Batches, collection.BatchPlan{Number: n + 1, Records: 10})
			src.Records += 10
		}
		p.Sources = append(p.Sources, src)
		p.Accepted += src.Records
	}
	p.Rejected.Add(collection.OutcomeInvalid, collection.ReasonRowMalformed, 3)
	p.Expected = p.Accepted + p.Rejected.Total()
	return p
}

var settled = collection.SubmissionResult{
	State: collection.StatePartiallyFailed, Expected: 43, Manifest: "results/acme/s/manifest.json",
	Outcomes: collection.Tally{{Outcome: collection.OutcomeDelivered, Records: 43}},
}

func submissionInput() collection.SubmissionInput {
	return collection.SubmissionInput{Customer: "acme", Upload: "uploads/acme/s/records.csv"}
}

// newSubmissionEngine is an engine whose submission has that plan and settles well; the ends of its batches are set by
// the test.
func newSubmissionEngine(t testing.TB, plan collection.PlanResult) *engine {
	e := newEngine(t).withBatches()
	e.SetStartTime(acceptedAt)
	o := e.start()
	o.ID = "s"
	e.SetStartWorkflowOptions(o)
	e.plan = func(in collection.PlanInput) (collection.PlanResult, error) {
		require.Equal(t, collection.PlanInput{Submission: "s", Request: submissionInput(), AcceptedAt: acceptedAt}, in)
		return plan, nil
	}
	e.settle = func(in collection.SettleInput) (collection.SettleResult, error) {
		require.Equal(t, collection.SettleInput{Submission: "s", Customer: "acme"}, in)
		return settled, nil
	}
	e.batch = func(ctx workflow.Context, in collection.BatchInput) (collection.BatchResult, error) {
		if err := workflow.Sleep(ctx, time.Hour); err != nil {
			return collection.BatchResult{}, err
		}
		return allDelivered(in), nil
	}
	return e
}

func allDelivered(in collection.BatchInput) collection.BatchResult {
	return collection.BatchResult{
		Outcomes: collection.Tally{{Outcome: collection.OutcomeDelivered, Records: in.Records}},
		Ledger:   collection.LedgerKey(in.Submission, in.Source, in.Number),
	}
}

// reportTo tells the submission how far a batch is.
func reportTo(ctx workflow.Context, in collection.BatchInput, released int, outcomes collection.Tally) error {
	return workflow.SignalExternalWorkflow(ctx, in.Submission, "", collection.SignalBatchProgress, collection.BatchProgress{
		Source: in.Source, Number: in.Number, Released: released, Outcomes: outcomes,
	}).Get(ctx, nil)
}

func TestSubmissionOfSeveralSources(t *testing.T) {
	t.Parallel()
	plan := planOf(map[string]int{"books": 3, "films": 1})
	e := newSubmissionEngine(t, plan)
	batch := e.batch
	e.batch = func(ctx workflow.Context, in collection.BatchInput) (collection.BatchResult, error) {
		require.Equal(t, collection.BatchInput{
			Submission: "s", Customer: "acme", Source: in.Source, Number: in.Number, Records: 10,
			AcceptedAt: acceptedAt, Policy: policy(4), ProgressStep: 1,
		}, in)
		return batch(ctx, in)
	}
	e.ExecuteWorkflow(workflows.Submission, submissionInput())
	require.Equal(t, settled, result[collection.SubmissionResult](e))

	require.Len(t, e.children, 4)
	o := e.children["s/books/2"]
	require.Equal(t, temporal.Priority{PriorityKey: collection.LaneBulk.PriorityKey(), FairnessKey: "acme", FairnessWeight: 2.5}, o.Priority)
	require.Equal(t, attributes("acme", "books"), o.TypedSearchAttributes)
	require.Equal(t, "books: batch 2 of 3, 10 records", o.StaticSummary)
	require.Equal(t, collection.QueueWorkflows, o.TaskQueue)
	require.True(t, o.WaitForCancellation)
	require.Equal(t, "films: batch 1 of 1, 10 records", e.children["s/films/1"].StaticSummary)

	got := status[collection.SubmissionStatus](e)
	require.Equal(t, collection.StatePartiallyFailed, got.State)
	require.Empty(t, got.Stage)
	require.Equal(t, &settled, got.Result)
	require.Equal(t, settled.Outcomes, got.Outcomes)
}

// TestSubmissionOverlapsBatches has batches that release their last record after an hour, and whose last record takes ten
// hours: the next batch starts after that one hour, and a slow source holds up no other.
func TestSubmissionOverlapsBatches(t *testing.T) {
	t.Parallel()
	e := newSubmissionEngine(t, planOf(map[string]int{"books": 3, "films": 2, "songs": 2}))
	started := map[string]time.Duration{}
	e.batch = func(ctx workflow.Context, in collection.BatchInput) (collection.BatchResult, error) {
		e.mu.Lock()
		started[collection.BatchWorkflowID(in.Submission, in.Source, in.Number)] = workflow.Now(ctx).Sub(acceptedAt)
		e.mu.Unlock()
		switch in.Source {
		case "books":
			require.NoError(t, workflow.Sleep(ctx, 30*time.Minute))
			require.NoError(t, reportTo(ctx, in, 9, nil))
			require.NoError(t, workflow.Sleep(ctx, 30*time.Minute))
			require.NoError(t, reportTo(ctx, in, 10, nil))
			require.NoError(t, workflow.Sleep(ctx, 9*time.Hour))
		case "films":
			// It never reports, and so the next one waits for its end.
			require.NoError(t, workflow.Sleep(ctx, 2*time.Hour))
		case "songs":
			require.NoError(t, workflow.Sleep(ctx, 1000*time.Hour))
		}
		return allDelivered(in), nil
	}
	e.ExecuteWorkflow(workflows.Submission, submissionInput())
	result[collection.SubmissionResult](e)
	require.Equal(t, map[string]time.Duration{
		"s/books/1": 0, "s/books/2": time.Hour, "s/books/3": 2 * time.Hour,
		"s/films/1": 0, "s/films/2": 2 * time.Hour,
		"s/songs/1": 0, "s/songs/2": 1000 * time.Hour,
	}, started)
}

// TestSubmissionSettlesWhatItsBatchesLeave has a batch that fails and one that is terminated.
func TestSubmissionSettlesWhatItsBatchesLeave(t *testing.T) {
	t.Parallel()
	e := newSubmissionEngine(t, planOf(map[string]int{"books": 3}))
	batch := e.batch
	e.batch = func(ctx workflow.Context, in collection.BatchInput) (collection.BatchResult, error) {
		switch in.Number {
		case 1:
			return collection.BatchResult{}, temporal.NewNonRetryableApplicationError("the batch is gone", string(collection.ReasonInternal), nil)
		case 2:
			return collection.BatchResult{}, &temporal.TerminatedError{}
		}
		return batch(ctx, in)
	}
	settle := e.settle
	e.settle = func(in collection.SettleInput) (collection.SettleResult, error) {
		got := status[collection.SubmissionStatus](e)
		require.Equal(t, []collection.SourceProgress{{
			Source: "books", Records: 30, Released: 10, Outcomes: collection.Tally{{Outcome: collection.OutcomeDelivered, Records: 10}},
		}}, got.Sources)
		return settle(in)
	}
	e.ExecuteWorkflow(workflows.Submission, submissionInput())
	require.Equal(t, settled, result[collection.SubmissionResult](e))
	require.Len(t, e.children, 3)
}

func TestSubmissionOfNoRecordsIsSettled(t *testing.T) {
	t.Parallel()
	e := newSubmissionEngine(t, planOf(nil))
	e.ExecuteWorkflow(workflows.Submission, submissionInput())
	require.Equal(t, settled, result[collection.SubmissionResult](e))
	require.Empty(t, e.children)
}

func TestSubmissionIsMarkedWithItsCustomerOnce(t *testing.T) {
	t.Parallel()
	for name, marked := range map[string]bool{"started by weir": true, "started by another client": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newSubmissionEngine(t, planOf(nil))
			var want []string
			if marked {
				require.NoError(t, e.SetTypedSearchAttributesOnStart(temporal.NewSearchAttributes(
					temporal.NewSearchAttributeKeyKeyword(collection.AttributeCustomer).ValueSet("acme"))))
			} else {
				want = []string{"acme"}
			}
			e.ExecuteWorkflow(workflows.Submission, submissionInput())
			result[collection.SubmissionResult](e)
			require.Equal(t, want, e.customers)
			require.Empty(t, e.reasons)
		})
	}
}

func TestSubmissionFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in     func(*collection.SubmissionInput)
		id     string
		set    func(*engine)
		reason collection.Reason
		text   string
	}{
		"the input makes no sense": {
			in:     func(in *collection.SubmissionInput) { in.Customer, in.Upload = "ACME Inc.", "" },
			reason: collection.ReasonSubmissionInvalid, text: `the submission cannot be accepted: customer "ACME Inc."`,
		},
		"two kinds of input": {
			in:     func(in *collection.SubmissionInput) { in.Records = []json.RawMessage{json.RawMessage(`{}`)} },
			reason: collection.ReasonSubmissionInvalid, text: "both upload and records are given",
		},
		"the workflow id is no submission id": {
			id: "a/b", reason: collection.ReasonSubmissionInvalid, text: `submission id "a/b"`,
		},
		"it cannot be planned": {
			set: func(e *engine) {
				e.plan = func(collection.PlanInput) (collection.PlanResult, error) {
					return collection.PlanResult{}, reasonError(collection.ReasonUploadMissing, collection.AttemptFailure{Detail: "there is no file"})
				}
			},
			reason: collection.ReasonUploadMissing, text: "the submission could not be planned: there is no file",
		},
		"it cannot be settled": {
			set: func(e *engine) {
				e.settle = func(collection.SettleInput) (collection.SettleResult, error) {
					return collection.SettleResult{}, reasonError(collection.ReasonInternal, collection.AttemptFailure{Detail: "the books do not balance"})
				}
			},
			reason: collection.ReasonInternal, text: "the submission could not be settled: the books do not balance",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newSubmissionEngine(t, planOf(map[string]int{"books": 1}))
			in := submissionInput()
			if test.in != nil {
				test.in(&in)
			}
			if test.set != nil {
				test.set(e)
			}
			if test.id != "" {
				o := e.start()
				o.ID = test.id
				e.SetStartWorkflowOptions(o)
			}
			e.ExecuteWorkflow(workflows.Submission, in)
			app := failure(e)
			require.Equal(t, string(test.reason), app.Type())
			require.True(t, strings.HasPrefix(app.Message(), "the submission c"), app.Message())
			require.Contains(t, app.Message(), test.text)
			require.Equal(t, []string{string(test.reason)}, e.reasons)
			got := status[collection.SubmissionStatus](e)
			require.Equal(t, collection.StateFailed, got.State)
			require.Empty(t, got.Stage)
		})
	}
}
