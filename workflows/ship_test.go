package workflows_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/workflows"
)

var shippedWell = collection.ShipResult{Destination: "https://s3.example/inbox/s/", Files: 3, ManifestSHA256: "abc"}

// shippingEngine is an engine whose submission is to be shipped.
func shippingEngine(t *testing.T) *engine {
	plan := planOf(map[string]int{"books": 1})
	plan.Ship = true
	return newSubmissionEngine(t, plan)
}

// TestSubmissionShips: a submission with a destination has not ended before its delivery is there.
func TestSubmissionShips(t *testing.T) {
	t.Parallel()
	e := shippingEngine(t)
	var order []string
	settle := e.settle
	e.settle = func(in collection.SettleInput) (collection.SettleResult, error) {
		order = append(order, "settle")
		return settle(in)
	}
	e.ship = func(in collection.ShipInput) (collection.ShipResult, error) {
		require.Equal(t, collection.ShipInput{Submission: "s", Customer: "acme", To: "acme"}, in)
		order = append(order, "ship")
		return shippedWell, nil
	}
	takes(e, collection.ActivityShip, time.Hour, &e.ship)
	e.at(90*time.Minute, func() {
		got := status[collection.SubmissionStatus](e)
		require.Equal(t, collection.StateProcessing, got.State)
		require.Equal(t, "ship", got.Stage)
		require.Equal(t, &settled, got.Result)
	})
	e.ExecuteWorkflow(workflows.Submission, submissionInput())
	require.Equal(t, settled, result[collection.SubmissionResult](e))
	require.Equal(t, []string{"settle", "ship"}, order)
	require.Equal(t, settled.State, status[collection.SubmissionStatus](e).State)
}

// TestSubmissionIsNotCompleteUnshipped: the records are fine, and the promise is not kept.
func TestSubmissionIsNotCompleteUnshipped(t *testing.T) {
	t.Parallel()
	e := shippingEngine(t)
	e.ship = func(collection.ShipInput) (collection.ShipResult, error) {
		return collection.ShipResult{}, temporal.NewNonRetryableApplicationError("there is no bucket inbox", string(collection.ReasonDestinationRefused), nil)
	}
	e.ExecuteWorkflow(workflows.Submission, submissionInput())
	app := failure(e)
	require.Equal(t, string(collection.ReasonDestinationRefused), app.Type())
	require.Contains(t, app.Message(), "run weir redeliver s")
	require.Contains(t, app.Message(), "there is no bucket inbox")
	require.Equal(t, []string{"destination_refused"}, e.reasons)
	require.Equal(t, collection.StateFailed, status[collection.SubmissionStatus](e).State)
}

// TestSubmissionShipsForLong: a destination that does not answer is asked for days, and then a person is.
func TestSubmissionShipsForLong(t *testing.T) {
	t.Parallel()
	for days, heals := range map[int]bool{6: true, 8: false} {
		e := shippingEngine(t)
		// The environment cuts timeouts to the run's.
		e.SetWorkflowRunTimeout(30 * 24 * time.Hour)
		tries := 0
		e.ship = func(collection.ShipInput) (collection.ShipResult, error) {
			tries++
			if tries > days {
				return shippedWell, nil
			}
			return collection.ShipResult{}, temporal.NewApplicationErrorWithOptions("outage", string(collection.ReasonStoreUnavailable),
				temporal.ApplicationErrorOptions{NextRetryDelay: 24 * time.Hour})
		}
		e.ExecuteWorkflow(workflows.Submission, submissionInput())
		if heals {
			require.Equal(t, settled, result[collection.SubmissionResult](e))
			continue
		}
		require.Contains(t, failure(e).Message(), "run weir redeliver s")
		require.Equal(t, 8, tries, "the first, and one after each of seven days")
	}
}

// TestSubmissionShipsWhatWasCancelled: what was collected is delivered.
func TestSubmissionShipsWhatWasCancelled(t *testing.T) {
	t.Parallel()
	e := shippingEngine(t)
	stopped := settled
	stopped.State = collection.StateCancelled
	e.settle = func(in collection.SettleInput) (collection.SettleResult, error) {
		require.True(t, in.Cancelled)
		return stopped, nil
	}
	shipped := false
	e.ship = func(collection.ShipInput) (collection.ShipResult, error) {
		shipped = true
		return shippedWell, nil
	}
	e.cancelAt(time.Minute)
	e.ExecuteWorkflow(workflows.Submission, submissionInput())
	require.Equal(t, stopped, cancelled[collection.SubmissionResult](e))
	require.True(t, shipped)
}

// TestSubmissionIsCancelledWhileItShips: the waiting for a destination can be ended, and then its delivery is not there. Of a
// workflow of before, to which no cancellation came through, none does.
func TestSubmissionIsCancelledWhileItShips(t *testing.T) {
	t.Parallel()
	for name, cancel := range map[string]time.Duration{"settling": 90 * time.Minute, "shipping": 150 * time.Minute} {
		for _, version := range []workflow.Version{1, 2} {
			t.Run(fmt.Sprint(name, " ", version), func(t *testing.T) {
				t.Parallel()
				e := shippingEngine(t)
				e.OnGetVersion("ship", workflow.DefaultVersion, workflow.Version(2)).Return(version)
				e.ship = func(collection.ShipInput) (collection.ShipResult, error) { return shippedWell, nil }
				takes(e, collection.ActivitySettle, time.Hour, &e.settle)
				takes(e, collection.ActivityShip, 24*time.Hour, &e.ship)
				e.cancelAt(cancel)
				e.ExecuteWorkflow(workflows.Submission, submissionInput())
				if version == 1 {
					require.Equal(t, settled, result[collection.SubmissionResult](e))
					return
				}
				app := failure(e)
				require.Equal(t, string(collection.ReasonCancelled), app.Type())
				require.Contains(t, app.Message(), "its delivery has not reached the customer's destination")
				require.Contains(t, app.Message(), "cancelled the shipping")
				require.Equal(t, collection.StateFailed, status[collection.SubmissionStatus](e).State)
			})
		}
	}
}

