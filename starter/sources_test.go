package starter_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/mocks"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/internal/lease"
	"github.com/weir-collect/weir/starter"
)

// ownerSays lets the owner of the ceilings answer a query.
func (tr *trial) ownerSays(t *testing.T, query string, answer any, err error) {
	t.Helper()
	payloads, toErr := converter.GetDefaultDataConverter().ToPayloads(answer)
	require.NoError(t, toErr)
	var value converter.EncodedValue
	if err == nil {
		value = client.NewValue(payloads)
	}
	tr.engine.On("QueryWorkflow", mock.Anything, collection.CeilingsID, "", query).Return(value, err).Once()
}

func TestSourcesAndEgresses(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	rows := []lease.SourceView{{Source: "books", Method: "api", Methods: []string{"page", "api"}, OldestWaiting: 1500}}
	ways := []lease.EgressView{{Egress: "london", State: lease.EgressRetired, Until: accepted.Add(time.Minute), SeenAt: accepted}}
	tr.ownerSays(t, collection.QueryTable, rows, nil)
	tr.ownerSays(t, collection.QueryEgresses, ways, nil)
	got, err := tr.client.Sources(t.Context())
	require.NoError(t, err)
	require.Equal(t, rows, got)
	out, err := tr.client.Egresses(t.Context())
	require.NoError(t, err)
	require.Equal(t, ways, out)
}

func TestTheOwnerDoesNotAnswer(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		err  error
		want string
	}{
		"there is none": {errUnknown, "no worker has asked for permits yet, so there is no table of sources: not found"},
		"an older one": {serviceerror.NewQueryFailed("unknown queryType egresses"),
			"ask for the egresses: the workers with the role fleet must be as new as this program (unknown queryType egresses)"},
		"no worker": {errors.New("deadline exceeded"), "ask for the egresses: does a worker with the role fleet run? (deadline exceeded)"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := setup(t)
			tr.ownerSays(t, collection.QueryEgresses, nil, test.err)
			_, err := tr.client.Egresses(t.Context())
			require.EqualError(t, err, test.want)
			require.Equal(t, name == "there is none", errors.Is(err, starter.ErrNotFound))
		})
	}
	t.Run("with something else", func(t *testing.T) {
		t.Parallel()
		tr := setup(t)
		tr.ownerSays(t, collection.QueryTable, "nonsense", nil)
		_, err := tr.client.Sources(t.Context())
		require.ErrorContains(t, err, "read the sources: ")
	})
}

// TestCommand chooses a method: the update and its argument reach the owner, and its answer comes back.
func TestCommand(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	in := collection.SourceCommand{Source: "books", Method: "api", By: "ann", Reason: "login forms"}
	row := lease.SourceView{Source: "books", Method: "api"}
	handle := &mocks.WorkflowUpdateHandle{}
	handle.On("Get", mock.Anything, mock.Anything).Run(func(args mock.Arguments) {
		*args.Get(1).(*lease.SourceView) = row
	}).Return(nil)
	tr.engine.On("UpdateWorkflow", mock.Anything, client.UpdateWorkflowOptions{
		WorkflowID: collection.CeilingsID, UpdateName: "use-method", Args: []any{in}, WaitForStage: client.WorkflowUpdateStageCompleted,
	}).Return(handle, nil).Once()
	got, err := tr.client.Command(t.Context(), collection.UpdateUseMethod, in)
	require.NoError(t, err)
	require.Equal(t, row, got)

	tr.engine.On("UpdateWorkflow", mock.Anything, mock.Anything).Return(nil, errUnknown).Once()
	_, err = tr.client.Command(t.Context(), collection.UpdateUseMethod, in)
	require.EqualError(t, err, "no worker has asked for permits yet, so there is no source to use-method: not found")
	tr.engine.On("UpdateWorkflow", mock.Anything, mock.Anything).Return(nil, errors.New("down")).Once()
	_, err = tr.client.Command(t.Context(), collection.UpdateUseMethod, in)
	require.EqualError(t, err, "use-method books: down")
}
