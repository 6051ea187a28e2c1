package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/engine"
)

// backwards is a history, the last event first, a page at a time.
type backwards struct {
	workflowservice.WorkflowServiceClient
	pages [][]*historypb.HistoryEvent
	err   error
	asked []*workflowservice.GetWorkflowExecutionHistoryReverseRequest
}

func (b *backwards) GetWorkflowExecutionHistoryReverse(_ context.Context, r *workflowservice.GetWorkflowExecutionHistoryReverseRequest, _ ...grpc.CallOption,
) (*workflowservice.GetWorkflowExecutionHistoryReverseResponse, error) {
	b.asked = append(b.asked, r)
	n := 0
	if len(r.GetNextPageToken()) > 0 {
		_, _ = fmt.Sscan(string(r.GetNextPageToken()), &n)
	}
	answer := &workflowservice.GetWorkflowExecutionHistoryReverseResponse{}
	if n < len(b.pages) {
		answer.History = &historypb.History{Events: b.pages[n]}
	}
	if n+1 < len(b.pages) {
		answer.NextPageToken = fmt.Append(nil, n+1)
	}
	return answer, b.err
}

func TestCancelRequested(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	other := &historypb.HistoryEvent{EventType: enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED}
	wish := &historypb.HistoryEvent{EventType: enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED, EventTime: timestamppb.New(at),
		Attributes: &historypb.HistoryEvent_WorkflowExecutionCancelRequestedEventAttributes{
			WorkflowExecutionCancelRequestedEventAttributes: &historypb.WorkflowExecutionCancelRequestedEventAttributes{Cause: "wrong file", Identity: "weir@vm:1"},
		}}
	which := engine.Cancellation{Namespace: "n", WorkflowID: "s1", RunID: "r"}
	want := collection.CancelRequest{By: "weir@vm:1", Reason: "wrong file", At: at}
	long := make([][]*historypb.HistoryEvent, 30)
	for i := range long {
		long[i] = []*historypb.HistoryEvent{other}
	}
	long[29] = []*historypb.HistoryEvent{wish}
	for name, c := range map[string]struct {
		pages [][]*historypb.HistoryEvent
		found bool
		asked int
	}{
		"the last event":      {[][]*historypb.HistoryEvent{{wish, other}, {other}}, true, 1},
		"a page before":       {[][]*historypb.HistoryEvent{{other, other}, {other, wish}, {other}}, true, 2},
		"nobody has asked":    {[][]*historypb.HistoryEvent{{other}, {other}}, false, 2},
		"nothing there":       {nil, false, 1},
		"beyond what is read": {long, false, 20},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &backwards{pages: c.pages}
			got, found, err := engine.CancelRequested(t.Context(), b, which)
			require.NoError(t, err)
			require.Equal(t, c.found, found)
			if found {
				require.Equal(t, want, got)
			}
			require.Len(t, b.asked, c.asked)
			require.Equal(t, "s1", b.asked[0].GetExecution().GetWorkflowId())
		})
	}
	down := errors.New("it is down")
	_, _, err := engine.CancelRequested(t.Context(), &backwards{err: down}, which)
	require.ErrorIs(t, err, down)
}
