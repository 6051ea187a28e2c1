package integration

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/weir-collect/weir/collection"
	"github.com/weir-collect/weir/integration/faultproxy"
	"github.com/weir-collect/weir/integration/harness"
	"github.com/weir-collect/weir/integration/sourcesite"
	"github.com/weir-collect/weir/internal/stack/stacktest"
)

// step is one kind of object that a stage writes: between two of them is where a process can die.
type step struct {
	stage, object string
	// prefix and suffix tell it from other objects.
	prefix, suffix string
}

// steps are those of a submission, in the order in which they are first written.
func steps() []step {
	return []step{
		{"Plan", "batch", "plans/", "/00001.jsonl"},
		{"Plan", "plan", "plans/", "/plan.json"},
		{"Collect", "raw", "raw/", ""},
		{"Collect", "meta", "raw/", ".meta.json"},
		{"Deliver", "document", "results/", ".json"},
		{"Batch", "ledger", "ledger/", "00001.jsonl"},
		{"Settle", "part", "results/", ".jsonl.gz"},
		{"Settle", "failures", "results/", "failures.jsonl"},
		{"Settle", "manifest", "results/", "manifest.json"},
		{"Settle", "checksum", "results/", "manifest.sha256"},
	}
}

func (s step) wrote(bucket string, r faultproxy.Request) bool {
	key, ours := strings.CutPrefix(r.Path, "/"+bucket+"/")
	manifest := strings.HasSuffix(key, "/manifest.json") || strings.HasSuffix(key, "/manifest.g1.json")
	switch {
	case !ours || r.Method != "PUT" || !strings.HasPrefix(key, s.prefix) || !strings.HasSuffix(key, s.suffix):
		return false
	case s.object == "raw":
		return !strings.HasSuffix(key, ".meta.json")
	case s.object == "document":
		return !manifest
	}
	return true
}

// crashing is a fleet whose store can be watched.
type crashing struct {
	*harness.Fleet
	proxy *faultproxy.Proxy
	books *sourcesite.Site
}

// quick is how a fleet is configured whose workers are killed: the dead are soon missed.
func quick() harness.Options { return harness.Options{HeartbeatTimeout: 2 * time.Second} }

// newCrashing gives a source as long to answer as a worker may be silent.
func newCrashing(t *testing.T, o harness.Options) crashing {
	t.Helper()
	books := site(t, "127.0.0.1")
	s := stacktest.Shared(t)
	proxy, err := faultproxy.Start(s.S3)
	require.NoError(t, err)
	t.Cleanup(proxy.Close)
	// A source of its own per test: what a killed worker held must not be waited for by the next one.
	name := fmt.Sprintf("crash%d", time.Now().UnixNano()%1e9)
	o.S3, o.LogLevel = proxy.URL, "error"
	o.Sources = []harness.Source{{Name: name, Host: books.Host, Ceiling: 4, Timeout: o.HeartbeatTimeout}}
	return crashing{fleet(t, o), proxy, books}
}

// crashRecords are the records of one run, and one of them does not exist, so that there are failures to write.
const crashRecords = 12

func (c crashing) submit(t *testing.T) string {
	t.Helper()
	return submitCSV(t, c.Fleet, pages(crashRecords, c.books)+"no url\n")
}

// settled is what a run has left, without what differs between two runs: names of the submission and times.
func (c crashing) settled(t *testing.T, submission string) string {
	t.Helper()
	status := wait(t, c.Fleet, submission, 3*time.Minute)
	require.Equal(t, collection.StatePartiallyFailed, status.State)
	require.Equal(t, crashRecords, status.Outcomes.Of(collection.OutcomeDelivered))
	require.Equal(t, 1, status.Outcomes.Of(collection.OutcomeInvalid))
	seen := map[string]bool{}
	for _, row := range ledgerOf(t, c.Fleet, submission) {
		if row.Outcome == collection.OutcomeDelivered {
			require.False(t, seen[row.Record], "doubled: %s", row.Key)
			require.Equal(t, 1, row.Delivered.Generation)
			seen[row.Record] = true
		}
	}
	require.Len(t, seen, crashRecords)
	return manifestShape(t, c.Fleet, submission)
}

