package starter_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCancelSaysWho: the history of a submission that somebody has stopped names the machine and the process.
func TestCancelSaysWho(t *testing.T) {
	t.Parallel()
	tr, api := setup(t), &service{}
	tr.engine.On("WorkflowService").Return(api)
	require.NoError(t, tr.client.Cancel(t.Context(), submission, "wrong file"))
	require.Regexp(t, `^weir@[^@]+:[0-9]+$`, api.request.GetIdentity())
}
