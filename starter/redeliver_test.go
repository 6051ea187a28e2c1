package starter_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

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

// toShip stores the plan as one of a customer with a destination.
func (tr *trial) toShip() *trial {
	p := plan
	p.Ship = true
	stores(tr, collection.PlanKey(submission), p)
	return tr
}

// manifestDigest is what a status says of the stored manifest.
func (tr *trial) manifestDigest(t *testing.T) string {
	t.Helper()
	body, err := tr.store.Store.Get(t.Context(), collection.ManifestKey("acme", submission), 1<<20)
	require.NoError(t, err)
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// redelivers lets the engine run a redelivery, and notes how it was started.
func (tr *trial) redelivers(result collection.RedeliverResult, err error) (o *client.StartWorkflowOptions, in *collection.RedeliverInput) {
	o, in = &client.StartWorkflowOptions{}, &collection.RedeliverInput{}
	begun := &mocks.WorkflowRun{}
	begun.On("Get", mock.Anything, mock.Anything).Run(func(args mock.Arguments) {
		if err == nil {
			*args.Get(1).(*collection.RedeliverResult) = result
		}
	}).Return(err)
	tr.engine.On("ExecuteWorkflow", mock.Anything, mock.Anything, collection.WorkflowRedeliver, mock.Anything).
		Run(func(args mock.Arguments) {
			*o, *in = args.Get(1).(client.StartWorkflowOptions), args.Get(3).(collection.RedeliverInput)
		}).Return(begun, nil)
	return o, in
}

var shipped = collection.ShipResult{Destination: "https://s3.example/inbox/s/", Files: 3, ManifestSHA256: "abc"}

func TestRedeliver(t *testing.T) {
	t.Parallel()
	tr := setup(t).settled(collection.StateCancelled)
	tr.forgot(submission)
	want := collection.RedeliverResult{Shipped: shipped}
	o, in := tr.redelivers(want, nil)
	got, err := tr.client.Redeliver(t.Context(), submission, "acme-new")
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, collection.RedeliverInput{ShipInput: collection.ShipInput{Submission: submission, Customer: "acme", To: "acme-new"}, Cancelled: true}, *in)
	require.Equal(t, submission+"/redeliver", o.ID)
	require.Equal(t, collection.QueueWorkflows, o.TaskQueue)
	require.Equal(t, enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL, o.WorkflowIDConflictPolicy, "a running one may go elsewhere")
	require.True(t, o.WorkflowExecutionErrorWhenAlreadyStarted)
	require.Equal(t, enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE, o.WorkflowIDReusePolicy)
}

// TestRedeliverJoins: one that brings the delivery to the same place is waited for, one to another place is no answer.
func TestRedeliverJoins(t *testing.T) {
	t.Parallel()
	id := collection.RedeliverWorkflowID(submission)
	for name, c := range map[string]struct{ asked, runs, says string }{
		"the same":             {"acme-new", "acme-new", ""},
		"its own":              {"", "", ""},
		"another's":            {"acme-new", "acme-old", "already, to the destination of customer acme-old, and not to the destination of customer acme-new: wait"},
		"its own runs":         {"acme-new", "", "already, to where its own customer takes it, and not to"},
		"another's runs":       {"", "acme-new", "temporal workflow cancel --workflow-id " + id},
		"nobody can say where": {"", "", "ask where the redelivery of submission acme-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tr := setup(t).settled(collection.StateComplete)
			tr.forgot(submission)
			tr.engine.On("ExecuteWorkflow", mock.Anything, mock.Anything, collection.WorkflowRedeliver, mock.Anything).
				Return(nil, serviceerror.NewWorkflowExecutionAlreadyStarted("it runs", "", run))
			switch {
			case strings.HasPrefix(name, "nobody"):
				tr.history(id, nil, errDown)
			default:
				tr.startedWith(id, collection.RedeliverInput{ShipInput: collection.ShipInput{Submission: submission, Customer: "acme", To: c.runs}})
			}
			want := collection.RedeliverResult{Shipped: shipped}
			if c.says == "" {
				ends(tr, id, want, nil)
			}
			got, err := tr.client.Redeliver(t.Context(), submission, c.asked)
			if c.says == "" {
				require.NoError(t, err)
				require.Equal(t, want, got)
				return
			}
			require.ErrorContains(t, err, c.says)
			require.Zero(t, got)
		})
	}
}

