package starter_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

// TestAKeptEndIsTheAnswer for a submission that left no manifest and that the engine has forgotten.
func TestAKeptEndIsTheAnswer(t *testing.T) {
	t.Parallel()
	want := collection.SubmissionStatus{Submission: submission, Customer: "acme", State: collection.StateFailed, AcceptedAt: accepted,
		Outcomes: collection.Tally{}, Reason: collection.ReasonUploadMissing, Detail: "there is no such file"}
	body, err := json.Marshal(want)
	require.NoError(t, err)

	tr := setup(t)
	tr.forgot(submission)
	_, err = tr.store.Create(t.Context(), collection.EndKey(submission), body, "")
	require.NoError(t, err)
	got, err := tr.client.Status(t.Context(), submission)
	require.NoError(t, err)
	require.Equal(t, want, got)

	// It ended after it was planned.
	tr = setup(t).planned()
	tr.forgot(submission)
	_, err = tr.store.Create(t.Context(), collection.EndKey(submission), body, "")
	require.NoError(t, err)
	got, err = tr.client.Status(t.Context(), submission)
	require.NoError(t, err)
	require.Equal(t, want, got)

	// It was submitted again since, and has a manifest: that counts more.
	tr = setup(t).settled(collection.StateComplete)
	tr.forgot(submission)
	_, err = tr.store.Create(t.Context(), collection.EndKey(submission), body, "")
	require.NoError(t, err)
	got, err = tr.client.Status(t.Context(), submission)
	require.NoError(t, err)
	require.Equal(t, collection.StateComplete, got.State)

	tr = setup(t)
	tr.forgot(submission)
	_, err = tr.store.Create(t.Context(), collection.EndKey(submission), []byte("{"), "")
	require.NoError(t, err)
	_, err = tr.client.Status(t.Context(), submission)
	require.ErrorContains(t, err, "end.json")
}

// TestStatusTellsBreaches: what the checks found is told by the manifest, when the engine has forgotten the submission, too.
func TestStatusTellsBreaches(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	tr.planned()
	breach := collection.QualityCheck{Source: "books", Check: collection.QualityEmpty, Result: collection.QualityBreach, Observed: 0.5, Of: 6, Detail: "why"}
	m := manifest
	m.Checks, m.Breaches = []collection.QualityCheck{{Source: "books", Check: collection.QualityStored, Result: collection.QualityOK}, breach}, 1
	stores(tr, collection.ManifestKey("acme", submission), m)
	tr.forgot(submission)
	got, err := tr.client.Status(t.Context(), submission)
	require.NoError(t, err)
	require.Equal(t, []collection.QualityCheck{breach}, got.Result.Breaches)
}
