package integration

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/starter"
)

// TestReplayLost: a delivered object is removed behind weir's back. The settlement tells the ledger, and a replay delivers it
// again though the record's workflow has ended well.
func TestReplayLost(t *testing.T) {
	ctx := t.Context()
	books := site(t, "127.0.0.1")
	f := fleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 4}}, LogLevel: "error"})
	startWorker(t, f)
	submission := submitCSV(t, f, pages(3, books))
	status := wait(t, f, submission, 5*time.Minute)
	require.Equal(t, collection.StateComplete, status.State)
	asked := books.Ledger().Requests
	var first collection.LedgerRow
	for row, err := range f.Client.Records(ctx, submission, starter.Filter{}) {
		require.NoError(t, err)
		first = row
	}
	require.NoError(t, f.Store.Delete(ctx, []string{first.Delivered.Key}))

	// The manifest as a settlement by an earlier version would have left it: it counts what its ledger does not know.
	m := manifestOf(t, f, status.Result.Manifest)
	m.Sources[0].Outcomes = collection.Tally{{Outcome: collection.OutcomeDelivered, Records: 2},
		{Outcome: collection.OutcomeDeadLettered, Reason: collection.ReasonDeliveryLost, Records: 1}}
	body, err := json.Marshal(m)
	require.NoError(t, err)
	_, err = f.Store.Put(ctx, status.Result.Manifest, body, "application/json")
	require.NoError(t, err)

	replay := func() collection.ReplayResult {
		started, err := f.Client.Replay(ctx, collection.ReplayInput{Submission: submission})
		require.NoError(t, err)
		result, err := f.Client.WaitReplay(ctx, started, nil)
		require.NoError(t, err)
		return result
	}
	result := replay()
	require.Zero(t, result.Selected)
	require.Equal(t, collection.StatePartiallyFailed, result.Settled.State)
	groups := deadOf(t, f, starter.DeadFilter{Submission: submission})
	require.Len(t, groups, 1)
	require.Equal(t, collection.ReasonDeliveryLost, groups[0].Reason)

	result = replay()
	require.Equal(t, 1, result.Selected)
	require.Equal(t, collection.StateComplete, result.Settled.State)
	_, err = f.Store.Head(ctx, first.Delivered.Key)
	require.NoError(t, err, "it is there again")
	require.Equal(t, asked, books.Ledger().Requests, "from the kept bytes")
	require.Empty(t, deadOf(t, f, starter.DeadFilter{Submission: submission}))
}