// TestRedeliverRefusals: what is not there or not settled cannot be delivered again, and a failure says its reason alone.
func TestRedeliverRefusals(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	tr.forgot(submission)
	_, err := tr.client.Redeliver(t.Context(), submission, "")
	require.ErrorIs(t, err, starter.ErrNotFound)

	tr = setup(t).planned()
	tr.knows(running)
	tr.answers(collection.SubmissionStatus{Submission: submission, State: collection.StateProcessing})
	_, err = tr.client.Redeliver(t.Context(), submission, "")
	require.ErrorContains(t, err, "still under way")

	tr = setup(t).settled(collection.StateCancelled)
	tr.forgot(submission)
	_, err = tr.client.Redeliver(t.Context(), submission, "Not A Name")
	require.ErrorContains(t, err, "Not A Name")

	tr = setup(t).settled(collection.StateCancelled)
	tr.forgot(submission)
	tr.redelivers(collection.RedeliverResult{}, temporal.NewNonRetryableApplicationError("no bucket inbox", "destination_refused", nil))
	_, err = tr.client.Redeliver(t.Context(), submission, "")
	require.EqualError(t, err, "no bucket inbox")
}

// TestStatusSaysWhatIsShipped: a delivery that has not reached the customer's destination as it is now is none.
func TestStatusSaysWhatIsShipped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		shipment func(digest string) any
		shipped  bool
	}{
		"nothing":            {func(string) any { return nil }, false},
		"this":               {func(d string) any { return collection.ShipResult{ManifestSHA256: d} }, true},
		"what was before it": {func(string) any { return collection.ShipResult{ManifestSHA256: "older"} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, failedBefore := range []bool{false, true} {
				tr := setup(t).settled(collection.StateComplete).toShip()
				if !c.shipped {
					tr.forgot(collection.ReplayWorkflowID(submission))
					tr.forgot(collection.RedeliverWorkflowID(submission))
				}
				if s := c.shipment(tr.manifestDigest(t)); s != nil {
					stores(tr, collection.ShipmentKey(submission), s)
				}
				if failedBefore {
					tr.knows(failed)
					if !c.shipped {
						ends(tr, submission, collection.SubmissionResult{}, ended(temporal.NewApplicationError("not shipped: run weir redeliver", "destination_refused")))
					}
				} else {
					tr.forgot(submission)
				}
				got, err := tr.client.Status(t.Context(), submission)
				require.NoError(t, err)
				if c.shipped {
					require.NotEqual(t, collection.StateFailed, got.State)
					require.Equal(t, plan.Notes, got.Notes, "and the answer is the same when the engine has forgotten how its workflow ended")
					continue
				}
				require.Equal(t, collection.StateFailed, got.State)
				require.Equal(t, collection.ReasonDestinationRefused, got.Reason)
				require.Contains(t, got.Detail, "weir redeliver")
			}
		})
	}
}

