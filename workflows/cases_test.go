package workflows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/workflows"
)

// C3 44: the wait that an activity asks for is the one that the engine keeps, whatever the retry policy of the workflow
// would have waited, and for however many attempts.
func TestFieldCaseC3x44ActivityNamesItsOwnDelay(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	goodStages(e)
	collect := e.collect
	var at []time.Time
	asked := []time.Duration{7 * time.Second, 7 * time.Second, 3 * time.Minute, 2 * time.Second}
	e.collect = func(in collection.CollectInput) (collection.CollectResult, error) {
		at = append(at, e.Now())
		if n := len(at) - 1; n < len(asked) {
			return collection.CollectResult{}, temporal.NewApplicationErrorWithOptions("later", string(collection.ReasonThrottled),
				temporal.ApplicationErrorOptions{NextRetryDelay: asked[n]})
		}
		return collect(in)
	}
	e.ExecuteWorkflow(workflows.Record, recordInput())
	require.Equal(t, collection.OutcomeDelivered, result[collection.RecordResult](e).Outcome)
	require.Len(t, at, len(asked)+1)
	for i, wait := range asked {
		require.Equal(t, wait, at[i+1].Sub(at[i]), "after attempt %d", i+1)
	}
}
