package starter_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/mocks"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

const replayID = submission + "/replay"

var replayRun = starter.ReplayStarted{Submission: submission, ID: replayID, RunID: run}

// replays lets the engine start a replay, and notes how.
func (tr *trial) replays(err error) (*client.StartWorkflowOptions, *collection.ReplayInput) {
	var options client.StartWorkflowOptions
	var in collection.ReplayInput
	begun := &mocks.WorkflowRun{}
	begun.On("GetRunID").Return(run)
	tr.knows(completed)
	tr.engine.On("ExecuteWorkflow", mock.Anything, mock.Anything, collection.WorkflowReplay, mock.Anything).
		Run(func(args mock.Arguments) {
			options, in = args.Get(1).(client.StartWorkflowOptions), args.Get(3).(collection.ReplayInput)
		}).Return(begun, err)
	return &options, &in
}

func TestReplayStarts(t *testing.T) {
	t.Parallel()
	tr := setup(t).settled(collection.StatePartiallyFailed)
	options, in := tr.replays(nil)
	started, err := tr.client.Replay(t.Context(), collection.ReplayInput{Submission: submission, By: "ann", From: collection.ReplayFromRaw,
		Select: collection.ReplaySelect{Records: []string{bookURL(2) + "#part"}}})
	require.NoError(t, err)
	require.Equal(t, replayRun, started)
	require.Equal(t, replayID, options.ID)
	require.Equal(t, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, options.WorkflowIDReusePolicy)
	require.Equal(t, enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL, options.WorkflowIDConflictPolicy)
	require.Equal(t, temporal.Priority{FairnessKey: "acme", FairnessWeight: 1}, options.Priority)
	require.Equal(t, "ann", in.By)
	require.Contains(t, in.Select.Records, bookID(2), "a URL stands for the record that it names")
}

func TestReplayJoins(t *testing.T) {
	t.Parallel()
	tr := setup(t).settled(collection.StatePartiallyFailed)
	tr.replays(serviceerror.NewWorkflowExecutionAlreadyStarted("it runs", "", "run-7"))
	started, err := tr.client.Replay(t.Context(), collection.ReplayInput{Submission: submission})
	require.NoError(t, err)
	require.Equal(t, starter.ReplayStarted{Submission: submission, ID: replayID, RunID: "run-7", Joined: true}, started)
}

func TestReplayIsNotStarted(t *testing.T) {
	t.Parallel()
	tr := setup(t).planned()
	tr.knows(running)
	_, err := tr.client.Replay(t.Context(), collection.ReplayInput{Submission: submission})
	require.ErrorIs(t, err, starter.ErrNotSettled)
	require.ErrorContains(t, err, "wait for its end")

	for _, status := range []enumspb.WorkflowExecutionStatus{running, paused} {
		tr = setup(t).settled(collection.StateCancelled)
		tr.knows(status)
		_, err = tr.client.Replay(t.Context(), collection.ReplayInput{Submission: submission})
		require.ErrorIs(t, err, starter.ErrNotSettled, "it was submitted again")
		require.ErrorContains(t, err, "wait for its end, then replay it")
	}
	tr = setup(t).settled(collection.StateCancelled)
	tr.describes(submission, nil, errDown)
	_, err = tr.client.Replay(t.Context(), collection.ReplayInput{Submission: submission})
	require.ErrorIs(t, err, errDown)

	tr = setup(t)
	tr.forgot("nope")
	_, err = tr.client.Replay(t.Context(), collection.ReplayInput{Submission: "nope"})
	require.ErrorIs(t, err, starter.ErrNotFound)

	tr = setup(t).settled(collection.StatePartiallyFailed)
	_, err = tr.client.Replay(t.Context(), collection.ReplayInput{Submission: submission, From: "scratch"})
	require.ErrorContains(t, err, `from "scratch"`)
	tr.store.fails[collection.ManifestKey("acme", submission)] = errDown
	_, err = tr.client.Replay(t.Context(), collection.ReplayInput{Submission: submission})
	require.ErrorIs(t, err, errDown)

	tr = setup(t).settled(collection.StatePartiallyFailed)
	tr.replays(errDown)
	_, err = tr.client.Replay(t.Context(), collection.ReplayInput{Submission: submission})
	require.ErrorIs(t, err, errDown)
}

// answersReplay lets a worker answer a replay's status query.
func (tr *trial) answersReplay(status collection.ReplayStatus) {
	value := &mocks.Value{}
	value.On("Get", mock.Anything).Run(func(args mock.Arguments) {
		*args.Get(0).(*collection.ReplayStatus) = status
	}).Return(nil)
	tr.engine.On("QueryWorkflow", mock.Anything, replayID, run, collection.QueryStatus).Return(value, nil).Once()
}

