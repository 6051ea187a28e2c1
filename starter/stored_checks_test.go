package starter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
)

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
