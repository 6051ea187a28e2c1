package engine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/converter"
	"pgregory.net/rapid"

	"github.com/weir-collect/weir/internal/engine"
)

// some are so many runs, named by their number.
func some(n int) []*workflowpb.WorkflowExecutionInfo {
	runs := make([]*workflowpb.WorkflowExecutionInfo, n)
	for i := range runs {
		runs[i] = ran(fmt.Sprint(i), 0)
	}
	return runs
}

// TestRunsAreAllThere: whatever the size of a page, each run comes once and in order, and who stops early asks no further.
func TestRunsAreAllThere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := &visibility{runs: some(rapid.IntRange(0, 30).Draw(t, "runs"))}
		page := rapid.IntRange(1, 12).Draw(t, "page")
		wanted := rapid.IntRange(1, 40).Draw(t, "wanted")
		n := 0
		for run, err := range engine.Runs(t.Context(), v, engine.Search{Namespace: "fleet", Query: "q", Page: page}) {
			require.NoError(t, err)
			require.Equal(t, fmt.Sprint(n), run.GetExecution().GetRunId())
			if n++; n == wanted {
				break
			}
		}
		require.Equal(t, min(wanted, len(v.runs)), n)
		if n == wanted {
			require.Len(t, v.requests, (n+page-1)/page, "only the pages that it takes")
		}
		for _, r := range v.requests {
			require.Equal(t, []any{"fleet", "q", int32(page)}, []any{r.GetNamespace(), r.GetQuery(), r.GetPageSize()})
		}
	})
}

func TestRunsBoundThePage(t *testing.T) {
	t.Parallel()
	for asked, want := range map[int]int32{0: 1000, -1: 1000, 7: 7, 1000: 1000, 1001: 1000, 500_000: 1000} {
		v := &visibility{}
		for range engine.Runs(t.Context(), v, engine.Search{Page: asked}) {
			t.Fatal("there is none")
		}
		require.Equal(t, want, v.requests[0].GetPageSize(), "page %d", asked)
	}
}

// TestRunsEndWithAnError, which comes once, after what was listed before it.
func TestRunsEndWithAnError(t *testing.T) {
	t.Parallel()
	v := &visibility{runs: some(5), failAt: 2}
	var seen []string
	var errs []error
	for run, err := range engine.Runs(t.Context(), v, engine.Search{Page: 2}) {
		if err != nil {
			require.Nil(t, run)
			errs = append(errs, err)
			continue
		}
		seen = append(seen, run.GetExecution().GetRunId())
	}
	require.Equal(t, []string{"0", "1"}, seen)
	require.Equal(t, []error{errDown}, errs)
}

// TestRunsCanBeGoneThroughTwice: a sequence begins anew each time.
func TestRunsCanBeGoneThroughTwice(t *testing.T) {
	t.Parallel()
	v := &visibility{runs: some(3)}
	runs := engine.Runs(t.Context(), v, engine.Search{Page: 2})
	for range 2 {
		n := 0
		for _, err := range runs {
			require.NoError(t, err)
			n++
		}
		require.Equal(t, 3, n)
	}
}

func TestOfType(t *testing.T) {
	t.Parallel()
	for state, want := range map[enumspb.WorkflowExecutionStatus]string{
		enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING:   `WorkflowType="Sweep" AND ExecutionStatus="Running"`,
		enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED: `WorkflowType="Sweep" AND ExecutionStatus="Completed"`,
		enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:  `WorkflowType="Sweep" AND ExecutionStatus="Canceled"`,
		enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT: `WorkflowType="Sweep" AND ExecutionStatus="TimedOut"`,
	} {
		require.Equal(t, want, engine.OfType("Sweep", state))
	}
}

func TestKeyword(t *testing.T) {
	t.Parallel()
	payload := func(value any) *commonpb.Payload {
		p, err := converter.GetDefaultDataConverter().ToPayload(value)
		require.NoError(t, err)
		return p
	}
	run := &workflowpb.WorkflowExecutionInfo{SearchAttributes: &commonpb.SearchAttributes{IndexedFields: map[string]*commonpb.Payload{
		"Name": payload("books"), "Number": payload(7), "Broken": {Data: []byte("?")},
	}}}
	require.Equal(t, "books", engine.Keyword(run, "Name"))
	for _, name := range []string{"Number", "Broken", "Missing"} {
		require.Empty(t, engine.Keyword(run, name), name)
	}
	require.Empty(t, engine.Keyword(nil, "Name"), "the engine said nothing")
}
