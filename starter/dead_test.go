package starter_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// failedRun is a failed record's workflow, as the engine lists it.
func failedRun(id, source string, reason collection.Reason, ended time.Time) *workflowpb.WorkflowExecutionInfo {
	fields := map[string]*commonpb.Payload{}
	for name, value := range map[string]string{
		collection.AttributeCustomer: "acme", collection.AttributeSource: source, collection.AttributeReason: string(reason),
	} {
		payload, err := converter.GetDefaultDataConverter().ToPayload(value)
		if err != nil {
			panic(err)
		}
		fields[name] = payload
	}
	return &workflowpb.WorkflowExecutionInfo{
		Execution: &commonpb.WorkflowExecution{WorkflowId: id}, CloseTime: timestamppb.New(ended),
		SearchAttributes: &commonpb.SearchAttributes{IndexedFields: fields},
	}
}

// lists lets the engine answer a query with a page of workflows for each list.
func (tr *trial) lists(query string, pages ...[]*workflowpb.WorkflowExecutionInfo) {
	for i, page := range pages {
		var this, next []byte
		if i > 0 {
			this = []byte{byte(i)}
		}
		if i < len(pages)-1 {
			next = []byte{byte(i + 1)}
		}
		tr.engine.On("ListWorkflow", mock.Anything, mock.MatchedBy(func(r *workflowservice.ListWorkflowExecutionsRequest) bool {
			return r.GetQuery() == query && r.GetNamespace() == "weir-test" && slices.Equal(r.GetNextPageToken(), this)
		})).Return(&workflowservice.ListWorkflowExecutionsResponse{Executions: page, NextPageToken: next}, nil)
	}
}

const allFailed = `WorkflowType = "Record" AND ExecutionStatus = 'Failed'`

func dead(t *testing.T, tr *trial, f starter.DeadFilter) []starter.DeadLetter {
	t.Helper()
	var all []starter.DeadLetter
	for l, err := range tr.client.Dead(t.Context(), f) {
		require.NoError(t, err)
		all = append(all, l)
	}
	return all
}

// TestDeadWhileItRuns: nothing is settled yet, so the engine says what has failed; of two runs the latest counts.
func TestDeadWhileItRuns(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	first, second := accepted.Add(time.Minute), accepted.Add(time.Hour)
	tr.lists(allFailed,
		[]*workflowpb.WorkflowExecutionInfo{
			failedRun("run-2/"+bookID(1), "books", collection.ReasonTimeout, second),
			failedRun("run-1/"+bookID(2), "films", collection.ReasonParseEmpty, first),
			failedRun("weir/other", "films", collection.ReasonParseEmpty, first),
		},
		[]*workflowpb.WorkflowExecutionInfo{failedRun("run-1/"+bookID(2), "films", collection.ReasonParseEmpty, second)},
	)
	require.Equal(t, []starter.DeadLetter{
		{Submission: "run-1", Record: bookID(2), Source: "films", Customer: "acme", Reason: collection.ReasonParseEmpty, Since: &second, Ground: "engine"},
		{Submission: "run-2", Record: bookID(1), Source: "books", Customer: "acme", Reason: collection.ReasonTimeout, Since: &second, Ground: "engine"},
	}, dead(t, tr, starter.DeadFilter{}))
	require.Len(t, dead(t, tr, starter.DeadFilter{Before: second.Add(time.Second)}), 2)
	require.Empty(t, dead(t, tr, starter.DeadFilter{Before: second}))
}

// deadManifest is the manifest of the submission with so many dead books.
func deadManifest(n int) collection.Manifest {
	m := manifest
	m.Sources = []collection.SourceOutcomes{{Source: "books", Expected: 3, Outcomes: collection.Tally{
		{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonParseEmpty, Records: n},
	}}}
	return m
}