// TestSubmissionOfBeforeShipsNothing: a workflow that ran code without shipping goes on without.
func TestSubmissionOfBeforeShipsNothing(t *testing.T) {
	t.Parallel()
	e := shippingEngine(t)
	e.OnGetVersion("ship", workflow.DefaultVersion, workflow.Version(2)).Return(workflow.DefaultVersion)
	e.ExecuteWorkflow(workflows.Submission, submissionInput())
	require.Equal(t, settled, result[collection.SubmissionResult](e))
}

// redeliverEngine is one for Redeliver.
func redeliverEngine(t *testing.T) *engine {
	e := newEngine(t)
	e.RegisterWorkflowWithOptions(workflows.Redeliver, workflow.RegisterOptions{Name: collection.WorkflowRedeliver})
	return e
}

var redeliverInput = collection.RedeliverInput{ShipInput: collection.ShipInput{Submission: "s", Customer: "acme"}, Cancelled: true}

func lost() error {
	return temporal.NewNonRetryableApplicationError("a part is gone", string(collection.ReasonDeliveryLost), nil)
}

func TestRedeliver(t *testing.T) {
	t.Parallel()
	e := redeliverEngine(t)
	e.ship = func(in collection.ShipInput) (collection.ShipResult, error) {
		require.Equal(t, redeliverInput.ShipInput, in)
		require.Equal(t, collection.RedeliverStatus{Submission: "s", Stage: "ship"}, status[collection.RedeliverStatus](e))
		return shippedWell, nil
	}
	e.ExecuteWorkflow(workflows.Redeliver, redeliverInput)
	want := collection.RedeliverResult{Shipped: shippedWell}
	require.Equal(t, want, result[collection.RedeliverResult](e))
	require.Equal(t, collection.RedeliverStatus{Submission: "s", Result: &want}, status[collection.RedeliverStatus](e))
}

// TestRedeliverSettlesWhatIsLost, once, and as the submission was settled.
func TestRedeliverSettlesWhatIsLost(t *testing.T) {
	t.Parallel()
	for name, heals := range map[string]bool{"made again": true, "lost again": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := redeliverEngine(t)
			settlements, shipments := 0, 0
			e.settle = func(in collection.SettleInput) (collection.SettleResult, error) {
				require.Equal(t, collection.SettleInput{Submission: "s", Customer: "acme", Cancelled: true}, in)
				settlements++
				return settled, nil
			}
			e.ship = func(collection.ShipInput) (collection.ShipResult, error) {
				shipments++
				if heals && settlements > 0 {
					return shippedWell, nil
				}
				return collection.ShipResult{}, lost()
			}
			e.ExecuteWorkflow(workflows.Redeliver, redeliverInput)
			require.Equal(t, []int{1, 2}, []int{settlements, shipments})
			if heals {
				require.Equal(t, collection.RedeliverResult{Shipped: shippedWell, Settled: &settled}, result[collection.RedeliverResult](e))
				return
			}
			require.Equal(t, string(collection.ReasonDeliveryLost), failure(e).Type())
		})
	}
}

// TestRedeliverBelievesTheManifest: how the submission was settled is not what somebody has typed.
func TestRedeliverBelievesTheManifest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		loss            []any
		claimed, settle bool
	}{
		"it was not cancelled": {[]any{collection.ShipLoss{Standing: true}}, true, false},
		"it was":               {[]any{collection.ShipLoss{Standing: true, Cancelled: true}}, false, true},
		"it is lost":           {[]any{collection.ShipLoss{}}, true, true},
		"a worker of before":   {nil, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := redeliverEngine(t)
			e.settle = func(in collection.SettleInput) (collection.SettleResult, error) {
				require.Equal(t, c.settle, in.Cancelled)
				return settled, nil
			}
			first := true
			e.ship = func(collection.ShipInput) (collection.ShipResult, error) {
				if !first {
					return shippedWell, nil
				}
				first = false
				return collection.ShipResult{}, temporal.NewNonRetryableApplicationError("a part is gone", string(collection.ReasonDeliveryLost), nil,
					append([]any{collection.AttemptFailure{Detail: "a part is gone"}}, c.loss...)...)
			}
			in := redeliverInput
			in.Cancelled = c.claimed
			e.ExecuteWorkflow(workflows.Redeliver, in)
			require.Equal(t, settled, *result[collection.RedeliverResult](e).Settled)
		})
	}
}

func TestRedeliverFails(t *testing.T) {
	t.Parallel()
	e := redeliverEngine(t)
	e.ship = func(collection.ShipInput) (collection.ShipResult, error) {
		return collection.ShipResult{}, temporal.NewNonRetryableApplicationError("no bucket", string(collection.ReasonDestinationRefused), nil)
	}
	e.ExecuteWorkflow(workflows.Redeliver, redeliverInput)
	require.Equal(t, string(collection.ReasonDestinationRefused), failure(e).Type())

	e = redeliverEngine(t)
	e.ExecuteWorkflow(workflows.Redeliver, collection.RedeliverInput{ShipInput: collection.ShipInput{Submission: "a/b", Customer: "A", To: "B"}})
	app := failure(e)
	require.Equal(t, string(collection.ReasonSubmissionInvalid), app.Type())
	for _, s := range []string{"a/b", `"A"`, `"B"`} {
		require.Contains(t, app.Message(), s)
	}
}
