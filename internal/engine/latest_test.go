package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	workflowpb "go.temporal.io/api/workflow/v1"

	"github.com/weir-collect/weir/internal/engine"
)

// tidied is a result of which not each counts.
type tidied struct {
	DryRun bool `json:"dry_run"`
	N      int  `json:"n"`
}

func wet(r tidied) bool { return !r.DryRun }

// TestLatest: of runs in no order the one that ended last and counts, and nothing is read that need not be.
func TestLatest(t *testing.T) {
	t.Parallel()
	fleet := func() *visibility {
		return &visibility{
			runs:    []*workflowpb.WorkflowExecutionInfo{ran("old", time.Minute), ran("dry", 3*time.Minute), ran("real", 2*time.Minute)},
			results: map[string]any{"old": tidied{N: 1}, "real": tidied{N: 2}, "dry": tidied{DryRun: true, N: 3}},
		}
	}
	for name, c := range map[string]struct {
		counts func(tidied) bool
		seen   string
		want   string
		read   []string
	}{
		"each counts":             {nil, "", "dry", []string{"dry"}},
		"the dry one does not":    {wet, "", "real", []string{"dry", "real"}},
		"an older one was seen":   {wet, "old", "real", []string{"dry", "real"}},
		"it was seen":             {wet, "real", "", []string{"dry"}},
		"the very last was seen":  {nil, "dry", "", nil},
		"a forgotten one was":     {nil, "long gone", "dry", []string{"dry"}},
		"none counts":             {func(tidied) bool { return false }, "", "", []string{"dry", "real", "old"}},
		"only the oldest counts":  {func(r tidied) bool { return r.N == 1 }, "", "old", []string{"dry", "real", "old"}},
		"none counts but was one": {func(tidied) bool { return false }, "old", "", []string{"dry", "real"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := fleet()
			got, found, err := engine.Latest(t.Context(), v, engine.Wanted[tidied]{Namespace: "fleet", Workflow: "Janitor", Counts: c.counts, Seen: c.seen})
			require.NoError(t, err)
			require.Equal(t, c.want != "", found)
			require.Equal(t, c.read, v.read)
			require.Len(t, v.requests, 1)
			require.Equal(t, "fleet", v.requests[0].GetNamespace())
			require.Equal(t, `WorkflowType="Janitor" AND ExecutionStatus="Completed"`, v.requests[0].GetQuery())
			if found {
				require.Equal(t, engine.Ended[tidied]{WorkflowID: "weir/" + c.want, RunID: c.want, Result: v.results[c.want].(tidied)}, got)
			} else {
				require.Zero(t, got)
			}
		})
	}
}

// TestLatestKeepsResultsApart: a field that the later run has set does not shine through in the older one's.
func TestLatestKeepsResultsApart(t *testing.T) {
	t.Parallel()
	v := &visibility{
		runs:    []*workflowpb.WorkflowExecutionInfo{ran("dry", time.Minute), ran("real", 0)},
		results: map[string]any{"dry": tidied{DryRun: true, N: 3}, "real": map[string]any{}},
	}
	got, found, err := engine.Latest(t.Context(), v, engine.Wanted[tidied]{Counts: wet})
	require.NoError(t, err)
	require.True(t, found)
	require.Zero(t, got.Result)
}

// TestLatestLooksThroughTwenty: as many as are read one by one within a moment, in one call.
func TestLatestLooksThroughTwenty(t *testing.T) {
	t.Parallel()
	v := &visibility{results: map[string]any{}}
	for i := range 30 {
		run := fmt.Sprint(i)
		v.runs = append(v.runs, ran(run, -time.Duration(i)*time.Minute))
		v.results[run] = tidied{DryRun: i < 19, N: i}
	}
	got, found, err := engine.Latest(t.Context(), v, engine.Wanted[tidied]{Counts: wet})
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, 19, got.Result.N, "the twentieth")

	v.results["19"], v.read, v.requests = tidied{DryRun: true}, nil, nil
	_, found, err = engine.Latest(t.Context(), v, engine.Wanted[tidied]{Counts: wet})
	require.NoError(t, err)
	require.False(t, found)
	require.Len(t, v.read, 20)
	require.Len(t, v.requests, 1)
}

func TestLatestWithoutAnswers(t *testing.T) {
	t.Parallel()
	_, found, err := engine.Latest(t.Context(), &visibility{}, engine.Wanted[tidied]{})
	require.NoError(t, err)
	require.False(t, found, "none has ended")

	_, _, err = engine.Latest(t.Context(), &visibility{failAt: 1}, engine.Wanted[tidied]{Workflow: "Sweep"})
	require.ErrorIs(t, err, errDown)
	require.EqualError(t, err, "look for the last Sweep: the engine is down")

	v := &visibility{runs: some(1), results: map[string]any{"0": errDown}}
	got, found, err := engine.Latest(t.Context(), v, engine.Wanted[tidied]{Workflow: "Sweep"})
	require.EqualError(t, err, "read the result of weir/0: the engine is down")
	require.ErrorIs(t, err, errDown)
	require.False(t, found)
	require.Zero(t, got)
}
