package starter_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"

	"github.com/weir-collect/weir/collection"
)

// badEnd is a way for a submission's workflow to end otherwise than well.
type badEnd struct {
	status enumspb.WorkflowExecutionStatus
	err    error
	state  collection.State
	reason collection.Reason
	detail string
}

const notShipped = "the submission is settled in weir's bucket, but its delivery has not reached the customer's destination; once that takes it, run weir redeliver " + submission

func badEnds() map[string]badEnd {
	app := func(reason collection.Reason, detail string) badEnd {
		return badEnd{failed, temporal.NewNonRetryableApplicationError(detail, string(reason), nil), collection.StateFailed, reason, detail}
	}
	return map[string]badEnd{
		"terminated":         {terminated, &temporal.TerminatedError{}, collection.StateFailed, collection.ReasonTerminated, "the submission's workflow was terminated"},
		"shipping cancelled": app(collection.ReasonCancelled, notShipped+": somebody has cancelled the shipping"),
		"refused":            app(collection.ReasonDestinationRefused, notShipped+": no bucket inbox"),
		"not settled again":  app(collection.ReasonInternal, "the submission could not be settled: the books do not balance"),
		"cancelled early": {cancelled, temporal.NewCanceledError(), collection.StateCancelled, collection.ReasonCancelled,
			"cancelled before anything was collected"},
	}
}

// stand is what is stored of a submission that has ended.
type stand struct {
	store func(t *testing.T, tr *trial)
	// kept says that the sweep has kept how it ended, manifest that it stands, inPlace that it is where the customer wants it,
	// and later that something was shipped after the workflow had begun.
	kept, manifest, inPlace, later bool
}

func stands() map[string]stand {
	shipped := func(at time.Time, digest func(*testing.T, *trial) string) func(*testing.T, *trial) {
		return func(t *testing.T, tr *trial) {
			tr.settled(collection.StateComplete).toShip()
			stores(tr, collection.ShipmentKey(submission), collection.ShipResult{ManifestSHA256: digest(t, tr), VerifiedAt: at})
		}
	}
	this := func(t *testing.T, tr *trial) string { return tr.manifestDigest(t) }
	older := func(*testing.T, *trial) string { return "older" }
	return map[string]stand{
		"nothing":                {func(*testing.T, *trial) {}, true, false, false, false},
		"a plan":                 {func(_ *testing.T, tr *trial) { tr.planned() }, true, false, false, false},
		"settled":                {func(_ *testing.T, tr *trial) { tr.settled(collection.StateComplete) }, false, true, true, false},
		"shipped":                {shipped(accepted.Add(time.Hour), this), false, true, true, false},
		"not shipped":            {func(_ *testing.T, tr *trial) { tr.settled(collection.StateComplete).toShip() }, true, true, false, false},
		"shipped before":         {shipped(accepted.Add(-time.Hour), older), true, true, false, false},
		"settled since shipping": {shipped(accepted.Add(time.Hour), older), true, true, false, true},
	}
}

// TestStatusAgrees: whatever a workflow's end and whatever stands, the answer is the same while the engine remembers and when
// it has forgotten. What stands counts, and why a delivery is not where it belongs is what the workflow has ended of.
func TestStatusAgrees(t *testing.T) {
	t.Parallel()
	for ending, end := range badEnds() {
		for standing, s := range stands() {
			t.Run(ending+", "+standing, func(t *testing.T) {
				t.Parallel()
				trialOf := func() *trial {
					tr := setup(t)
					s.store(t, tr)
					if s.manifest && !s.inPlace {
						tr.alone()
					}
					return tr
				}
				remembers := trialOf()
				remembers.knows(end.status)
				if !s.inPlace {
					ends(remembers, submission, collection.SubmissionResult{}, ended(end.err))
				}
				got, err := remembers.client.Status(t.Context(), submission)
				require.NoError(t, err)

				forgot := trialOf()
				forgot.forgot(submission)
				if s.kept {
					stores(forgot, collection.EndKey(submission), collection.SubmissionStatus{
						Submission: submission, Customer: "acme", State: end.state, AcceptedAt: accepted, Outcomes: collection.Tally{},
						Reason: end.reason, Detail: end.detail,
					})
				}
				same, err := forgot.client.Status(t.Context(), submission)
				require.NoError(t, err)
				require.Equal(t, got, same)
				s.check(t, end, got)
			})
		}
	}
}

func (s stand) check(t *testing.T, end badEnd, got collection.SubmissionStatus) {
	switch {
	case !s.manifest:
		require.Equal(t, end.state, got.State)
		require.Equal(t, end.reason, got.Reason)
		require.Nil(t, got.Result)
		return
	case s.inPlace:
		require.Equal(t, collection.StateComplete, got.State)
		require.Empty(t, got.Reason)
	default:
		require.Equal(t, collection.StateFailed, got.State)
		require.Contains(t, got.Detail, "weir redeliver "+submission)
		want := end.reason
		if s.later || end.state != collection.StateFailed {
			want = collection.ReasonDestinationRefused
		} else {
			require.Contains(t, got.Detail, end.detail)
		}
		require.Equal(t, want, got.Reason)
	}
	require.Equal(t, 6, got.Expected)
	require.Equal(t, manifest.Outcomes, got.Outcomes)
	require.NotNil(t, got.Result)
}

// TestStatusOfAnUnshippedDeliveryIsNotGuessed: who cannot be asked why it was not shipped has not said it.
func TestStatusOfAnUnshippedDeliveryIsNotGuessed(t *testing.T) {
	t.Parallel()
	tr := setup(t).settled(collection.StateComplete).toShip().alone()
	tr.knows(failed)
	ends(tr, submission, collection.SubmissionResult{}, errDown)
	_, err := tr.client.Status(t.Context(), submission)
	require.ErrorIs(t, err, errDown)

	tr = setup(t).settled(collection.StateComplete).toShip().alone()
	tr.forgot(submission)
	tr.store.fails[collection.EndKey(submission)] = errDown
	_, err = tr.client.Status(t.Context(), submission)
	require.ErrorIs(t, err, errDown)
}
