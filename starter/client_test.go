package starter_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"

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

// TestDialNamesWhatDoesNotAnswer also holds that nobody needs a logger.
func TestDialNamesWhatDoesNotAnswer(t *testing.T) {
	env := map[string]string{"WEIR_TEMPORAL_ADDRESS": "127.0.0.1:1"}
	cfg, err := config.Load(config.Options{Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = starter.Dial(ctx, cfg, starter.SystemSecrets(), nil)
	require.ErrorContains(t, err, "127.0.0.1:1")
	require.ErrorContains(t, err, "temporal.address")
}
