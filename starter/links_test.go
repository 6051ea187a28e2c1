package starter_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

const hour = time.Hour

func TestLinks(t *testing.T) {
	t.Parallel()
	tr := setup(t).settled(collection.StateComplete)
	info, err := tr.store.Head(t.Context(), collection.ManifestKey("acme", submission))
	require.NoError(t, err)
	links, err := tr.client.Links(t.Context(), submission, hour)
	require.NoError(t, err)
	url := func(name string) string { return "https://s3.example/results/acme/acme-1/" + name + "?signed" }
	require.Equal(t, []starter.Link{
		{Name: "manifest.json", URL: url("manifest.json"), Size: info.Size, SHA256: info.SHA256, Expires: accepted.Add(hour)},
		{Name: "manifest.sha256", URL: url("manifest.sha256"), Expires: accepted.Add(hour)},
		{Name: "results-00001.jsonl.gz", URL: url("results-00001.jsonl.gz"), Size: 321, Records: 5, SHA256: "c1", Expires: accepted.Add(hour)},
		{Name: "failures.jsonl", URL: url("failures.jsonl"), Size: 99, Records: 1, SHA256: "c2", Expires: accepted.Add(hour)},
	}, links, "the manifest comes first, then the files in its order")
}

// TestLinksThatLiveShorter: the credentials that sign them end before the time that was asked for.
func TestLinksThatLiveShorter(t *testing.T) {
	t.Parallel()
	tr := setup(t).settled(collection.StateComplete)
	tr.store.capped = true
	links, err := tr.client.Links(t.Context(), submission, starter.MaxExpiry)
	require.NoError(t, err)
	require.Len(t, links, 4)
	for _, l := range links {
		require.True(t, l.Capped, l.Name)
	}
}

func TestLinksForTooLong(t *testing.T) {
	t.Parallel()
	tr := setup(t).settled(collection.StateComplete)
	for _, expiry := range []time.Duration{-hour, 0, starter.MaxExpiry + 1} {
		_, err := tr.client.Links(t.Context(), submission, expiry)
		require.ErrorContains(t, err, "168h", expiry)
		require.Empty(t, tr.store.reads, "nothing is asked for in vain")
	}
	_, err := tr.client.Links(t.Context(), submission, 1)
	require.NoError(t, err, "the store has the last word on what it can sign")
}

func TestLinksThatCannotBe(t *testing.T) {
	t.Parallel()
	tr := setup(t).planned()
	_, err := tr.client.Links(t.Context(), submission, hour)
	require.ErrorIs(t, err, starter.ErrNotFound)
	require.ErrorContains(t, err, "submission acme-1 has no delivery yet")

	tr = setup(t).settled(collection.StateComplete)
	key := collection.ResultsKey("acme", submission, 1)
	tr.store.fails["sign "+key] = errDown
	links, err := tr.client.Links(t.Context(), submission, hour)
	require.ErrorIs(t, err, errDown)
	require.ErrorContains(t, err, "sign "+key)
	require.Empty(t, links, "half a delivery is none")

	tr.store.fails[collection.ManifestKey("acme", submission)] = errDown
	_, err = tr.client.Links(t.Context(), submission, hour)
	require.ErrorIs(t, err, errDown)

	_, err = tr.client.Links(t.Context(), "no/id", hour)
	require.ErrorContains(t, err, `submission id "no/id"`)
}