// TestDeadOfASettledSubmission: what was replayed since is no dead letter, though the engine remembers that it failed.
func TestDeadOfASettledSubmission(t *testing.T) {
	t.Parallel()
	failedAt := accepted.Add(time.Minute)
	runs := []*workflowpb.WorkflowExecutionInfo{
		failedRun(submission+"/"+bookID(1), "books", collection.ReasonParseEmpty, failedAt),
		failedRun(submission+"/"+bookID(2), "books", collection.ReasonParseEmpty, failedAt),
	}
	tr := setup(t).planned()
	stores(tr, collection.LedgerKey(submission, "books", 2), collection.LedgerRow{Line: 5, Key: bookURL(3), Source: "books",
		RecordResult: collection.RecordResult{Record: bookID(3), Outcome: collection.OutcomeDelivered, Delivered: &collection.Delivered{}}})
	stores(tr, collection.ManifestKey("acme", submission), deadManifest(1))
	tr.lists(allFailed, runs)
	got := dead(t, tr, starter.DeadFilter{})
	require.Equal(t, []starter.DeadLetter{{
		Submission: submission, Record: bookID(2), Source: "books", Customer: "acme", Reason: collection.ReasonParseEmpty,
		Since: &failedAt, Ground: "ledger", Line: 2, Key: bookURL(2), Detail: "no field was found",
	}}, got)

	tr = setup(t).planned()
	stores(tr, collection.ManifestKey("acme", submission), deadManifest(2))
	tr.lists(allFailed, runs)
	require.Len(t, dead(t, tr, starter.DeadFilter{}), 2)
	require.NotContains(t, tr.store.reads, collection.LedgerKey(submission, "books", 1), "where the counts agree, the ledger is not read")
}

// TestDeadOfOneSubmission reads the ledger, and asks the engine about batches that still run.
func TestDeadOfOneSubmission(t *testing.T) {
	t.Parallel()
	failedAt, fetched, tried := accepted.Add(time.Minute), accepted.Add(time.Hour), accepted.Add(2*time.Hour)
	tr := setup(t).underway()
	row := booksRows[1]
	row.FirstRequestAt, row.Raw = &failedAt, &collection.Raw{Key: "raw/x", FetchedAt: fetched}
	stores(tr, collection.LedgerKey(submission, "books", 1), booksRows[0], row)
	tr.lists(allFailed+` AND WorkflowId STARTS_WITH "acme-1/"`, []*workflowpb.WorkflowExecutionInfo{
		failedRun(submission+"/"+bookID(2), "books", collection.ReasonParseEmpty, failedAt),
		failedRun(submission+"/"+bookID(3), "books", collection.ReasonTimeout, failedAt),
	})
	got := dead(t, tr, starter.DeadFilter{Submission: submission})
	require.Len(t, got, 2)
	require.Equal(t, []string{"ledger", "engine"}, []string{got[0].Ground, got[1].Ground})
	require.Equal(t, "raw/x", got[0].Raw)
	require.Equal(t, &failedAt, got[0].Since, "when it failed, as weir dead says of all submissions")
	require.Equal(t, []any{5, bookURL(3)}, []any{got[1].Line, got[1].Key}, "the plan tells which it is")
	require.Equal(t, bookID(3), got[1].Record)

	row.Trail = &collection.Trail{Attempts: []collection.AttemptLine{{At: tried}}}
	stores(tr, collection.LedgerKey(submission, "books", 1), booksRows[0], row)
	got = dead(t, tr, starter.DeadFilter{Submission: submission, Select: collection.ReplaySelect{Records: []string{bookURL(2)}}})
	require.Len(t, got, 1)
	require.Equal(t, &failedAt, got[0].Since)
	require.NotEqual(t, &tried, got[0].Since)
}

// TestDeadThatTheEngineHasForgotten: the ledger knows when the site was last asked.
func TestDeadThatTheEngineHasForgotten(t *testing.T) {
	t.Parallel()
	fetched, tried := accepted.Add(time.Hour), accepted.Add(2*time.Hour)
	for name, listed := range map[string]error{"it remembers none": nil, "it does not answer": errDown} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := setup(t).planned()
			row := booksRows[1]
			row.FirstRequestAt, row.Raw = &accepted, &collection.Raw{Key: "raw/x", FetchedAt: fetched}
			stores(tr, collection.LedgerKey(submission, "books", 1), booksRows[0], row)
			stores(tr, collection.LedgerKey(submission, "books", 2), collection.LedgerRow{Source: "books", RecordResult: collection.RecordResult{
				Record: bookID(3), Outcome: collection.OutcomeCancelled, Reason: collection.ReasonCancelled}})
			tr.engine.On("ListWorkflow", mock.Anything, mock.Anything).Return(&workflowservice.ListWorkflowExecutionsResponse{}, listed)
			got := dead(t, tr, starter.DeadFilter{Submission: submission})
			require.Len(t, got, 1)
			require.Equal(t, &fetched, got[0].Since)

			row.Trail = &collection.Trail{Attempts: []collection.AttemptLine{{At: tried}}}
			stores(tr, collection.LedgerKey(submission, "books", 1), booksRows[0], row)
			got = dead(t, tr, starter.DeadFilter{Submission: submission})
			require.Equal(t, &tried, got[0].Since)

			// What a replay would run again, a dry run counts.
			got = dead(t, tr, starter.DeadFilter{Submission: submission, Select: collection.ReplaySelect{Reasons: []collection.Reason{collection.ReasonCancelled}}})
			require.Len(t, got, 1)
			require.Equal(t, bookID(3), got[0].Record)
		})
	}
}

