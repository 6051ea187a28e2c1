package integration

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/internal/stack/stacktest"
	"github.com/weir-collect/weir/starter"
)

// deliveredOnce checks a complete delivery of n records: the manifest's counts, every file's digest, and that every
// record is in the results once.
func deliveredOnce(t *testing.T, f *harness.Fleet, id string, n int) {
	t.Helper()
	ctx := context.Background()
	status, err := f.Client.Status(ctx, id)
	require.NoError(t, err)
	require.Equal(t, collection.StateComplete, status.State, "%+v", status)
	require.Equal(t, n, status.Outcomes.Of(collection.OutcomeDelivered))

	body, err := f.Store.Get(ctx, status.Result.Manifest, 1<<20)
	require.NoError(t, err)
	var manifest collection.Manifest
	require.NoError(t, json.Unmarshal(body, &manifest))
	seen := map[string]int{}
	for _, file := range manifest.Files {
		if !strings.HasPrefix(file.Name, "results-") {
			continue
		}
		info, err := f.Store.Head(ctx, file.Key)
		require.NoError(t, err)
		require.Equal(t, file.SHA256, info.SHA256)
		packed, err := f.Store.Get(ctx, file.Key, 1<<30)
		require.NoError(t, err)
		plain, err := gzip.NewReader(bytes.NewReader(packed))
		require.NoError(t, err)
		lines := json.NewDecoder(plain)
		for lines.More() {
			var document collection.DeliveredDocument
			require.NoError(t, lines.Decode(&document))
			seen[document.Record]++
		}
	}
	require.Len(t, seen, n)
	for record, times := range seen {
		require.Equal(t, 1, times, record)
	}
	objects := 0
	for info, err := range f.Store.List(ctx, collection.DeliveryPrefix(manifest.Customer, id)+"records/") {
		require.NoError(t, err)
		objects++
		head, err := f.Store.Head(ctx, info.Key)
		require.NoError(t, err)
		require.Equal(t, 1, head.Generation, info.Key)
	}
	require.Equal(t, n, objects)
}

// TestDrillCrash kills the only worker in the middle of a submission, twice.
func TestDrillCrash(t *testing.T) {
	const records = 120
	books := site(t, "127.0.0.1")
	books.SetLatency(100 * time.Millisecond)
	f := fleet(t, harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 4}}})
	w := startWorker(t, f)
	submission := submitCSV(t, f, pages(records, books))
	for _, at := range []int{20, 60} {
		until(t, time.Minute, "requests", func() bool { return books.Ledger().Paths >= at })
		w.Kill()
		w = startWorker(t, f)
	}
	wait(t, f, submission, 3*time.Minute)
	deliveredOnce(t, f, submission, records)
	ledger := books.Ledger()
	require.LessOrEqual(t, ledger.Peak, 8, "two workers' worth at most, for a moment, while the dead one's requests end")
	t.Logf("figure: worker killed twice, %d of %d records delivered once, %d requests repeated", records, records, ledger.Repeated)
}

// TestDrillEngineRestart kills the whole stack in the middle of a submission.
func TestDrillEngineRestart(t *testing.T) {
	const records = 100
	books := site(t, "127.0.0.1")
	books.SetLatency(100 * time.Millisecond)
	s := stacktest.New(t)
	f := fleetOn(t, s, harness.Options{
		Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 4}}, LogLevel: "error",
	})
	startWorker(t, f)
	submission := submitCSV(t, f, pages(records, books))
	until(t, time.Minute, "requests", func() bool { return books.Ledger().Paths >= 30 })
	s.Kill()
	require.NoError(t, s.Restart(t.Context()))
	wait(t, f, submission, 3*time.Minute)
	deliveredOnce(t, f, submission, records)
	t.Logf("figure: stack killed once, %d of %d records delivered once, %d requests repeated", records, records, books.Ledger().Repeated)
}

