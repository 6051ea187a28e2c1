package cli

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
)

// standing is a submission that is collected from a source that is open, one that is paused, one that is throttled and one that the
// fleet does not know.
func standing() *fakeClient {
	s := processing()
	s.Sources = []collection.SourceProgress{{Source: "bookshop", Records: 9}, {Source: "stock", Records: 2}, {Source: "films", Records: 3}, {Source: "new", Records: 1}}
	throttled := lease.SourceView{Source: "films", Ceiling: 2, Why: lease.WhyThrottled, Breaker: lease.BreakerOpen, OpensAt: noon.Add(7 * time.Second)}
	paused := pausedSource()
	paused.CeilingOverride, paused.PaceOverride, paused.MethodOverride, paused.Methods, paused.Method = nil, nil, nil, nil, ""
	return &fakeClient{status: s, table: []lease.SourceView{openSource(), throttled, paused}}
}

// TestStatusSaysWhyNothingMoves: a source that is closed is told beside what is waited for, in the words of weir sources.
func TestStatusSaysWhyNothingMoves(t *testing.T) {
	t.Parallel()
	s := ask(t, standing(), "status", "acme-1")
	require.Zero(t, s.code, s.stderr)
	require.Contains(t, s.stdout, text(`
SOURCE    STATE      RECORDS  RELEASED  ENDED  DELIVERED  FAILED  DONE
bookshop  open             9         0      0          0       0   0 %
stock     paused           2         0      0          0       0   0 %
films     throttled        3         0      0          0       0   0 %
new                        1         0      0          0       0   0 %

`))
	require.Contains(t, s.stdout, "\nstock  paused by ann@ops, 4 min ago: they called: their database is down")
	require.Contains(t, s.stdout, "\nfilms  throttled until 2026-01-02 12:00:07 UTC (in 7 s): the source has asked for a wait\n")

	var got struct {
		Submission string        `json:"submission"`
		States     []sourceState `json:"source_states"`
	}
	s = ask(t, standing(), "status", "acme-1", "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(s.stdout), &got))
	require.Equal(t, "acme-1", got.Submission)
	require.Len(t, got.States, 3)
	require.Equal(t, sourceState{Source: "bookshop", State: "open"}, got.States[0])
	require.Equal(t, "throttled", got.States[2].State)
	require.Equal(t, noon.Add(7*time.Second), got.States[2].Until)
	require.Len(t, got.States[2].Remarks, 1)
}

// TestStatusWithoutStates: where nobody answers for the sources, or nothing is collected any more, the rest is told all the same.
func TestStatusWithoutStates(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]*fakeClient{
		"no table": {status: standing().status},
		"it has ended": func() *fakeClient {
			c := standing()
			c.status.Stage = "settle"
			return c
		}(),
	} {
		s := ask(t, c, "status", "acme-1")
		require.Zero(t, s.code, what)
		require.NotContains(t, s.stdout, "STATE", what)
		require.NotContains(t, ask(t, c, "status", "acme-1", "-o", "json").stdout, "source_states", what)
	}
}

// TestStatusSaysWhoCancelled: by whom, when and why a submission was stopped is part of its status.
func TestStatusSaysWhoCancelled(t *testing.T) {
	t.Parallel()
	for says, by := range map[string]collection.CancelRequest{
		"cancelled   by weir@vm:1, 3 s ago: wrong\\x1b[2J file\n": {By: "weir@vm:1", At: noon.Add(-3 * time.Second), Reason: "wrong\x1b[2J file"},
		"cancelled   just now\n":                                  {At: noon},
	} {
		status := settled(collection.StateCancelled)
		status.Cancelled = &by
		s := ask(t, &fakeClient{status: status}, "status", "acme-1")
		require.Contains(t, s.stdout, says)
		s = ask(t, &fakeClient{status: status}, "status", "acme-1", "-o", "json")
		require.Contains(t, s.stdout, `"cancelled":{`)
	}
	require.NotContains(t, ask(t, &fakeClient{status: settled(collection.StateComplete)}, "status", "acme-1").stdout, "cancelled")
}