// TestDeadWithRows: which records they are, the plan knows, though the engine knows only their ids.
func TestDeadWithRows(t *testing.T) {
	t.Parallel()
	runs := []*workflowpb.WorkflowExecutionInfo{
		failedRun(submission+"/"+bookID(2), "books", collection.ReasonParseEmpty, accepted),
		failedRun(submission+"/"+bookID(3), "books", collection.ReasonTimeout, accepted),
	}
	tr := setup(t).underway()
	row := booksRows[1]
	row.Raw = &collection.Raw{Key: "raw/x"}
	stores(tr, collection.LedgerKey(submission, "books", 1), booksRows[0], row)
	tr.lists(allFailed, runs)
	got := dead(t, tr, starter.DeadFilter{Rows: true})
	require.Len(t, got, 2)
	told := map[string]starter.DeadLetter{}
	for _, l := range got {
		require.Equal(t, "engine", l.Ground)
		told[l.Key] = l
	}
	require.Equal(t, []any{2, "raw/x"}, []any{told[bookURL(2)].Line, told[bookURL(2)].Raw})
	require.Equal(t, []any{5, ""}, []any{told[bookURL(3)].Line, told[bookURL(3)].Raw}, "its batch runs, and its plan tells")

	tr = setup(t)
	tr.lists(allFailed, runs)
	got = dead(t, tr, starter.DeadFilter{Rows: true})
	require.Len(t, got, 2)
	require.Empty(t, got[0].Key, "the plan is not kept any more")
}

func TestDeadQuery(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	tr.lists(allFailed+` AND WeirCustomer IN ("acme") AND WeirSource IN ("books", "films") AND WeirReason IN ("timeout")`, nil)
	require.Empty(t, dead(t, tr, starter.DeadFilter{Customer: "acme", Select: collection.ReplaySelect{
		Sources: []string{"books", "films"}, Reasons: []collection.Reason{collection.ReasonTimeout},
	}}))
	_, err := starter.GroupDead(tr.client.Dead(t.Context(), starter.DeadFilter{Customer: `a" OR "b`}))
	require.ErrorContains(t, err, "use 1 to 63 lower-case letters")
}

func TestDeadWithoutAnswers(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	tr.engine.On("ListWorkflow", mock.Anything, mock.Anything).Return(nil, errDown)
	_, err := starter.GroupDead(tr.client.Dead(t.Context(), starter.DeadFilter{}))
	require.ErrorIs(t, err, errDown)

	tr = setup(t).settled(collection.StatePartiallyFailed)
	down := errors.New("the store does not answer")
	tr.store.fails[collection.ManifestKey("acme", submission)] = down
	tr.lists(allFailed, []*workflowpb.WorkflowExecutionInfo{failedRun(submission+"/"+bookID(2), "books", collection.ReasonTimeout, accepted)})
	_, err = starter.GroupDead(tr.client.Dead(t.Context(), starter.DeadFilter{}))
	require.ErrorIs(t, err, down)

	tr = setup(t)
	tr.forgot("nope")
	_, err = starter.GroupDead(tr.client.Dead(t.Context(), starter.DeadFilter{Submission: "nope"}))
	require.ErrorIs(t, err, starter.ErrNotFound)
}

func TestGroupDead(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	old, late := accepted, accepted.Add(time.Hour)
	tr.lists(allFailed, []*workflowpb.WorkflowExecutionInfo{
		failedRun("s-1/"+bookID(1), "books", collection.ReasonTimeout, late),
		failedRun("s-1/"+bookID(2), "films", collection.ReasonTimeout, late),
		failedRun("s-2/"+bookID(1), "films", collection.ReasonTimeout, old),
	})
	groups, err := starter.GroupDead(tr.client.Dead(t.Context(), starter.DeadFilter{}))
	require.NoError(t, err)
	require.Equal(t, []starter.DeadGroup{
		{Source: "films", Reason: collection.ReasonTimeout, Customer: "acme", Records: 2, Oldest: &old, Submissions: []string{"s-1", "s-2"}},
		{Source: "books", Reason: collection.ReasonTimeout, Customer: "acme", Records: 1, Oldest: &late, Submissions: []string{"s-1"}},
	}, groups)
}