// killAt lets the worker be killed at the first write of a step. killed is closed when it was.
func (c crashing) killAt(s step, moment faultproxy.Moment, w *harness.Worker) (killed chan struct{}) {
	killed = make(chan struct{})
	var once sync.Once
	c.proxy.SetRule(func(m faultproxy.Moment, r faultproxy.Request) bool {
		if m != moment || !s.wrote(c.Stack.Bucket, r) {
			return true
		}
		first := false
		once.Do(func() {
			first = true
			w.Kill()
			close(killed)
		})
		return !first
	})
	return killed
}

// reached waits until the worker was killed.
func reached(t *testing.T, killed <-chan struct{}) {
	t.Helper()
	select {
	case <-killed:
	case <-time.After(slower * time.Minute):
		require.Fail(t, "the step was never reached")
	}
}

// atEvery plays a crash before and after each of some steps.
func atEvery(t *testing.T, all []step, play func(t *testing.T, s step, moment faultproxy.Moment)) (kills int) {
	for _, s := range all {
		for _, moment := range []faultproxy.Moment{faultproxy.Before, faultproxy.After} {
			t.Run(s.stage+"/"+s.object+"/"+string(moment), func(t *testing.T) {
				play(t, s, moment)
				kills++
			})
		}
	}
	return kills
}

// TestDrillCrashMatrix kills the worker before and after the first write of every kind of object: nothing is lost, nothing
// is doubled, and the final manifest is the same.
func TestDrillCrashMatrix(t *testing.T) {
	longDrill(t)
	var want string
	// A subtest of its own, so that its worker is gone when the others run: it polls the same queues.
	t.Run("undisturbed", func(t *testing.T) {
		c := newCrashing(t, quick())
		startWorker(t, c.Fleet)
		want = c.settled(t, c.submit(t))
	})
	kills := atEvery(t, steps(), func(t *testing.T, s step, moment faultproxy.Moment) {
		c := newCrashing(t, quick())
		killed := c.killAt(s, moment, startWorker(t, c.Fleet))
		submission := c.submit(t)
		reached(t, killed)
		startWorker(t, c.Fleet)
		require.Equal(t, want, c.settled(t, submission))
	})
	t.Logf("figure: worker killed at %d points of Plan, Collect, Deliver, the ledger and Settle: 0 of %d records lost, 0 doubled, the same manifest", kills, kills*crashRecords)
}

// replaySteps are those of a replay, in the order in which they are first written.
func replaySteps() []step {
	return []step{
		{"SelectDead", "batch", "replays/", "/00001.jsonl"},
		{"SelectDead", "plan", "replays/", "/plan.json"},
		{"MergeLedger", "kept", "ledger/", "/00001.g1.jsonl"},
		{"MergeLedger", "merged", "ledger/", "/00001.jsonl"},
		{"Settle", "part", "results/", ".g2.jsonl.gz"},
		{"Settle", "kept manifest", "results/", "manifest.g1.json"},
		{"Settle", "manifest", "results/", "/manifest.json"},
		{"Settle", "checksum", "results/", "/manifest.sha256"},
	}
}

