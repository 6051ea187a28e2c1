package integration

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/starter"
)

// bugRules find nothing on the pages of sourcesite: a parser after the site has changed.
const bugRules = `parse: {type: html, fields: [{name: title, css: h2}]}`

// TestReplay is the drill in small.
func TestReplay(t *testing.T) { drillReplay(t, 200) }

// TestDrillReplay: a parser bug leaves thousands of dead letters. Once the rules are mended they are replayed from the kept
// bytes: everything is delivered once, and the source is not asked.
func TestDrillReplay(t *testing.T) {
	longDrill(t)
	drillReplay(t, 4000)
}

func drillReplay(t *testing.T, records int) {
	ctx := t.Context()
	books := site(t, "127.0.0.1")
	source := harness.Source{Name: "books", Host: books.Host, Ceiling: 8}
	mended := source
	source.More = []string{bugRules}
	f := fleet(t, steady(harness.Options{Sources: []harness.Source{source}, LogLevel: "error"}))
	w := startWorker(t, f)
	submission := submitCSV(t, f, pages(records, books))
	status := wait(t, f, submission, 30*time.Minute)
	require.Equal(t, collection.StatePartiallyFailed, status.State)
	require.Equal(t, records, status.Outcomes.Of(collection.OutcomeDeadLettered))
	require.NoError(t, w.Stop())
	asked := books.Ledger().Requests
	first := manifestOf(t, f, status.Result.Manifest)

	empty := collection.ReplaySelect{Reasons: []collection.Reason{collection.ReasonParseEmpty}}
	groups := deadOf(t, f, starter.DeadFilter{Select: empty, Submission: submission})
	require.Equal(t, records, groups[0].Records)
	until(t, time.Minute, "the engine's list", func() bool {
		g := deadOf(t, f, starter.DeadFilter{Select: empty, Customer: "acme"})
		return len(g) > 0 && g[0].Records >= records
	})

	f = fleet(t, steady(harness.Options{Sources: []harness.Source{mended}, LogLevel: "error"}))
	in := collection.ReplayInput{Submission: submission, Select: empty, From: collection.ReplayFromRaw, By: "a test"}
	one, err := f.Client.Replay(ctx, in)
	require.NoError(t, err)
	two, err := f.Client.Replay(ctx, in)
	require.NoError(t, err)
	require.Equal(t, starter.ReplayStarted{Submission: submission, ID: one.ID, RunID: one.RunID, Joined: true}, two)
	// The worker comes last: so the second request met a replay that runs, and who waits sees it run, however quick it is.
	seen, started := 0, time.Now()
	var result collection.ReplayResult
	ended := make(chan error, 1)
	go func() {
		var err error
		result, err = f.Client.WaitReplay(ctx, one, func(collection.ReplayStatus) { seen++ })
		ended <- err
	}()
	startWorker(t, f)
	require.NoError(t, <-ended)
	took := time.Since(started)
	require.NotZero(t, seen, "a replay tells its progress")
	require.Equal(t, records, result.Selected)
	require.Equal(t, records, result.Outcomes.Of(collection.OutcomeDelivered))
	require.Equal(t, collection.StateComplete, result.Settled.State)
	deliveredOnce(t, f, submission, records)

	again, err := f.Client.Replay(ctx, in)
	require.NoError(t, err)
	require.False(t, again.Joined)
	result, err = f.Client.WaitReplay(ctx, again, nil)
	require.NoError(t, err)
	require.Equal(t, collection.ReplayResult{Outcomes: collection.Tally{}}, result, "a second replay does nothing")
	require.Equal(t, asked, books.Ledger().Requests, "the source was not asked again")
	deliveredOnce(t, f, submission, records)
	require.Empty(t, deadOf(t, f, starter.DeadFilter{Submission: submission}))
	for _, g := range deadOf(t, f, starter.DeadFilter{Select: empty}) {
		require.NotContains(t, g.Submissions, submission, "the ledger knows better than the engine's old runs")
	}
	oldStands(t, f, first)
	t.Logf("figure: %d dead letters replayed from raw in %s (%.0f records/s), %d delivered once, %d requests to the source",
		records, took.Round(time.Millisecond), float64(records)/took.Seconds(), records, books.Ledger().Requests-asked)
}

func deadOf(t *testing.T, f *harness.Fleet, filter starter.DeadFilter) []starter.DeadGroup {
	t.Helper()
	groups, err := starter.GroupDead(f.Client.Dead(t.Context(), filter))
	require.NoError(t, err)
	return groups
}

func manifestOf(t *testing.T, f *harness.Fleet, key string) collection.Manifest {
	t.Helper()
	body, err := f.Store.Get(context.Background(), key, 1<<20)
	require.NoError(t, err)
	var m collection.Manifest
	require.NoError(t, json.Unmarshal(body, &m))
	return m
}

// oldStands checks that the first manifest is kept, and that everything that it names is there as it says.
func oldStands(t *testing.T, f *harness.Fleet, first collection.Manifest) {
	t.Helper()
	key := collection.ManifestKey(first.Customer, first.Submission)
	require.Equal(t, first, manifestOf(t, f, collection.GenerationKey(key, 1)))
	require.Equal(t, 2, manifestOf(t, f, key).Generation)
	for _, file := range first.Files {
		info, err := f.Store.Head(context.Background(), file.Key)
		require.NoError(t, err)
		require.Equal(t, file.SHA256, info.SHA256, file.Key)
	}
	_, err := f.Store.Head(context.Background(), collection.GenerationKey(collection.LedgerKey(first.Submission, first.Sources[0].Source, 1), 1))
	require.NoError(t, err, "the ledger's first generation is kept")
}