func TestReplayStatus(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	tr.describes(replayID, described(collection.WorkflowReplay, running), nil).Once()
	tr.answersReplay(collection.ReplayStatus{Submission: submission, Stage: "replay"})
	status, isRunning, err := tr.client.ReplayStatus(t.Context(), submission)
	require.NoError(t, err)
	require.True(t, isRunning)
	require.Equal(t, "replay", status.Stage)

	tr.describes(replayID, described(collection.WorkflowReplay, completed), nil)
	tr.engine.On("QueryWorkflow", mock.Anything, replayID, run, collection.QueryStatus).Return(nil, errDown)
	_, isRunning, err = tr.client.ReplayStatus(t.Context(), submission)
	require.ErrorContains(t, err, "is a worker with the role workflows running?")
	require.False(t, isRunning)

	tr = setup(t)
	tr.forgot(replayID)
	_, _, err = tr.client.ReplayStatus(t.Context(), submission)
	require.ErrorIs(t, err, starter.ErrNotFound)
	_, _, err = tr.client.ReplayStatus(t.Context(), "a/b")
	require.ErrorContains(t, err, "submission id")
}

func (tr *trial) describesReplay(status enumspb.WorkflowExecutionStatus, err error) *mock.Call {
	return tr.engine.On("DescribeWorkflowExecution", mock.Anything, replayID, run).Return(described(collection.WorkflowReplay, status), err)
}

func TestWaitReplay(t *testing.T) {
	t.Parallel()
	whole := collection.ReplayResult{Number: 1, Selected: 4}
	for name, c := range map[string]struct {
		cause error
		says  string
		want  collection.ReplayResult
	}{
		"well":                  {nil, "", whole},
		"cancelled":             {temporal.NewCanceledError(whole), "the replay was cancelled", whole},
		"cancelled before":      {temporal.NewCanceledError(), "the replay was cancelled", collection.ReplayResult{}},
		"failed, with a result": {temporal.NewNonRetryableApplicationError("2 left", "internal", nil, whole), "failed, internal: 2 left", whole},
		"failed, without":       {temporal.NewNonRetryableApplicationError("not settled", "command_refused", nil), "not settled", collection.ReplayResult{}},
		"cancelled while it shipped": {temporal.NewNonRetryableApplicationError("settled, and not shipped", "cancelled", nil, whole),
			"the replay was cancelled while it shipped: settled, and not shipped", whole},
		"terminated":            {&temporal.TerminatedError{}, "was terminated: replay it again", collection.ReplayResult{}},
		"ended in no usual way": {temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_START_TO_CLOSE, nil), "without a result", collection.ReplayResult{}},
	} {
		synctest.Test(t, func(t *testing.T) {
			tr := setup(t)
			tr.describesReplay(running, nil).Times(2)
			tr.describesReplay(completed, nil)
			tr.answersReplay(collection.ReplayStatus{Stage: "replay"})
			tr.engine.On("QueryWorkflow", mock.Anything, replayID, run, collection.QueryStatus).Return(nil, errDown)
			if c.cause == nil {
				ends(tr, replayID, whole, nil)
			} else {
				ends(tr, replayID, collection.ReplayResult{}, ended(c.cause))
			}
			told := 0
			got, err := tr.client.WaitReplay(t.Context(), replayRun, func(collection.ReplayStatus) { told++ })
			require.Equal(t, c.want, got, name)
			require.Equal(t, 1, told, "a question without an answer is one less picture")
			if c.cause == nil {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.says, name)
				require.Equal(t, strings.HasPrefix(c.says, "the replay was cancelled"), errors.Is(err, starter.ErrReplayCancelled), name)
			}
		})
	}
}

// TestWaitReplayWithoutAnEngine: a restart of the engine does not end the waiting, its absence does.
func TestWaitReplayWithoutAnEngine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := setup(t)
		tr.describesReplay(running, errDown)
		began := time.Now()
		_, err := tr.client.WaitReplay(t.Context(), replayRun, nil)
		require.ErrorIs(t, err, errDown)
		require.Greater(t, time.Since(began), time.Minute)

		tr = setup(t)
		tr.describesReplay(running, errUnknown)
		began = time.Now()
		_, err = tr.client.WaitReplay(t.Context(), replayRun, nil)
		require.Error(t, err)
		require.Zero(t, time.Since(began), "what is not there will not come")
	})
}

// TestStatusAfterAReplay: the manifest's newer generation tells, and says that it does.
func TestStatusAfterAReplay(t *testing.T) {
	t.Parallel()
	tr := setup(t).planned()
	m := manifest
	m.State, m.Generation = collection.StateComplete, 2
	stores(tr, collection.ManifestKey("acme", submission), m)
	tr.knows(completed)
	got, err := tr.client.Status(t.Context(), submission)
	require.NoError(t, err)
	require.Equal(t, collection.StateComplete, got.State)
	require.Len(t, got.Notes, 2)
	require.Contains(t, got.Notes[1], "its manifest is generation 2")
	require.Len(t, plan.Notes, 1)
}

// TestRecordOfAStoppedReplay: a replay that was cancelled has changed nothing, so the ledger tells.
func TestRecordOfAStoppedReplay(t *testing.T) {
	t.Parallel()
	id := submission + "/" + bookID(2)
	tr := setup(t).planned()
	tr.describes(id, described(collection.WorkflowRecord, cancelled), nil)
	tr.startedWith(id, collection.RecordInput{Source: "books", Replay: &collection.RecordReplay{Attempts: 2}})
	ends(tr, id, collection.RecordResult{}, ended(temporal.NewCanceledError()))
	got, err := tr.client.Record(t.Context(), submission, bookID(2))
	require.NoError(t, err)
	require.Equal(t, "ledger", got.Ground)
	require.Equal(t, collection.ReasonParseEmpty, got.Result.Reason)
}
