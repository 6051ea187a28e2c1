package starter_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/mocks"

	"github.com/weir-collect/weir/collection"
)

// remembers lets the engine give the history of the submission, event by event, and then an error where there is one.
func (tr *trial) remembers(events []*historypb.HistoryEvent, err error) {
	history := &mocks.HistoryEventIterator{}
	for _, e := range events {
		history.On("HasNext").Return(true).Once()
		history.On("Next").Return(e, nil).Once()
	}
	if err != nil {
		history.On("HasNext").Return(true).Once()
		history.On("Next").Return(nil, err).Once()
	}
	history.On("HasNext").Return(false)
	tr.engine.On("GetWorkflowHistory", mock.Anything, submission, run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).Return(history)
}

// recorded are the events of a submission that was played against a real engine.
func recorded(t *testing.T, name string) []*historypb.HistoryEvent {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("..", "workflows", "testdata", "replay", name+".json"))
	require.NoError(t, err)
	h, err := client.HistoryFromJSON(bytes.NewReader(body), client.HistoryJSONOptions{})
	require.NoError(t, err)
	return h.GetEvents()
}

// offline is the status of a submission that runs without a worker, as its history has it.
func offline(t *testing.T, events []*historypb.HistoryEvent) (status collection.SubmissionStatus) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tr := setup(t)
		tr.knows(running)
		tr.silent()
		tr.remembers(events, nil)
		var err error
		status, err = tr.client.Status(t.Context(), submission)
		require.NoError(t, err)
	})
	require.NotEmpty(t, status.Notes)
	require.Contains(t, status.Notes[len(status.Notes)-1], "no worker answers")
	return status
}

// settled is what a recorded submission's settlement counted, and the event before which that was.
func settled(t *testing.T, events []*historypb.HistoryEvent) (collection.SettleResult, int) {
	t.Helper()
	for i := len(events) - 1; i >= 0; i-- {
		if done := events[i].GetActivityTaskCompletedEventAttributes(); done != nil {
			var result collection.SettleResult
			require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(done.GetResult(), &result))
			return result, i
		}
	}
	require.Fail(t, "the recorded submission was not settled")
	return collection.SettleResult{}, 0
}

// TestOfflineStatusCountsWhatTheWorkflowCounts reads recorded submissions up to their settlement: what their batches had told
// by then is what was settled.
func TestOfflineStatusCountsWhatTheWorkflowCounts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"delivered-submission-1", "cancelled-submission-1", "reset-submission-1", "invalid-submission-1"} {
		events := recorded(t, name)
		result, at := settled(t, events)
		got := offline(t, events[:at])
		require.Equal(t, result.Outcomes, got.Outcomes, name)
		require.Equal(t, result.Expected, got.Expected, name)
		require.Equal(t, "settle", got.Stage, name)
		require.Equal(t, collection.StateProcessing, got.State, name)
		require.Equal(t, "acme", got.Customer, name)
		for _, src := range got.Sources {
			require.Equal(t, src.Records, src.Released, name)
		}
	}
}

func TestOfflineStatusOnTheWay(t *testing.T) {
	t.Parallel()
	events := recorded(t, "delivered-submission-1")
	for at := range events {
		got := offline(t, events[:at])
		require.LessOrEqual(t, got.Outcomes.Total(), 3)
		switch {
		case at < 2:
			require.Equal(t, collection.StateAccepted, got.State)
		case got.Expected == 0:
			require.Contains(t, []string{"", "plan"}, got.Stage)
		default:
			require.Contains(t, []string{"collect", "settle"}, got.Stage)
			require.Equal(t, 3, got.Expected)
		}
	}
}

// TestOfflineStatusKnowsEveryStage: whatever a submission may do, its history tells.
func TestOfflineStatusKnowsEveryStage(t *testing.T) {
	t.Parallel()
	events := recorded(t, "shipped-submission-1")
	result, seen := (*collection.SubmissionResult)(nil), map[string]bool{}
	for at := range events {
		got := offline(t, events[:at])
		seen[got.Stage] = true
		if got.Stage == "ship" {
			require.Equal(t, collection.StateProcessing, got.State)
			result = got.Result
		}
	}
	require.Equal(t, map[string]bool{"": true, "plan": true, "collect": true, "settle": true, "ship": true}, seen)
	require.NotNil(t, result, "what it was settled as stands while it is shipped")
	require.NotEmpty(t, result.ManifestSHA256)
}

// TestStatusWithoutAnything: neither a worker nor the history answers.
func TestStatusWithoutAnything(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := setup(t)
		tr.knows(running)
		tr.silent()
		tr.remembers(nil, errors.New("no answer"))
		got, err := tr.client.Status(t.Context(), submission)
		require.NoError(t, err)
		require.Equal(t, collection.SubmissionStatus{
			Submission: submission, Customer: "acme", State: collection.StateProcessing, AcceptedAt: accepted,
			Outcomes: collection.Tally{}, Notes: got.Notes,
		}, got)
		require.Len(t, got.Notes, 1)
		require.Contains(t, got.Notes[0], "counts are not known")
	})
}
