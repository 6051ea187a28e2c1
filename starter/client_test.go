package starter_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/config"
	"github.com/weir-collect/weir/starter"
)

func (s *service) RequestCancelWorkflowExecution(
	_ context.Context, r *workflowservice.RequestCancelWorkflowExecutionRequest, _ ...grpc.CallOption,
) (*workflowservice.RequestCancelWorkflowExecutionResponse, error) {
	s.request = r
	return &workflowservice.RequestCancelWorkflowExecutionResponse{}, s.err
}

func TestCancelSaysWhy(t *testing.T) {
	t.Parallel()
	tr, api := setup(t), &service{}
	tr.engine.On("WorkflowService").Return(api)
	require.NoError(t, tr.client.Cancel(t.Context(), submission, "wrong file"))
	require.Equal(t, "weir-test", api.request.GetNamespace())
	require.Equal(t, submission, api.request.GetWorkflowExecution().GetWorkflowId())
	require.Empty(t, api.request.GetWorkflowExecution().GetRunId(), "whichever run is the latest")
	require.Equal(t, "wrong file", api.request.GetReason())
	first := api.request.GetRequestId()
	require.NotEmpty(t, first)
	require.NoError(t, tr.client.Cancel(t.Context(), submission, "wrong file"))
	require.NotEqual(t, first, api.request.GetRequestId(), "a second command is not taken for a repetition of the first")
}

func TestCancelThatCannotBe(t *testing.T) {
	t.Parallel()
	tr, api := setup(t), &service{err: errUnknown}
	tr.engine.On("WorkflowService").Return(api)
	err := tr.client.Cancel(t.Context(), submission, "")
	require.ErrorIs(t, err, starter.ErrNotFound)
	require.ErrorContains(t, err, "submission acme-1 is not running")

	api.err = serviceerror.NewCancellationAlreadyRequested("asked before")
	var twice *serviceerror.CancellationAlreadyRequested
	err = tr.client.Cancel(t.Context(), submission, "")
	require.ErrorAs(t, err, &twice, "callers tell this from a failure")
	require.NotErrorIs(t, err, starter.ErrNotFound)
	require.ErrorContains(t, err, "cancel submission acme-1")
}

// TestCancelSaysWho: the history of a submission that somebody has stopped names the machine and the process.
func TestCancelSaysWho(t *testing.T) {
	t.Parallel()
	tr, api := setup(t), &service{}
	tr.engine.On("WorkflowService").Return(api)
	require.NoError(t, tr.client.Cancel(t.Context(), submission, "wrong file"))
	require.Regexp(t, `^weir@[^@]+:[0-9]+$`, api.request.GetIdentity())
}

func TestCloseClosesTheEngine(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	tr.engine.On("Close").Return()
	tr.client.Close()
}

// TestErrNotPlanned: who knows only ErrNotFound is served as before.
func TestErrNotPlanned(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, starter.ErrNotPlanned, starter.ErrNotFound)
	require.NotErrorIs(t, starter.ErrNotFound, starter.ErrNotPlanned)
	require.NotErrorIs(t, errors.New("not planned"), starter.ErrNotPlanned)
}

// closedPorts is a client of a Temporal and a bucket at ports where nothing listens.
func closedPorts(t *testing.T) *starter.Client {
	t.Helper()
	env := map[string]string{
		"WEIR_TEMPORAL_ADDRESS": "127.0.0.1:1", "WEIR_S3_ENDPOINT": "http://127.0.0.1:2", "WEIR_S3_ACCESS_KEY": "env:KEY", "WEIR_S3_SECRET_KEY": "env:KEY",
		"KEY": "k",
	}
	lookUp := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	cfg, err := config.Load(config.Options{Env: lookUp})
	require.NoError(t, err)
	c, err := starter.Dial(t.Context(), cfg, starter.Secrets{Env: lookUp}, nil)
	require.NoError(t, err, "nothing is sent yet")
	t.Cleanup(c.Close)
	return c
}

// TestDialledClientNamesWhatDoesNotAnswer also holds that nobody needs a logger: what needs the engine says where it was looked
// for and what to do, and is quick about it.
func TestDialledClientNamesWhatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := closedPorts(t)
	for what, ask := range map[string]func() error{
		"submit": func() error {
			_, err := c.Submit(ctx, starter.Request{Customer: "acme", Records: []json.RawMessage{[]byte(`{"url": "https://books.example/1"}`)}})
			return err
		},
		"cancel":  func() error { return c.Cancel(ctx, submission, "") },
		"sources": func() error { _, err := c.Sources(ctx); return err },
		"command": func() error {
			_, err := c.Command(ctx, collection.UpdatePause, collection.SourceCommand{Source: "books"})
			return err
		},
		"replay":     func() error { _, _, err := c.ReplayStatus(ctx, submission); return err },
		"sweep":      func() error { _, err := c.Sweep(ctx); return err },
		"sweep now":  func() error { _, err := c.SweepNow(ctx, collection.SweepInput{}); return err },
		"tidy":       func() error { _, err := c.LastTidy(ctx); return err },
		"oldest":     func() error { _, err := c.OldestOpen(ctx); return err },
		"dead":       func() error { _, err := starter.GroupDead(c.Dead(ctx, starter.DeadFilter{})); return err },
		"status":     func() error { _, err := c.Status(ctx, submission); return err },
		"wait":       func() error { _, err := c.Wait(ctx, submission, nil); return err },
		"one record": func() error { _, err := c.Record(ctx, submission, bookID(1)); return err },
	} {
		err := ask()
		var silent *starter.NoEngineError
		require.ErrorAs(t, err, &silent, what)
		require.ErrorContains(t, err, "Temporal does not answer at 127.0.0.1:1: is it running, and is temporal.address right?", what)
		require.NotErrorIs(t, err, starter.ErrNotFound, what)
	}
	_, err := c.Links(ctx, submission, time.Hour)
	require.ErrorContains(t, err, "the store at http://127.0.0.1:2", "Temporal is not asked")
	require.NotErrorIs(t, err, starter.ErrNotFound)
	require.NoError(t, ctx.Err(), "all of it together")
}