// TestStatusWhileItIsShippedAgain: between a replay's, or a redelivery's, settlement and the end of its shipping nothing has failed.
func TestStatusWhileItIsShippedAgain(t *testing.T) {
	t.Parallel()
	replay, redeliver := collection.ReplayWorkflowID(submission), collection.RedeliverWorkflowID(submission)
	answers := func(tr *trial, id string, status any, err error) {
		tr.describes(id, described("any", running), nil)
		value := &mocks.Value{}
		value.On("Get", mock.Anything).Run(func(args mock.Arguments) {
			body, err := json.Marshal(status)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(body, args.Get(0)))
		}).Return(nil)
		tr.engine.On("QueryWorkflow", mock.Anything, id, "", collection.QueryStatus).Return(value, err)
	}
	for name, c := range map[string]struct {
		engine  func(*trial)
		shipped string
	}{
		"the replay ships":      {func(tr *trial) { answers(tr, replay, collection.ReplayStatus{Stage: "ship"}, nil) }, replay},
		"the replay settles":    {func(tr *trial) { answers(tr, replay, collection.ReplayStatus{Stage: "settle"}, nil) }, replay},
		"nobody answers for it": {func(tr *trial) { answers(tr, replay, nil, errDown) }, replay},
		"the replay collects": {func(tr *trial) {
			answers(tr, replay, collection.ReplayStatus{Stage: "replay"}, nil)
			tr.forgot(redeliver)
		}, ""},
		"a redelivery ships": {func(tr *trial) {
			tr.describes(replay, described("any", completed), nil)
			answers(tr, redeliver, collection.RedeliverStatus{Stage: "ship", To: "acme"}, nil)
		}, redeliver},
		"a redelivery to elsewhere": {func(tr *trial) {
			tr.forgot(replay)
			answers(tr, redeliver, collection.RedeliverStatus{Stage: "ship", To: "acme-new"}, nil)
		}, ""},
	} {
		for _, failedBefore := range []bool{false, true} {
			t.Run(fmt.Sprint(name, failedBefore), func(t *testing.T) {
				t.Parallel()
				tr := setup(t).settled(collection.StateComplete).toShip()
				c.engine(tr)
				if failedBefore {
					tr.knows(failed)
					if c.shipped == "" {
						ends(tr, submission, collection.SubmissionResult{}, ended(temporal.NewApplicationError("run weir redeliver", "destination_refused")))
					}
				} else {
					tr.forgot(submission)
				}
				got, err := tr.client.Status(t.Context(), submission)
				require.NoError(t, err)
				if c.shipped == "" {
					require.Equal(t, collection.StateFailed, got.State)
					return
				}
				require.Equal(t, collection.StateProcessing, got.State)
				require.Equal(t, "ship", got.Stage)
				require.Contains(t, got.Notes[len(got.Notes)-1], c.shipped)
			})
		}
	}
	tr := setup(t).settled(collection.StateComplete).toShip()
	tr.forgot(submission)
	tr.describes(replay, nil, errDown)
	_, err := tr.client.Status(t.Context(), submission)
	require.ErrorIs(t, err, errDown)
}

// TestTheProofLivesAsLongAsThePlan: a status that is read from the plan must find it.
func TestTheProofLivesAsLongAsThePlan(t *testing.T) {
	t.Parallel()
	plan, _, ok := collection.SubmissionOfKey(collection.PlanKey(submission))
	require.True(t, ok)
	proof, of, ok := collection.SubmissionOfKey(collection.ShipmentKey(submission))
	require.True(t, ok)
	require.Equal(t, submission, of)
	require.Equal(t, plan, proof)
}

func TestStatusOfAShipmentThatCannotBeRead(t *testing.T) {
	t.Parallel()
	tr := setup(t).settled(collection.StateComplete).toShip()
	tr.forgot(submission)
	_, err := tr.store.Put(t.Context(), collection.ShipmentKey(submission), []byte("{"), "")
	require.NoError(t, err)
	_, err = tr.client.Status(t.Context(), submission)
	require.ErrorContains(t, err, "shipment.json")

	tr.store.fails[collection.ShipmentKey(submission)] = errors.New("connection refused")
	_, err = tr.client.Status(t.Context(), submission)
	require.ErrorContains(t, err, "connection refused")
}

// TestWaitForARedelivery: a submission whose delivery is on its way again is waited for.
func TestWaitForARedelivery(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tr := setup(t).settled(collection.StateComplete).toShip()
		tr.forgot(submission)
		tr.describes(collection.ReplayWorkflowID(submission), described("any", running), nil).Once()
		tr.engine.On("QueryWorkflow", mock.Anything, collection.ReplayWorkflowID(submission), "", collection.QueryStatus).
			Run(func(mock.Arguments) {
				stores(tr, collection.ShipmentKey(submission), collection.ShipResult{ManifestSHA256: tr.manifestDigest(t)})
			}).Return(nil, errDown).Once()
		var seen []string
		got, err := tr.client.Wait(t.Context(), submission, func(s collection.SubmissionStatus) { seen = append(seen, s.Stage) })
		require.NoError(t, err)
		require.Equal(t, collection.StateComplete, got.State)
		require.Equal(t, []string{"ship", ""}, seen)
	})
}