// TestDrillHungSource lets one source accept requests and never answer.
func TestDrillHungSource(t *testing.T) {
	const each = 40
	good, hung := site(t, "127.0.0.2"), site(t, "127.0.0.3")
	release := holdAnswers(hung)
	f := fleet(t, steady(harness.Options{Sources: []harness.Source{
		{Name: "good", Host: good.Host, Ceiling: 4},
		{Name: "hung", Host: hung.Host, Ceiling: 4, Timeout: 5 * time.Minute},
	}}))
	startWorker(t, f)
	started := time.Now()
	submission := submitCSV(t, f, pages(2*each, good, hung))
	until(t, 2*time.Minute, "the good source's deliveries", func() bool {
		return deliveredOf(t, f, submission) >= each
	})
	took := time.Since(started)
	require.NotZero(t, hung.InFlight(), "it hangs")
	require.LessOrEqual(t, hung.Ledger().Peak, 4, "the hung source holds its own permits and nothing else")
	release()
	wait(t, f, submission, 3*time.Minute)
	deliveredOnce(t, f, submission, 2*each)
	t.Logf("figure: %d records of the good source delivered in %s while the other source hung", each, took.Round(time.Millisecond))
}

// deliveredOf counts a submission's delivered objects in the bucket itself.
func deliveredOf(t *testing.T, f *harness.Fleet, submission string) int {
	t.Helper()
	n := 0
	for _, err := range f.Store.List(context.Background(), collection.DeliveryPrefix("acme", submission)+"records/") {
		require.NoError(t, err)
		n++
	}
	return n
}

// TestSubmittingAgain starts a submission three times: while it runs, when it has ended, and with the same content under
// the id that is derived from it.
func TestSubmittingAgain(t *testing.T) {
	const records = 20
	books := site(t, "127.0.0.1")
	books.SetLatency(50 * time.Millisecond)
	f := fleet(t, steady(harness.Options{Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 4}}}))
	startWorker(t, f)
	request := func() starter.Request {
		return starter.Request{Customer: "acme", File: strings.NewReader(pages(records, books)), FileName: "records.csv"}
	}
	first, err := f.Client.Submit(t.Context(), request())
	require.NoError(t, err)
	require.False(t, first.Existing)
	again, err := f.Client.Submit(t.Context(), request())
	require.NoError(t, err)
	require.True(t, again.Existing)
	require.Equal(t, first.ID, again.ID)
	require.Equal(t, first.RunID, again.RunID)

	wait(t, f, first.ID, time.Minute)
	deliveredOnce(t, f, first.ID, records)
	third, err := f.Client.Submit(t.Context(), request())
	require.NoError(t, err)
	require.True(t, third.Existing)
	require.Equal(t, first.RunID, third.RunID)
	require.Equal(t, records, books.Ledger().Requests, "nothing was collected twice")
}

// manifestShape is a submission's manifest without what must differ between two submissions of the same rows: the names and
// times in it, and so the digests of the files that hold such times.
func manifestShape(t *testing.T, f *harness.Fleet, submission string) string {
	t.Helper()
	status, err := f.Client.Status(t.Context(), submission)
	require.NoError(t, err)
	body, err := f.Store.Get(t.Context(), status.Result.Manifest, 1<<20)
	require.NoError(t, err)
	var m collection.Manifest
	require.NoError(t, json.Unmarshal(body, &m))
	m.Submission, m.AcceptedAt = "", time.Time{}
	for i := range m.Sources {
		m.Sources[i].Source = ""
	}
	for i := range m.Checks {
		// Its sentence names the source, too.
		m.Checks[i].Source, m.Checks[i].Detail = "", ""
	}
	for i := range m.Files {
		m.Files[i] = collection.ManifestFile{Name: m.Files[i].Name, Records: m.Files[i].Records}
	}
	shape, err := json.Marshal(m)
	require.NoError(t, err)
	return string(shape)
}