// replayed has four records refused, lets their site serve them again, replays them and says what is left in the end.
func (c crashing) replayed(t *testing.T, s step, moment faultproxy.Moment) string {
	t.Helper()
	c.books.SetAnswer(func(w http.ResponseWriter, r *http.Request) bool {
		refused := strings.HasSuffix(r.URL.Path, "/1") || strings.HasSuffix(r.URL.Path, "/3")
		if refused {
			w.WriteHeader(http.StatusForbidden)
		}
		return refused
	})
	w := startWorker(t, c.Fleet)
	submission := submitCSV(t, c.Fleet, pages(crashRecords, c.books))
	status := wait(t, c.Fleet, submission, time.Minute)
	dead := status.Outcomes.Of(collection.OutcomeDeadLettered)
	require.NotZero(t, dead, "%+v", status.Outcomes)
	c.books.SetAnswer(nil)
	killed := make(chan struct{})
	if s.stage != "" {
		killed = c.killAt(s, moment, w)
	}
	started, err := c.Client.Replay(t.Context(), collection.ReplayInput{Submission: submission, By: "a test"})
	require.NoError(t, err)
	if s.stage != "" {
		reached(t, killed)
		startWorker(t, c.Fleet)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	result, err := c.Client.WaitReplay(ctx, started, nil)
	require.NoError(t, err)
	require.Equal(t, dead, result.Outcomes.Of(collection.OutcomeDelivered), "%+v", result)
	deliveredOnce(t, c.Fleet, submission, crashRecords)
	return manifestShape(t, c.Fleet, submission)
}

// TestDrillCrashReplay is the matrix for a replay.
func TestDrillCrashReplay(t *testing.T) {
	longDrill(t)
	var want string
	t.Run("undisturbed", func(t *testing.T) { want = newCrashing(t, quick()).replayed(t, step{}, "") })
	require.Contains(t, want, `"generation":2`)
	kills := atEvery(t, replaySteps(), func(t *testing.T, s step, moment faultproxy.Moment) {
		require.Equal(t, want, newCrashing(t, quick()).replayed(t, s, moment))
	})
	t.Logf("figure: worker killed at %d points of a replay: 0 records lost, 0 doubled, the same manifest", kills)
}

// TestDrillEngineKills kills the whole stack ten times at random while a thousand records are collected.
func TestDrillEngineKills(t *testing.T) {
	longDrill(t)
	const records, kills = 1000, 10
	books := site(t, "127.0.0.1")
	books.SetLatency(100 * time.Millisecond)
	s := stacktest.New(t)
	f := fleetOn(t, s, harness.Options{
		Sources: []harness.Source{{Name: "books", Host: books.Host, Ceiling: 4, Timeout: 2 * time.Second}}, LogLevel: "error",
	})
	still := watchStandstill(t)
	startWorker(t, f)
	startWorker(t, f)
	submission := submitCSV(t, f, pages(records, books))
	for range kills {
		before := books.Ledger().Paths
		most := 20 + rand.IntN(100)
		until(t, 3*time.Minute, "requests", func() bool { return books.Ledger().Paths >= min(before+most, records-1) })
		s.Kill()
		require.NoError(t, s.Restart(t.Context()))
	}
	wait(t, f, submission, 10*time.Minute)
	deliveredOnce(t, f, submission, records)
	requireCeiling(t, books, 4, still)
	t.Logf("figure: stack killed %d times at random: %d of %d records delivered once, %d requests repeated", kills, records, records, books.Ledger().Repeated)
}

// TestDrillLostResponse loses the answer to the first write of every kind of object: each ends in success, one object, one
// generation.
func TestDrillLostResponse(t *testing.T) {
	c := newCrashing(t, steady(harness.Options{}))
	startWorker(t, c.Fleet)
	want := c.settled(t, c.submit(t))
	lost := map[string]bool{}
	var mu sync.Mutex
	c.proxy.SetRule(func(m faultproxy.Moment, r faultproxy.Request) bool {
		if m != faultproxy.After {
			return true
		}
		mu.Lock()
		defer mu.Unlock()
		for _, s := range steps() {
			if name := s.stage + "/" + s.object; s.wrote(c.Stack.Bucket, r) && !lost[name] {
				lost[name] = true
				return false
			}
		}
		return true
	})
	require.Equal(t, want, c.settled(t, c.submit(t)))
	require.Len(t, lost, len(steps()))
	t.Logf("figure: the answers to %d successful writes were lost: every one ended in success, one object, one generation", len(lost))
}
