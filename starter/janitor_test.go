package starter_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/starter"
)

// TestLastTidyIsNoDryRun: what was only counted is not what was deleted, under whatever id somebody had it counted.
func TestLastTidyIsNoDryRun(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	tr.ran(map[string]time.Duration{"weir/janitor-plan": 2 * time.Hour, "by-hand": time.Hour, "weir/janitor-1": time.Minute})
	for _, id := range []string{"weir/janitor-plan", "by-hand"} {
		ends(tr, id, collection.JanitorResult{DryRun: true, EndedAt: accepted.Add(time.Hour)}, nil)
	}
	want := collection.JanitorResult{EndedAt: accepted, Classes: []collection.TidyResult{{Class: collection.ClassRaw, Deleted: 3}}}
	ends(tr, "weir/janitor-1", want, nil)
	got, err := tr.client.LastTidy(t.Context())
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestLastTidyBeforeTheFirst(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	tr.ran(map[string]time.Duration{"weir/janitor-plan": time.Hour})
	ends(tr, "weir/janitor-plan", collection.JanitorResult{DryRun: true}, nil)
	got, err := tr.client.LastTidy(t.Context())
	require.ErrorIs(t, err, starter.ErrNotFound)
	require.EqualError(t, err, "no janitor has ended yet: not found")
	require.Zero(t, got)
}

func TestOldestOpen(t *testing.T) {
	t.Parallel()
	tr := setup(t)
	tr.ran(map[string]time.Duration{"a": time.Hour, "b": time.Minute, "c": 2 * time.Hour})
	got, err := tr.client.OldestOpen(t.Context())
	require.NoError(t, err)
	require.True(t, got.Equal(accepted), "%s", got)
	_, err = tr.client.Lifecycle()
	require.ErrorIs(t, err, starter.ErrNoLifecycle, "a store in memory has no lifecycle rules")
}
